#include "kernels/particles/advect_tracers.h"

#include "kernels/grid/quadratic.h"
#include "kernels/particles/join_looks.h"

enum {
    SAMPLE_BLOCK = 4096,
    AHEAD = 160, /* rows that are asked for before their turn */
    LINE = 16    /* floats in a line of the cache */
};

typedef struct context {
    const vt_grid *grid;
    double dt, reach;
    const double *wind;
    const vt_tracer_rows *rows;
    const vt_left_over *left;
    const float *points;
    float *velocity;
    uint8_t *inside;
    int between; /* the nodes around each point, without splines */
} context;

/* What all blocks of a call share, as vectors. */
typedef struct box {
    const f4 *nodes;
    int64_t row, plane;
    vf scale, base[3], most[3];
    int32_t walled;
    const vt_grid *splines; /* the grid where its nodes are sampled with splines, else NULL */
} box;

static inline box make_box(const vt_grid *grid)
{
    box b = {grid->nodes, grid->node_row, grid->node_plane, vf_set((float)(1.0 / grid->spacing)),
             {{0}},       {{0}},          grid->walled,     grid->fourth ? grid : NULL};
    for (int a = 0; a < 3; a++) {
        b.base[a] = vf_set(-(float)grid->base[a]);
        b.most[a] = vf_set((float)grid->cells[a]);
    }
    return b;
}

/* VL tracers under way: position, in metres and in cells, and where they lie in the grid. */
typedef struct flight {
    vf position[3], cell[3], inside[3]; /* inside: in the box */
    vi missed;                          /* lanes that have left the grid or lay outside: not 0 */
    vi beside;                          /* lanes that are near walls: not 0 */
    vt_cells cells;
} flight;

/* Clamps the points into the box, so that any lane can be fetched: those inside are what they were,
 * bit by bit. What is less than half a cell behind a wall belongs to it. */
VT_INLINE void locate(const box *b, flight *f, const vf cell[3])
{
    for (int a = 0; a < 3; a++) {
        f->inside[a] = vf_max((vf){0}, vf_min(cell[a], b->most[a]));
        const vi moved = (vi)cell[a] ^ (vi)f->inside[a];
        const vf by = cell[a] - f->inside[a];
        f->missed |= b->walled ? moved & ~(by * by <= vf_set(0.25f)) : moved;
    }
    vti_find_cells(&f->cells, f->inside[0], f->inside[1], f->inside[2], vi_set((int32_t)b->row),
                   vi_set((int32_t)b->plane));
}

VT_INLINE void depart(const box *b, flight *f, const float *rows)
{
    vti_load_rows(rows, f->position);
    for (int a = 0; a < 3; a++)
        f->cell[a] = vf_fma(f->position[a], b->scale, b->base[a]);
    f->missed = (vi){0};
    locate(b, f, f->cell);
}

static __attribute__((noinline)) void fetch_splines(const vt_grid *grid, const flight *f, vf u[4])
{
    vt_spline_cells cells;
    f4 value[VL];
    vti_find_spline_cells(&cells, grid, f->inside);
    if (__builtin_expect(cells.any_beyond, 0))
        for (int l = 0; l < VL; l++)
            value[l] = vti_sample_spline_value(grid, &cells, l, 1);
    else
#pragma GCC unroll 4
        for (int l = 0; l < VL; l++)
            value[l] = vti_sample_spline_value(grid, &cells, l, 0);
    vti_nodes_to_lanes(value, u);
}

/* Between the eight nodes around; with splines within spacing^2 / 8 of the second derivatives. */
VT_INLINE void fetch_between(const box *b, const flight *f, vf u[4])
{
    f8 pair[VL];
    vf unused[4];
#pragma GCC unroll 16
    for (int l = 0; l < VL; l++)
        pair[l] = vti_sample_around(b->nodes, b->row, b->plane, &f->cells, l).value;
    vti_sample_along(pair, &f->cells, u, unused);
}

VT_INLINE void fetch(const box *b, const flight *f, vf u[4])
{
    if (b->splines)
        fetch_splines(b->splines, f, u);
    else
        fetch_between(b, f, u);
}

/* Part of the way along the velocity at the start, in cells. */
VT_INLINE void turn(const box *b, flight *f, const vf u[4], vf part)
{
    vf middle[3];
    for (int a = 0; a < 3; a++)
        middle[a] = vf_fma(u[a], part, f->cell[a]);
    locate(b, f, middle);
}

/* What the vectors of one block share. */
typedef struct run {
    box b;
    vf dt, part, wind[3];
    int64_t begin, end;  /* the rows of the block */
    const uint8_t *near; /* cells near walls; NULL: there are none */
    /* bits of those that the grid does not serve, and of those that passed such a cell */
    uint8_t *outside, *beside;
    int32_t outside_count, beside_count;
} run;

/* Sets the bits of the lanes of a vector that are not 0; returns how many. */
static __attribute__((noinline)) int32_t mark(const run *r, vi lanes, int64_t row, uint8_t *bits)
{
    int32_t marked = 0;
    for (int l = 0; l < VL && row + l < r->end; l++)
        if (lanes[l]) {
            const int64_t bit = row + l - r->begin;
            bits[bit / 8] |= (uint8_t)(1 << bit % 8);
            marked++;
        }
    return marked;
}

/* Whether a wall may have something to say where the velocity is looked up. */
VT_INLINE void look_beside(const run *r, flight *f)
{
    int32_t found[VL];
    for (int l = 0; l < VL; l++)
        found[l] = r->near[(uint32_t)f->cells.node[l]];
    f->beside = vi_load(found);
}

/* Writes VL tracers back; those that the grid does not serve stay. */
VT_INLINE void land(run *r, const flight *f, const vf u[4], const vt_tracer_rows *rows, int64_t i,
                    int64_t row)
{
    const vf age = vf_load(rows->age + i) + r->dt;
    /* less than dt for a tracer born inside the substep */
    const vf step = vf_max(vf_min(age, r->dt), (vf){0});
    vf velocity[3], x[3];
    for (int a = 0; a < 3; a++) {
        velocity[a] = u[a] + r->wind[a];
        x[a] = vf_fma(velocity[a], step, f->position[a]);
    }
    if (vi_any(f->missed)) {
        for (int a = 0; a < 3; a++)
            x[a] = vf_select(f->missed == (vi){0}, x[a], f->position[a]);
        r->outside_count += mark(r, f->missed, row + i, r->outside);
    }
    if (r->near && vi_any(f->beside))
        r->beside_count += mark(r, (f->missed == (vi){0}) & f->beside, row + i, r->beside);
    vti_store_rows(rows->position + 3 * i, x);
    if (rows->velocity)
        vti_store_rows(rows->velocity + 3 * i, velocity);
    vf_store(rows->age + i, age);
}

/* Rows stream from memory, which the processor alone does not foresee in time. */
VT_INLINE void prefetch(const vt_tracer_rows *rows, int64_t i)
{
    for (int64_t line = 0; line < 6 * VL; line += LINE)
        __builtin_prefetch(rows->position + 3 * (i + AHEAD) + line);
    for (int64_t line = 0; line < 2 * VL; line += LINE)
        __builtin_prefetch(rows->age + i + AHEAD + line);
}

/* The velocity of the way, from three looks (kernels/particles/join_looks.h); u is that of the
 * first, between the eight nodes around. */
VT_INLINE void fetch_way(const run *r, flight *f, vf u[4])
{
    vf first[4], second[4];
    if (!(r->part[0] > 0)) { /* a scheme of one stage: still at the start */
        fetch(&r->b, f, u);
        return;
    }
    memcpy(first, u, sizeof first);
    fetch(&r->b, f, second);
    turn(&r->b, f, second, r->part);
    fetch(&r->b, f, u);
    vti_join_looks(first, second, u);
}

/* Moves count rows, a multiple of 2 VL; the first of them is row number `row`. */
static __attribute__((noinline)) void fly(run *r, vt_tracer_rows rows, int64_t count, int64_t row)
{
    const box *const b = &r->b;
    const float *const position = rows.position;
    flight first, second;
    vf u[4], v[4];
    depart(b, &first, position);
    depart(b, &second, position + 3 * VL);
    for (int64_t i = 0; i < count; i += 2 * VL) {
        const int more = i + 2 * VL < count;
        prefetch(&rows, i);
        fetch_between(b, &first, u);
        turn(b, &first, u, r->part);
        fetch_between(b, &second, v);
        turn(b, &second, v, r->part);
        if (r->near) {
            look_beside(r, &first);
            look_beside(r, &second);
        }
        fetch_way(r, &first, u);
        land(r, &first, u, &rows, i, row);
        if (more)
            depart(b, &first, position + 3 * (i + 2 * VL));
        fetch_way(r, &second, v);
        land(r, &second, v, &rows, i + VL, row);
        if (more)
            depart(b, &second, position + 3 * (i + 3 * VL));
    }
}

/* The rows past the last whole pair of vectors: a copy of them, padded, takes the same way. */
static void fly_rest(run *r, const vt_tracer_rows *rows, int64_t row)
{
    enum { ROOM = 2 * VL };
    const size_t left = (size_t)(r->end - row);
    float position[3 * ROOM], velocity[3 * ROOM], age[ROOM] = {0};
    for (size_t l = 0; l < ROOM; l++)
        memcpy(position + 3 * l, rows->position + 3 * (size_t)row + (l < left ? 3 * l : 0), 12);
    memcpy(age, rows->age + row, 4 * left);
    const vt_tracer_rows copy = {position, rows->velocity ? velocity : NULL, age};
    fly(r, copy, ROOM, row);
    memcpy(rows->position + 3 * row, position, 12 * left);
    memcpy(rows->age + row, age, 4 * left);
    if (rows->velocity)
        memcpy(rows->velocity + 3 * row, velocity, 12 * left);
}

static void advect_block(void *data, int64_t begin, int64_t end)
{
    const context *const c = data;
    run r = {.b = make_box(c->grid),
             .dt = vf_set((float)c->dt),
             .part = vf_set((float)(c->reach * c->dt / c->grid->spacing)),
             .begin = begin,
             .end = end,
             .near = c->left->near_cell,
             .outside = c->left->outside + begin / 8};
    memset(r.outside, 0, VT_ADVECT_BLOCK / 8);
    if (r.near) {
        r.beside = c->left->beside + begin / 8;
        memset(r.beside, 0, VT_ADVECT_BLOCK / 8);
    }
    for (int a = 0; a < 3; a++)
        r.wind[a] = vf_set((float)c->wind[a]);
    const vt_tracer_rows *const rows = c->rows;
    const vt_tracer_rows from = {rows->position + 3 * begin,
                                 rows->velocity ? rows->velocity + 3 * begin : NULL,
                                 rows->age + begin};
    const int64_t whole = (end - begin) / (2 * VL) * (2 * VL);
    if (whole)
        fly(&r, from, whole, begin);
    if (begin + whole < end)
        fly_rest(&r, rows, begin + whole);
    c->left->outside_count[begin / VT_ADVECT_BLOCK] = r.outside_count;
    if (r.near)
        c->left->beside_count[begin / VT_ADVECT_BLOCK] = r.beside_count;
}

void VT_NAME(advect)(const vt_grid *grid, double dt, double reach, const double *wind,
                     int64_t count, const vt_tracer_rows *rows, const vt_left_over *left,
                     int threads)
{
    context c = {.grid = grid, .dt = dt, .reach = reach, .wind = wind, .rows = rows, .left = left};
    vti_parallel_for(threads, count, VT_ADVECT_BLOCK, advect_block, &c);
}

/* Of VL points, or of the `left` that there are; the last of them is taken for the others. */
VT_INLINE void sample_some(const box *b, const float *points, int64_t left, float *velocity,
                           uint8_t *inside)
{
    float rows[3 * VL];
    flight f;
    vf u[4];
    for (int l = 0; l < VL && left < VL; l++)
        memcpy(rows + 3 * l, points + 3 * (l < left ? l : left - 1), 12);
    depart(b, &f, left < VL ? rows : points);
    fetch(b, &f, u);
    if (left == VL && !vi_any(f.missed)) {
        vti_store_rows(velocity, u);
        memset(inside, 1, VL);
        return;
    }
    vti_store_rows(rows, u);
    for (int l = 0; l < left; l++) {
        inside[l] = f.missed[l] == 0;
        if (!f.missed[l])
            memcpy(velocity + 3 * l, rows + 3 * l, 12);
    }
}

static void sample_block(void *data, int64_t begin, int64_t end)
{
    const context *const c = data;
    box b = make_box(c->grid);
    if (c->between)
        b.splines = NULL;
    for (int64_t i = begin; i < end; i += VL)
        sample_some(&b, c->points + 3 * i, end - i < VL ? end - i : VL, c->velocity + 3 * i,
                    c->inside + i);
}

void VT_NAME(sample)(const vt_grid *grid, int64_t count, const float *points, float *velocity,
                     uint8_t *inside, int threads)
{
    context c = {.grid = grid, .points = points, .velocity = velocity, .inside = inside};
    vti_parallel_for(threads, count, SAMPLE_BLOCK, sample_block, &c);
}

void VT_NAME(sample_between)(const vt_grid *grid, int64_t count, const float *points,
                             float *velocity, uint8_t *inside, int threads)
{
    context c = {
        .grid = grid, .points = points, .velocity = velocity, .inside = inside, .between = 1};
    vti_parallel_for(threads, count, SAMPLE_BLOCK, sample_block, &c);
}

/* ---- what the tracers take from the fluid ---- */

typedef struct take_context {
    const vt_grid *grid;
    int fields;
    const vt_taking *take;
    const vt_fluid *fluid;
    const float *points;
} take_context;

/* What `left` points take, which are rows from `row` on. */
VT_INLINE void take_fields(const take_context *c, const vt_fluid *fluid, box b, const flight *f,
                           int64_t row, int64_t left)
{
    const vf ambient = vti_ambient_of_lanes(fluid, f->position);
    for (int n = 0; n < c->fields; n++) {
        const vt_taking *const t = &c->take[n];
        vf value[4];
        b.nodes = t->nodes;
        b.splines = NULL;
        fetch(&b, f, value);
        for (int lane = 0; lane < 4 && t->column[lane]; lane++) {
            const vf here = vf_select(f->missed == (vi){0}, value[lane], (vf){0});
            const vf sum = t->warm[lane] ? ambient + here : here;
            if (left >= VL)
                vf_store(t->column[lane] + row, sum);
            else
                memcpy(t->column[lane] + row, &sum, 4 * (size_t)left);
        }
    }
}

VT_INLINE void prefetch_points(const float *rows)
{
    for (int64_t line = 0; line < 6 * VL; line += LINE)
        __builtin_prefetch(rows + 3 * AHEAD + line);
}

/* Rows from `begin` on, a multiple of 2 VL: the next points are located before the nodes around
 * those of now are fetched. */
static __attribute__((noinline)) void take_whole(const take_context *c, int64_t begin, int64_t end)
{
    const take_context own = *c; /* copies: stores cannot change them */
    const vt_fluid fluid = *c->fluid;
    const box b = make_box(c->grid);
    flight first, second;
    depart(&b, &first, own.points + 3 * begin);
    for (int64_t i = begin; i < end; i += 2 * VL) {
        const float *const rows = own.points + 3 * i;
        prefetch_points(rows);
        depart(&b, &second, rows + 3 * VL);
        take_fields(&own, &fluid, b, &first, i, VL);
        if (i + 2 * VL < end)
            depart(&b, &first, rows + 6 * VL);
        take_fields(&own, &fluid, b, &second, i + VL, VL);
    }
}

/* Fewer points than a vector has: a copy in which the last is repeated. */
static __attribute__((noinline)) void take_rest(const take_context *c, int64_t row, int64_t left)
{
    const box b = make_box(c->grid);
    float padded[3 * VL];
    flight f;
    for (int64_t l = 0; l < VL; l++)
        memcpy(padded + 3 * l, c->points + 3 * (row + (l < left ? l : left - 1)), 12);
    depart(&b, &f, padded);
    take_fields(c, c->fluid, b, &f, row, left);
}

static void take_block(void *data, int64_t begin, int64_t end)
{
    const take_context *const c = data;
    const int64_t whole = begin + (end - begin) / (2 * VL) * (2 * VL);
    if (begin < whole)
        take_whole(c, begin, whole);
    for (int64_t i = whole; i < end; i += VL)
        take_rest(c, i, end - i < VL ? end - i : VL);
}

void VT_NAME(take)(const vt_grid *grid, int fields, const vt_taking *take, const vt_fluid *fluid,
                   int64_t count, const float *points, int threads)
{
    take_context c = {grid, fields, take, fluid, points};
    vti_parallel_for(threads, count, VT_ADVECT_BLOCK, take_block, &c);
}
