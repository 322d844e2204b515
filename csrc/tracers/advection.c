#include "tracers/advection.h"

#include "base/counting_sort.h"
#include "field/sample.h"
#include "panels/near_cells.h"
#include "state/simulation.h"
#include "tracers/passive_motion.h"

/* ---- motion ---- */

void vti_make_tracer_substep(vt_simulation *s, vt_tracer_substep *work)
{
    work->count = s->tracers.set.count;
    work->first = vti_arena_push(&s->arena, 12 * (size_t)work->count);
    work->last = vti_arena_push(&s->arena, 12 * (size_t)work->count);
}

/* Listed rows (NULL: all) on their way. */
typedef struct trip {
    vt_simulation *s;
    const vt_tracer_substep *work;
    const uint32_t *list;
    const float *start; /* positions of all rows at the start, m */
    float *x, *u;       /* count x 3: points, m, and the velocities there, m/s */
    float way, rest;    /* s; share of the first rates */
    double dt;
} trip;

static inline int64_t row_of(const trip *t, int64_t i)
{
    return t->list ? t->list[i] : i;
}

static inline int has_rates(const trip *t, int64_t row)
{
    return t->work->last && row < t->work->count;
}

/* To the points that lie `way` ahead: along the rates that are kept, or else along u. The newborn,
 * who have none, stay. */
static void set_out(void *data, int64_t begin, int64_t end)
{
    const trip *const t = data;
    static const float none[3];
    for (int64_t i = begin; i < end; i++) {
        const int64_t row = row_of(t, i);
        const float *rate = t->work->last ? none : t->u + 3 * i;
        if (has_rates(t, row))
            rate = t->work->last + 3 * row;
        for (int a = 0; a < 3; a++) {
            t->x[3 * i + a] = t->start[3 * row + a];
            if (t->way > 0)
                t->x[3 * i + a] += t->way * rate[a];
        }
    }
}

/* Moves the rows by u and, where they are kept, the first rates. */
static void arrive(void *data, int64_t begin, int64_t end)
{
    const trip *const t = data;
    vt_tracers *const tracers = &t->s->tracers;
    for (int64_t i = begin; i < end; i++) {
        const int64_t row = row_of(t, i);
        /* age has moved on already: less than dt for those born inside the substep */
        const float step = fmaxf(fminf(tracers->age[row], (float)t->dt), 0);
        for (int a = 0; a < 3; a++) {
            float velocity = t->u[3 * i + a];
            if (has_rates(t, row))
                velocity += t->rest * (t->work->first[3 * row + a] - velocity);
            velocity += (float)t->s->winds.velocity[a];
            tracers->position[3 * row + a] = t->start[3 * row + a] + step * velocity;
            if (tracers->set.used[VT_TRACER_velocity])
                tracers->velocity[3 * row + a] = velocity;
        }
    }
}

enum { TRIP_BLOCK = 8192 };

/* The points `way` ahead, to x. */
static void go_ahead(trip *t, double way, int64_t count)
{
    t->way = (float)way;
    vti_parallel_for(t->s->def.threads, count, TRIP_BLOCK, set_out, t);
}

void vti_keep_tracer_rates(vt_simulation *s, double way, vt_tracer_substep *work)
{
    if (!work->last || work->count == 0)
        return;
    const size_t bytes = 12 * (size_t)work->count, mark = vti_arena_mark(&s->arena);
    trip t = {.s = s, .work = work, .start = s->tracers.position, .u = work->last};
    t.x = vti_arena_push(&s->arena, bytes);
    go_ahead(&t, way, work->count);
    vti_velocity_of_tracers(s, NULL, work->count, t.x, t.u);
    if (!(way > 0))
        memcpy(work->first, work->last, bytes);
    vti_arena_pop(&s->arena, mark);
}

/* Velocities of the rows of a trip at its looks, count x 3 each, m/s. */
typedef struct looks {
    float *start, *first;
    float *bare; /* the first without what walls add; where there are none, the same array */
} looks;

/* Goes ahead from x, where the rows start, along the velocity with which they set out, and looks
 * there. The rows that a wall may hinder to `beside` (NULL: nobody asks); returns how many. */
static int64_t look_first(trip *t, const vt_far_lattice *lattice, double way, int64_t count,
                          looks *l, uint32_t *beside)
{
    vt_simulation *const s = t->s;
    const size_t bytes = 12 * (size_t)count;
    l->start = vti_arena_push(&s->arena, bytes);
    l->first = vti_arena_push(&s->arena, bytes);
    l->bare = s->panels.exist ? vti_arena_push(&s->arena, bytes) : l->first;
    vti_velocity_to_set_out(s, lattice, count, t->x, l->start);
    t->u = l->start;
    go_ahead(t, way, count);
    vti_velocity_without_walls(s, lattice, count, t->x, l->bare);
    if (l->bare == l->first)
        return 0;
    memcpy(l->first, l->bare, bytes);
    return vti_add_walls(s, count, t->x, l->first, beside);
}

typedef struct wall_job {
    const float *first, *bare;
    float *u;
} wall_job;

static void add_walls_of_first(void *data, int64_t begin, int64_t end)
{
    const wall_job *const job = data;
    for (int64_t n = 3 * begin; n < 3 * end; n++)
        job->u[n] += job->first[n] - job->bare[n];
}

/* The velocity of the way by three looks. What walls add is for the last, which is a part of a cell
 * away, what it is for the first. */
static void look_ahead(trip *t, const vt_far_lattice *lattice, double way, int64_t count,
                       const looks *l)
{
    vt_simulation *const s = t->s;
    t->u = l->first;
    go_ahead(t, way, count);
    t->u = vti_arena_push(&s->arena, 12 * (size_t)count);
    vti_velocity_without_walls(s, lattice, count, t->x, t->u);
    wall_job job = {l->first, l->bare, t->u};
    if (l->bare != l->first)
        vti_parallel_for(s->def.threads, count, TRIP_BLOCK, add_walls_of_first, &job);
    s->stages->join_looks(count, l->start, l->first, t->u, s->def.threads);
}

/* Where no rates are kept the last field stands for the earlier ones. */
static void move_listed(vt_simulation *s, const vt_scheme *scheme, double dt,
                        const vt_tracer_substep *work, int64_t count, const uint32_t *list)
{
    const size_t mark = vti_arena_mark(&s->arena);
    trip t = {.s = s,
              .work = work,
              .list = list,
              .start = s->tracers.position,
              .dt = dt,
              .rest = (float)(1 - scheme->share)};
    t.x = vti_arena_push(&s->arena, 12 * (size_t)count);
    const double way = vti_last_fraction(scheme) * dt;
    if (!work->last && way > 0) {
        looks l;
        go_ahead(&t, 0, count);
        const vt_far_lattice *const lattice = vti_open_far_lattice(s, VT_LOOKS, count, t.x);
        look_first(&t, lattice, way, count, &l, NULL);
        look_ahead(&t, lattice, way, count, &l);
    } else {
        t.u = vti_arena_push(&s->arena, 12 * (size_t)count);
        go_ahead(&t, work->last ? way : 0, count);
        vti_velocity_of_tracers(s, NULL, count, t.x, t.u);
    }
    vti_parallel_for(s->def.threads, count, TRIP_BLOCK, arrive, &t);
    vti_arena_pop(&s->arena, mark);
}

/* Takes count rows of a table of three columns to its beginning. */
static void take_rows(int64_t count, const uint32_t *row, float *table)
{
    for (int64_t n = 0; n < count; n++)
        memcpy(table + 3 * n, table + 3 * (int64_t)row[n], 3 * sizeof *table);
}

/* Rows that have gone by the grid alone in cells near walls: those whose way a wall changes go it
 * anew, from `start`. */
static void move_beside_walls(vt_simulation *s, const vt_scheme *scheme, double dt,
                              const vt_tracer_substep *work, const float *start, int64_t count,
                              uint32_t *list)
{
    const size_t mark = vti_arena_mark(&s->arena);
    trip t = {.s = s, .work = work, .list = list, .start = start, .dt = dt};
    t.x = vti_arena_push(&s->arena, 12 * (size_t)count);
    uint32_t *const beside = vti_arena_push(&s->arena, sizeof *beside * (size_t)count);
    const double way = vti_last_fraction(scheme) * dt;
    looks l;
    go_ahead(&t, 0, count);
    const int64_t changed = look_first(&t, NULL, way, count, &l, beside);
    for (int64_t n = 0; n < changed; n++)
        list[n] = list[beside[n]];
    take_rows(changed, beside, l.start);
    take_rows(changed, beside, l.first);
    take_rows(changed, beside, l.bare);
    t.u = l.first;
    if (way > 0)
        look_ahead(&t, NULL, way, changed, &l);
    vti_parallel_for(s->def.threads, changed, TRIP_BLOCK, arrive, &t);
    vti_arena_pop(&s->arena, mark);
}

/* Without a grid, or with rates of earlier stages. */
static void move_all(vt_simulation *s, const vt_scheme *scheme, double dt,
                     const vt_tracer_substep *work)
{
    for (int64_t i = 0; i < s->tracers.set.count; i++)
        s->tracers.age[i] += (float)dt;
    move_listed(s, scheme, dt, work, s->tracers.set.count, NULL);
}

/* The rows whose bits are set to *list; returns how many. */
static int64_t list_rows(vt_simulation *s, int64_t blocks, const uint8_t *set,
                         const int32_t *set_count, uint32_t **list)
{
    enum { BYTES = VT_ADVECT_BLOCK / 8 };
    int64_t room = 0, listed = 0;
    for (int64_t b = 0; b < blocks; b++)
        room += set_count[b];
    *list = vti_arena_push(&s->arena, sizeof **list * (size_t)room);
    for (int64_t b = 0; b < blocks; b++)
        for (int64_t byte = b * BYTES; set_count[b] && byte < (b + 1) * BYTES; byte++)
            for (uint32_t bits = set[byte]; bits; bits &= bits - 1)
                (*list)[listed++] = (uint32_t)(8 * byte + __builtin_ctz(bits));
    return listed;
}

static void move_on_grid(vt_simulation *s, const vt_scheme *scheme, double dt, const float *start,
                         const vt_tracer_substep *work)
{
    vt_tracers *const t = &s->tracers;
    const int64_t count = t->set.count;
    const int64_t blocks = (count + VT_ADVECT_BLOCK - 1) / VT_ADVECT_BLOCK;
    const size_t bits = (size_t)(blocks * VT_ADVECT_BLOCK / 8);
    const size_t counts = sizeof(int32_t) * (size_t)blocks;
    const vt_tracer_rows rows = {t->position, t->set.used[VT_TRACER_velocity] ? t->velocity : NULL,
                                 t->age};
    vt_left_over left = {.outside = vti_arena_push(&s->arena, bits),
                         .outside_count = vti_arena_push(&s->arena, counts),
                         .near_cell = vti_cells_near_panels(s)};
    if (left.near_cell) {
        left.beside = vti_arena_push(&s->arena, bits);
        left.beside_count = vti_arena_push(&s->arena, counts);
    }
    s->stages->advect(&s->grid, dt, vti_last_fraction(scheme), s->winds.velocity, count, &rows,
                      &left, s->def.threads);
    uint32_t *list = NULL;
    int64_t listed = list_rows(s, blocks, left.outside, left.outside_count, &list);
    if (listed)
        move_listed(s, scheme, dt, work, listed, list);
    if (!left.near_cell)
        return;
    listed = list_rows(s, blocks, left.beside, left.beside_count, &list);
    if (listed)
        move_beside_walls(s, scheme, dt, work, start, listed, list);
}

void vti_move_tracers(vt_simulation *s, const vt_scheme *scheme, double dt, const float *start,
                      const vt_tracer_substep *work)
{
    if (s->tracers.set.count == 0)
        return;
    const size_t mark = vti_arena_mark(&s->arena);
    const vt_passive rows = vti_passive_tracers(s, 1);
    if (rows.forced)
        vti_move_passive(s, dt, &rows);
    else if (s->fields_exist && !work->last)
        move_on_grid(s, scheme, dt, start, work);
    else
        move_all(s, scheme, dt, work);
    vti_arena_pop(&s->arena, mark);
}

/* ---- order ---- */

enum { TILE = 8, TILED_AT_ONCE = 8192, SAMPLES = 4096 };

/* Where tiles of the grid lie, for positions in metres. */
typedef struct tiling {
    float scale, base[3]; /* tile = position x scale + base */
    int32_t tiles[3];
} tiling;

static tiling make_tiling(const vt_grid *grid)
{
    tiling t = {.scale = (float)(1.0 / (TILE * grid->spacing))};
    for (int a = 0; a < 3; a++) {
        t.base[a] = -(float)grid->base[a] * (1.0f / TILE);
        t.tiles[a] = (grid->cells[a] + TILE - 1) / TILE;
    }
    return t;
}

/* The tile of a point; of the nearest tile for those outside the grid. */
static inline uint32_t tile_of(const tiling *t, const float position[3])
{
    int32_t tile[3];
    for (int a = 0; a < 3; a++) {
        const float at = position[a] * t->scale + t->base[a];
        const int32_t last = t->tiles[a] - 1;
        tile[a] = !(at > 0) ? 0 : at >= (float)last ? last : (int32_t)at;
    }
    return (uint32_t)((tile[2] * t->tiles[1] + tile[1]) * t->tiles[0] + tile[0]);
}

/* Sorting moves every column, which pays only once most neighbours have parted: looked at by
 * samples. */
static int is_in_order(const tiling *t, int64_t count, const float *position)
{
    const int64_t apart = 1 + count / SAMPLES;
    int64_t samples = 0, strays = 0;
    for (int64_t i = 0; i + 1 < count; i += apart) {
        strays += tile_of(t, position + 3 * i) != tile_of(t, position + 3 * (i + 1));
        samples++;
    }
    return 4 * strays <= 3 * samples;
}

typedef struct tile_job {
    tiling tiling;
    const float *position;
    uint32_t *tile;
} tile_job;

static void find_tiles(void *data, int64_t begin, int64_t end)
{
    const tile_job *const job = data;
    for (int64_t i = begin; i < end; i++)
        job->tile[i] = tile_of(&job->tiling, job->position + 3 * i);
}

void vti_sort_tracers(vt_simulation *s)
{
    const int64_t count = s->tracers.set.count;
    const int threads = s->def.threads;
    tile_job job = {.tiling = make_tiling(&s->grid), .position = s->tracers.position};
    if (is_in_order(&job.tiling, count, job.position))
        return;
    const size_t mark = vti_arena_mark(&s->arena);
    const int32_t *const n = job.tiling.tiles;
    const int64_t tiles = (int64_t)n[0] * n[1] * n[2];
    uint32_t *const order = vti_arena_push(&s->arena, 4 * (size_t)count);
    const size_t mark_of_tiles = vti_arena_mark(&s->arena);
    uint32_t *const start = vti_arena_push(&s->arena, 4 * (size_t)(tiles + 1));
    job.tile = vti_arena_push(&s->arena, 4 * (size_t)count);
    vti_parallel_for(threads, count, TILED_AT_ONCE, find_tiles, &job);
    vti_counting_sort(job.tile, count, tiles, start, order, &s->arena, threads);
    vti_arena_pop(&s->arena, mark_of_tiles);
    vti_permute_set(&s->tracers.set, order, count, &s->arena, threads);
    vti_arena_pop(&s->arena, mark);
}
