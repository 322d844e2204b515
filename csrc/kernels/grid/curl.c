#include "kernels/grid/curl.h"

#include "base/parallel.h"
#include "base/simd_rearrange.h"
#include "kernels/grid/mirror.h"

enum {
    BLOCK_NODES = 1024, /* nodes that a block has at least: about 1.3 us ... */
    MOST_BLOCKS = 64,   /* ... but there are not many more blocks than this */
    FAR = 3,            /* nodes on each side that differences of sixth order need */
    SLICE = 16 /* rows of a plane after which those of the next follow: seven planes of that
                  many stay in the cache */
};

typedef struct velocity_job {
    const vt_grid *grid;
    float scale; /* 1 / (2 h): differences over two cells are twice the slope */
} velocity_job;

/* Which neighbours a node has along an axis: three on each side, as differences of sixth order need
 * them, some of them images behind a wall; one; or it is on a face. */
typedef enum side { FAR_INSIDE, BY_IMAGES, INSIDE, LOW_FACE, HIGH_FACE } side;

typedef struct place {
    side at;
    int64_t index, cells;
} place;

static place place_of(const vt_grid *grid, int64_t index, int64_t cells)
{
    const int is_far = index >= FAR && index <= cells - FAR;
    const side ends = index == 0 ? LOW_FACE : index == cells ? HIGH_FACE : INSIDE;
    const side others = grid->fourth && grid->walled ? BY_IMAGES : ends;
    return (place){grid->fourth && is_far ? FAR_INSIDE : others, index, cells};
}

/* How a field goes on behind a face. */
typedef enum beyond { LINEAR, EVEN, ODD } beyond;

/* Twice the slope, of sixth order, from differences over two, four and six cells. */
VT_INLINE vf sixth_order(vf near, vf far, vf farthest)
{
    return vf_fma(vf_set(1.0f / 30), farthest, vf_fma(vf_set(-0.3f), far, vf_set(1.5f) * near));
}

/* The difference over 2 `step` nodes, images included. */
VT_INLINE vf difference(const float *f, int64_t stride, place p, int64_t step, beyond how)
{
    vf value[2];
    for (int after = 0; after < 2; after++) {
        const int64_t wanted = p.index + (after ? step : -step);
        const int64_t found = vti_mirrored(wanted, p.cells);
        value[after] = vf_load(f + (found - p.index) * stride);
        if (how == ODD && found != wanted)
            value[after] = -value[after];
    }
    return value[1] - value[0];
}

/* Twice the slope of f along the axis with this stride; on a face (extrapolated linearly) twice the
 * slope in the middle of the first cell, doubled, less that at the next node; at a
 * wall that of a mirror image. */
VT_INLINE vf slope(const float *f, int64_t stride, place p, beyond how)
{
    const side at = p.at;
    if (at <= INSIDE) {
        if (at == BY_IMAGES)
            return sixth_order(difference(f, stride, p, 1, how), difference(f, stride, p, 2, how),
                               difference(f, stride, p, 3, how));
        const vf near = vf_load(f + stride) - vf_load(f - stride);
        if (at == INSIDE)
            return near;
        return sixth_order(near, vf_load(f + 2 * stride) - vf_load(f - 2 * stride),
                           vf_load(f + 3 * stride) - vf_load(f - 3 * stride));
    }
    const int64_t inward = at == LOW_FACE ? stride : -stride;
    if (how == EVEN)
        return (vf){0};
    if (how == ODD)
        return (at == LOW_FACE ? 2.0f : -2.0f) * vf_load(f + inward);
    const vf here = vf_load(f);
    const vf in = 4.0f * (vf_load(f + inward) - here) - (vf_load(f + 2 * inward) - here);
    return at == LOW_FACE ? in : -in;
}

/* The value beyond the end of a row (end[0], end[inward] and so on) that makes the central
 * difference at the end the one-sided one of second order; behind a wall that of the image. */
static inline float ghost(const float *end, int64_t inward, beyond how)
{
    if (how != LINEAR)
        return how == EVEN ? end[inward] : -end[inward];
    return 3.0f * (end[0] - end[inward]) + end[2 * inward];
}

/* With the lane of node n, of the vector from node i on, replaced by a value. */
VT_INLINE vf put(vf v, int64_t n, int64_t i, float value)
{
    return vf_select(vi_lanes() == vi_set((int32_t)(n - i)), vf_set(value), v);
}

/* The difference over 2 `step` nodes along a row from node i on, near its ends: images behind walls
 * included; over two nodes behind other faces the ghosts that make one-sided differences. */
VT_INLINE vf difference_near_ends(const float *f, int64_t i, int64_t cells, int64_t step,
                                  beyond how)
{
    const int64_t missing = how != LINEAR ? step : step == 1;
    vf before = vf_load(f + i - step), after = vf_load(f + i + step);
    for (int64_t n = 0; n < missing && i == 0; n++) {
        const float low = how == LINEAR ? ghost(f, 1, LINEAR) : f[step - n];
        before = put(before, n, i, how == ODD ? -low : low);
    }
    for (int64_t n = 0; n < missing && i + VL > cells - missing; n++) {
        const float high = how == LINEAR ? ghost(f + cells, -1, LINEAR) : f[cells + n - step];
        after = put(after, cells - n, i, how == ODD ? -high : high);
    }
    return after - before;
}

static __attribute__((noinline)) vf fourth_near_ends(const float *f, int64_t i, int64_t cells,
                                                     beyond how)
{
    const vf near = difference_near_ends(f, i, cells, 1, how);
    const vi node = vi_lanes() + vi_set((int32_t)i);
    const vi is_far = (node >= vi_set(FAR)) & (node <= vi_set((int32_t)cells - FAR));
    const vf sixth = sixth_order(near, difference_near_ends(f, i, cells, 2, how),
                                 difference_near_ends(f, i, cells, 3, how));
    return how == LINEAR ? vf_select(is_far, sixth, near) : sixth;
}

/* Twice the slopes along a row from node i on, for grids of fourth order; at faces that are no
 * walls, and beside them, of second. */
VT_INLINE vf fourth_along(const float *f, int64_t i, int64_t cells, beyond how)
{
    if (i >= FAR && i + VL <= cells - FAR + 1)
        return slope(f + i, 1, (place){.at = FAR_INSIDE}, how);
    return fourth_near_ends(f, i, cells, how);
}

/* One row of nodes; f are the three components of the field there, and with `fields` 4 the scalar
 * potential. */
VT_INLINE void velocity_row(const velocity_job *job, const float *const f[4], int fields,
                            int fourth, float *nodes, place at_y, place at_z)
{
    const int64_t cells = job->grid->cells[0], row = job->grid->row, plane = job->grid->plane;
    const vf scale = vf_set(job->scale);
    const int walled = job->grid->walled;
    /* along its own axis a component is even, as is the scalar potential along all of them */
    const beyond own = walled ? EVEN : LINEAR, other = walled ? ODD : LINEAR;
    vf before[4], here[4];
    for (int c = 0; c < fields; c++) {
        before[c] = vf_set(ghost(f[c], 1, c == 1 || c == 2 ? other : own));
        here[c] = vf_load(f[c]);
    }
    for (int64_t i = 0; i <= cells; i += VL) {
        const int last = i + VL > cells;
        const float *const x = f[0] + i, *const y = f[1] + i, *const z = f[2] + i;
        vf along_x[4];
        for (int c = 0; c < fields && fourth; c++)
            along_x[c] = fourth_along(f[c], i, cells, c == 1 || c == 2 ? other : own);
        for (int c = 0; c < fields && !fourth; c++) {
            const vf after = vf_load(f[c] + i + VL);
            if (last) /* cells is even: node cells + 1 is in the same vector */
                here[c] = vf_select(vi_lanes() == vi_set((int32_t)(cells + 1 - i)),
                                    vf_set(ghost(f[c] + cells, -1, c == 1 || c == 2 ? other : own)),
                                    here[c]);
            along_x[c] = vf_ahead(here[c], after) - vf_behind(before[c], here[c]);
            before[c] = here[c];
            here[c] = after;
        }
        vf u[4];
        u[0] = (slope(z, row, at_y, other) - slope(y, plane, at_z, other)) * scale;
        u[1] = (slope(x, plane, at_z, other) - along_x[2]) * scale;
        u[2] = (along_x[1] - slope(x, row, at_y, other)) * scale;
        u[3] = (along_x[0] + slope(y, row, at_y, own) + slope(z, plane, at_z, own)) * scale;
        if (fields == 4) {
            u[0] += along_x[3] * scale;
            u[1] += slope(f[3] + i, row, at_y, own) * scale;
            u[2] += slope(f[3] + i, plane, at_z, own) * scale;
        }
        for (int n = 0; last && n < 4; n++)
            u[n] = vf_first(u[n], cells + 1 - i);
        vf_interleave(u);
        for (int n = 0; n < 4; n++) /* none past the row */
            if (!last || i + n * VL / 4 <= cells + 1)
                vf_store(nodes + 4 * i + n * VL, u[n]);
    }
}

static void velocity_of_row(void *context, int64_t r)
{
    const velocity_job *const job = context;
    const vt_grid *const grid = job->grid;
    const int64_t planes = grid->cells[2] + 1, in_slice = r % (SLICE * planes);
    const int64_t j = r / (SLICE * planes) * SLICE + in_slice % SLICE, k = in_slice / SLICE;
    if (j > grid->cells[1])
        return;
    const int64_t at = k * grid->plane + j * grid->row;
    const int fields = grid->has_potential ? 4 : 3;
    const float *f[4] = {NULL};
    for (int c = 0; c < fields; c++)
        f[c] = grid->field[c] + at;
    float *const nodes = (float *)(grid->nodes + k * grid->node_plane + j * grid->node_row);
    const place y = place_of(grid, j, grid->cells[1]), z = place_of(grid, k, grid->cells[2]);
    const place far_inside = {.at = FAR_INSIDE}, inside = {.at = INSIDE};
    /* Copies of the loop: the common ones without a choice in them. */
    const int both_far = y.at == FAR_INSIDE && z.at == FAR_INSIDE;
    if (both_far && fields == 3)
        velocity_row(job, f, 3, 1, nodes, far_inside, far_inside);
    else if (both_far)
        velocity_row(job, f, 4, 1, nodes, far_inside, far_inside);
    else if (grid->fourth)
        velocity_row(job, f, fields, 1, nodes, y, z);
    else if (y.at != INSIDE || z.at != INSIDE)
        velocity_row(job, f, fields, 0, nodes, y, z);
    else if (fields == 3)
        velocity_row(job, f, 3, 0, nodes, inside, inside);
    else
        velocity_row(job, f, 4, 0, nodes, inside, inside);
}

void VT_NAME(velocity)(vt_grid *grid, int threads)
{
    velocity_job job = {.grid = grid};
    job.scale = (float)(0.5 / grid->spacing);
    const int64_t slices = (grid->cells[1] + SLICE) / SLICE;
    const int64_t rows = slices * SLICE * (grid->cells[2] + 1);
    const int64_t least = 1 + BLOCK_NODES / (grid->cells[0] + 1), share = rows / MOST_BLOCKS;
    vti_parallel_each(threads, rows, share > least ? share : least, velocity_of_row, &job);
}
