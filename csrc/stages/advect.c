/* Motion of the tracers (part 6): midpoint rule with the velocity of the middle of the substep,
 *
 *   x_m = x + dt/2 u(x),   x' = x + dt u(x_m) + dt wind,
 *
 * in the frame that moves with the wind, where the grid stands still. Two half-blocks of VL tracers
 * are in flight: the indices of one are made while the nodes of the other are fetched. */
#include "stages/sampling.h"
#include "stages/stages.h"

enum { SAMPLE_BLOCK = 4096 };

typedef struct context {
    const vt_grid *grid;
    double dt;
    const double *wind;
    int64_t count;
    const vt_tracer_rows *rows;
    uint32_t *outside;
    int32_t *outside_count;
    const float *points;
    float *velocity;
    uint8_t *inside;
} context;

/* What all blocks of a call share, as vectors. */
typedef struct box {
    const f4 *nodes;
    int64_t row, plane;
    vf scale, base[3], most[3];
} box;

static inline box make_box(const vt_grid *grid)
{
    box b = {.nodes = grid->nodes, .row = grid->node_row, .plane = grid->node_plane};
    b.scale = vf_set((float)(1.0 / grid->spacing));
    for (int a = 0; a < 3; a++) {
        b.base[a] = vf_set(-(float)grid->base[a]);
        b.most[a] = vf_set((float)grid->cells[a]);
    }
    return b;
}

/* VL tracers under way: position, in metres and in cells, and where they lie in the grid. */
typedef struct flight {
    vf position[3], cell[3];
    vi inside;
    vt_cells cells;
} flight;

/* Cells of the points, clamped into the box so that any lane can be fetched. */
VT_INLINE void locate(const box *b, flight *f, const vf cell[3])
{
    vf clamped[3];
    vi inside = vi_set(-1);
    for (int a = 0; a < 3; a++) {
        inside &= (cell[a] >= (vf){0}) & (cell[a] <= b->most[a]);
        clamped[a] = vf_max(vf_min(cell[a], b->most[a]), (vf){0});
    }
    f->inside = inside;
    vt_find_cells(&f->cells, clamped[0], clamped[1], clamped[2], vi_set((int32_t)b->row),
                  vi_set((int32_t)b->plane));
}

VT_INLINE void depart(const box *b, flight *f, const float *rows)
{
    vt_load_rows(rows, f->position);
    for (int a = 0; a < 3; a++)
        f->cell[a] = vf_fma(f->position[a], b->scale, b->base[a]);
    locate(b, f, f->cell);
}

VT_INLINE void fetch(const box *b, const flight *f, vf u[4])
{
    f4 value[VL];
#pragma GCC unroll 16
    for (int l = 0; l < VL; l++)
        value[l] = vt_sample_node(b->nodes, b->row, b->plane, &f->cells, l);
    vt_nodes_to_lanes(value, u);
}

/* The second half of the way: from the velocity at the start to the cells of the midpoint. */
VT_INLINE void turn(const box *b, flight *f, const vf u[4], vf half)
{
    const vi started = f->inside;
    vf middle[3];
    for (int a = 0; a < 3; a++)
        middle[a] = vf_fma(u[a], half, f->cell[a]);
    locate(b, f, middle);
    f->inside &= started;
}

typedef struct run {
    const context *c;
    box b;
    vf dt, half, wind[3];
    int64_t end;
    int32_t left_out;
    uint32_t *outside;
} run;

/* Writes VL tracers back; those that the grid does not serve go on the list and stay. */
VT_INLINE void land(run *r, flight *f, const vf u[4], int64_t i)
{
    const vt_tracer_rows *const rows = r->c->rows;
    const vf age = vf_load(rows->age + i);
    const vf step = vf_max(vf_min(age + r->dt, r->dt), (vf){0});
    vf velocity[3], x[3];
    for (int a = 0; a < 3; a++) {
        velocity[a] = u[a] + r->wind[a];
        x[a] = vf_select(f->inside, vf_fma(velocity[a], step, f->position[a]), f->position[a]);
    }
    int32_t stays = 0;
    for (int l = 0; l < VL; l++)
        stays |= ~f->inside[l];
    if (stays)
        for (int l = 0; l < VL; l++)
            if (!f->inside[l])
                r->outside[r->left_out++] = (uint32_t)(i + l);
    vt_store_rows(rows->position + 3 * i, x);
    if (rows->velocity)
        vt_store_rows(rows->velocity + 3 * i, velocity);
    vf_store(rows->age + i, age + r->dt);
}

/* The rows past the last whole vector: a copy of them, padded, takes the same way. */
static void advect_rest(run *r, int64_t i)
{
    const vt_tracer_rows *const rows = r->c->rows;
    const int64_t left = r->end - i < VL ? r->end - i : VL;
    float position[3 * VL] = {0}, velocity[3 * VL], age[VL] = {0};
    memcpy(position, rows->position + 3 * i, 12 * (size_t)left);
    memcpy(age, rows->age + i, 4 * (size_t)left);
    for (int64_t l = left; l < VL; l++)
        memcpy(position + 3 * l, position, 12);
    const vt_tracer_rows copy = {position, rows->velocity ? velocity : NULL, age};
    uint32_t outside[VL];
    const context c = {.rows = &copy};
    run part = *r;
    part.c = &c;
    part.outside = outside;
    part.left_out = 0;
    flight f;
    vf u[4];
    depart(&r->b, &f, position);
    fetch(&r->b, &f, u);
    turn(&r->b, &f, u, r->half);
    fetch(&r->b, &f, u);
    land(&part, &f, u, 0);
    memcpy(rows->position + 3 * i, position, 12 * (size_t)left);
    memcpy(rows->age + i, age, 4 * (size_t)left);
    if (rows->velocity)
        memcpy(rows->velocity + 3 * i, velocity, 12 * (size_t)left);
    for (int32_t l = 0; l < part.left_out; l++)
        if (outside[l] < left)
            r->outside[r->left_out++] = (uint32_t)(i + outside[l]);
}

static void advect_block(void *data, int64_t begin, int64_t end, int thread)
{
    (void)thread;
    const context *const c = data;
    run r = {.c = c,
             .b = make_box(c->grid),
             .dt = vf_set((float)c->dt),
             .half = vf_set((float)(0.5 * c->dt / c->grid->spacing)),
             .end = end,
             .outside = c->outside + begin};
    for (int a = 0; a < 3; a++)
        r.wind[a] = vf_set((float)c->wind[a]);
    const float *const position = c->rows->position;
    flight first, second;
    vf u[4];
    int64_t i = begin;
    if (i + 2 * VL <= end) {
        depart(&r.b, &first, position + 3 * i);
        depart(&r.b, &second, position + 3 * (i + VL));
    }
    for (; i + 2 * VL <= end; i += 2 * VL) {
        const int more = i + 4 * VL <= end;
        fetch(&r.b, &first, u);
        turn(&r.b, &first, u, r.half);
        fetch(&r.b, &second, u);
        turn(&r.b, &second, u, r.half);
        fetch(&r.b, &first, u);
        land(&r, &first, u, i);
        if (more)
            depart(&r.b, &first, position + 3 * (i + 2 * VL));
        fetch(&r.b, &second, u);
        land(&r, &second, u, i + VL);
        if (more)
            depart(&r.b, &second, position + 3 * (i + 3 * VL));
    }
    for (; i < end; i += VL)
        advect_rest(&r, i);
    c->outside_count[begin / VT_ADVECT_BLOCK] = r.left_out;
}

void VT_NAME(advect)(const vt_grid *grid, double dt, const double *wind, int64_t count,
                     const vt_tracer_rows *rows, uint32_t *outside, int32_t *outside_count,
                     int threads)
{
    context c = {.grid = grid,
                 .dt = dt,
                 .wind = wind,
                 .count = count,
                 .rows = rows,
                 .outside = outside,
                 .outside_count = outside_count};
    vt_parallel_for(threads, count, VT_ADVECT_BLOCK, advect_block, &c);
}

static void sample_block(void *data, int64_t begin, int64_t end, int thread)
{
    (void)thread;
    const context *const c = data;
    const box b = make_box(c->grid);
    for (int64_t i = begin; i < end; i += VL) {
        const int64_t left = end - i < VL ? end - i : VL;
        float rows[3 * VL];
        for (int l = 0; l < VL; l++)
            memcpy(rows + 3 * l, c->points + 3 * (i + (l < left ? l : left - 1)), 12);
        flight f;
        vf u[4];
        depart(&b, &f, rows);
        fetch(&b, &f, u);
        vt_store_rows(rows, u);
        for (int l = 0; l < left; l++) {
            c->inside[i + l] = f.inside[l] != 0;
            if (f.inside[l])
                memcpy(c->velocity + 3 * (i + l), rows + 3 * l, 12);
        }
    }
}

void VT_NAME(sample)(const vt_grid *grid, int64_t count, const float *points, float *velocity,
                     uint8_t *inside, int threads)
{
    context c = {.grid = grid, .points = points, .velocity = velocity, .inside = inside};
    vt_parallel_for(threads, count, SAMPLE_BLOCK, sample_block, &c);
}
