#include "tracers.h"

#include <math.h>
#include <string.h>

#include "core/parallel.h"
#include "field.h"
#include "passive.h"

/* ---- motion ---- */

void vt_make_tracer_work(vt_simulation *s, vt_tracer_work *work)
{
    work->count = s->tracers.set.count;
    work->first = vt_arena_push(&s->arena, 12 * (size_t)work->count);
    work->last = vt_arena_push(&s->arena, 12 * (size_t)work->count);
}

void vt_keep_tracer_rates(vt_simulation *s, double way, vt_tracer_work *work)
{
    if (!work->last || work->count == 0)
        return;
    const size_t bytes = 12 * (size_t)work->count, mark = vt_arena_mark(&s->arena);
    float *const x = memcpy(vt_arena_push(&s->arena, bytes), s->tracers.position, bytes);
    for (int64_t i = 0; way > 0 && i < 3 * work->count; i++)
        x[i] += (float)way * work->last[i];
    vt_velocity_of_points(s, work->count, x, work->last);
    if (!(way > 0))
        memcpy(work->first, work->last, bytes);
    vt_arena_pop(&s->arena, mark);
}

/* The rates of the stage before the last. Where none are kept the last field stands for all, as for
 * the newborn, who start in it. */
static void earlier_rates(vt_simulation *s, const vt_tracer_work *work, int64_t count,
                          const uint32_t *list, const float *x, float *u)
{
    if (!work->last) {
        vt_velocity_of_points(s, count, x, u);
        return;
    }
    memset(u, 0, 12 * (size_t)count);
    for (int64_t i = 0; i < count; i++)
        if (list[i] < work->count)
            memcpy(u + 3 * i, work->last + 3 * (int64_t)list[i], 12);
}

/* The velocity with which the listed rows move. */
static void find_velocity(vt_simulation *s, const vt_scheme *scheme, double dt,
                          const vt_tracer_work *work, int64_t count, const uint32_t *list, float *u)
{
    const size_t mark = vt_arena_mark(&s->arena);
    const float way = (float)(vt_last_reach(scheme) * dt), rest = (float)(1 - scheme->share);
    float *const x = vt_arena_push(&s->arena, 12 * (size_t)count);
    for (int64_t i = 0; i < count; i++)
        memcpy(x + 3 * i, s->tracers.position + 3 * (int64_t)list[i], 12);
    if (way > 0)
        earlier_rates(s, work, count, list, x, u);
    for (int64_t i = 0; way > 0 && i < 3 * count; i++)
        x[i] += way * u[i];
    vt_velocity_of_points(s, count, x, u);
    for (int64_t i = 0; rest > 0 && i < count; i++)
        for (int a = 0; a < 3 && list[i] < work->count; a++)
            u[3 * i + a] += rest * (work->first[3 * (int64_t)list[i] + a] - u[3 * i + a]);
    vt_arena_pop(&s->arena, mark);
}

static void move_listed(vt_simulation *s, const vt_scheme *scheme, double dt,
                        const vt_tracer_work *work, int64_t count, const uint32_t *list)
{
    vt_tracers *const t = &s->tracers;
    const size_t mark = vt_arena_mark(&s->arena);
    float *const u = vt_arena_push(&s->arena, 12 * (size_t)count);
    find_velocity(s, scheme, dt, work, count, list, u);
    for (int64_t i = 0; i < count; i++) {
        const int64_t row = list[i];
        /* age has moved on already: less than dt for those born inside the substep */
        const float step = fmaxf(fminf(t->age[row], (float)dt), 0);
        for (int a = 0; a < 3; a++) {
            const float velocity = u[3 * i + a] + (float)s->winds.velocity[a];
            t->position[3 * row + a] += step * velocity;
            if (t->set.used[VT_TRACER_velocity])
                t->velocity[3 * row + a] = velocity;
        }
    }
    vt_arena_pop(&s->arena, mark);
}

/* Without a grid, or with rates of earlier stages, all rows are listed. */
static void move_all_listed(vt_simulation *s, const vt_scheme *scheme, double dt,
                            const vt_tracer_work *work)
{
    const int64_t count = s->tracers.set.count;
    uint32_t *const list = vt_arena_push(&s->arena, 4 * (size_t)count);
    for (int64_t i = 0; i < count; i++) {
        list[i] = (uint32_t)i;
        s->tracers.age[i] += (float)dt;
    }
    move_listed(s, scheme, dt, work, count, list);
}

static void move_on_grid(vt_simulation *s, const vt_scheme *scheme, double dt,
                         const vt_tracer_work *work)
{
    vt_tracers *const t = &s->tracers;
    const int64_t count = t->set.count;
    const int64_t blocks = (count + VT_ADVECT_BLOCK - 1) / VT_ADVECT_BLOCK;
    const vt_tracer_rows rows = {t->position, t->set.used[VT_TRACER_velocity] ? t->velocity : NULL,
                                 t->age};
    uint32_t *const outside =
        vt_arena_push(&s->arena, sizeof *outside * (size_t)(blocks * VT_ADVECT_BLOCK));
    int32_t *const outside_count = vt_arena_push(&s->arena, sizeof *outside_count * (size_t)blocks);
    s->stages->advect(&s->grid, dt, vt_last_reach(scheme), s->winds.velocity, count, &rows, outside,
                      outside_count, s->def.threads);
    int64_t listed = 0;
    for (int64_t b = 0; b < blocks; b++) {
        memmove(outside + listed, outside + b * VT_ADVECT_BLOCK,
                sizeof *outside * (size_t)outside_count[b]);
        listed += outside_count[b];
    }
    if (listed)
        move_listed(s, scheme, dt, work, listed, outside);
}

static void move_under_forces(vt_simulation *s, double dt)
{
    const vt_passive rows = vt_passive_tracers(s, 1);
    vt_move_passive(s, dt, &rows);
}

void vt_move_tracers(vt_simulation *s, const vt_scheme *scheme, double dt,
                     const vt_tracer_work *work)
{
    if (s->tracers.set.count == 0)
        return;
    const size_t mark = vt_arena_mark(&s->arena);
    if (s->forces.count)
        move_under_forces(s, dt);
    else if (s->fields_exist && !work->last)
        move_on_grid(s, scheme, dt, work);
    else
        move_all_listed(s, scheme, dt, work);
    vt_arena_pop(&s->arena, mark);
}

/* ---- order ---- */

enum { TILE = 8, LEAST_BLOCK = 16384, MOST_BLOCKS = 16, SAMPLES = 4096 };

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
    int64_t tile_count, block;
    uint32_t *key, *offset, *order; /* offset: [block][tile] */
} tile_job;

static void count_block(void *data, int64_t begin, int64_t end, int thread)
{
    (void)thread;
    const tile_job job = *(const tile_job *)data;
    uint32_t *const count = job.offset + begin / job.block * job.tile_count;
    memset(count, 0, sizeof *count * (size_t)job.tile_count);
    for (int64_t i = begin; i < end; i++) {
        job.key[i] = tile_of(&job.tiling, job.position + 3 * i);
        count[job.key[i]]++;
    }
}

static void place_block(void *data, int64_t begin, int64_t end, int thread)
{
    (void)thread;
    const tile_job job = *(const tile_job *)data;
    uint32_t *const next = job.offset + begin / job.block * job.tile_count;
    for (int64_t i = begin; i < end; i++)
        job.order[next[job.key[i]]++] = (uint32_t)i;
}

/* Counts of (block, tile) become the place of the first row of each: tile by tile, in every tile
 * block by block. */
static void scan_counts(const tile_job *job, int64_t blocks)
{
    uint32_t sum = 0;
    for (int64_t tile = 0; tile < job->tile_count; tile++)
        for (int64_t b = 0; b < blocks; b++) {
            uint32_t *const offset = job->offset + b * job->tile_count + tile;
            const uint32_t count = *offset;
            *offset = sum;
            sum += count;
        }
}

void vt_sort_tracers(vt_simulation *s)
{
    const int64_t count = s->tracers.set.count;
    const int threads = s->def.threads;
    tile_job job = {.tiling = make_tiling(&s->grid), .position = s->tracers.position};
    if (is_in_order(&job.tiling, count, job.position))
        return;
    const size_t mark = vt_arena_mark(&s->arena);
    const int32_t *const tiles = job.tiling.tiles;
    job.tile_count = (int64_t)tiles[0] * tiles[1] * tiles[2];
    job.block = (count + MOST_BLOCKS - 1) / MOST_BLOCKS;
    job.block = job.block < LEAST_BLOCK ? LEAST_BLOCK : job.block;
    const int64_t blocks = (count + job.block - 1) / job.block;
    job.order = vt_arena_push(&s->arena, 4 * (size_t)count);
    const size_t mark_of_keys = vt_arena_mark(&s->arena);
    job.key = vt_arena_push(&s->arena, 4 * (size_t)count);
    job.offset = vt_arena_push(&s->arena, 4 * (size_t)(blocks * job.tile_count));
    vt_parallel_for(threads, count, job.block, count_block, &job);
    scan_counts(&job, blocks);
    vt_parallel_for(threads, count, job.block, place_block, &job);
    vt_arena_pop(&s->arena, mark_of_keys);
    vt_permute_set(&s->tracers.set, job.order, count, &s->arena, threads);
    vt_arena_pop(&s->arena, mark);
}
