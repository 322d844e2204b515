#include "kernels/grid/curl.h"

#include "base/parallel.h"
#include "base/simd_rearrange.h"

enum {
    BLOCK_NODES = 1024, /* nodes that a block has at least: about 1.3 us ... */
    MOST_BLOCKS = 64    /* ... but there are not many more blocks than this */
};

typedef struct velocity_job {
    const vt_grid *grid;
    float scale; /* 1 / (2 h): differences over two cells are twice the slope */
} velocity_job;

/* Which neighbours a node has along an axis: two on each side, as differences of fourth order need
 * them, one, or it is on a face. */
typedef enum side { FAR_INSIDE, INSIDE, LOW_FACE, HIGH_FACE } side;

static side side_of(const vt_grid *grid, int64_t index, int64_t cells)
{
    if (index == 0 || index == cells)
        return index == 0 ? LOW_FACE : HIGH_FACE;
    return grid->fourth && index > 1 && index < cells - 1 ? FAR_INSIDE : INSIDE;
}

/* How a field goes on behind a face. */
typedef enum beyond { LINEAR, EVEN, ODD } beyond;

/* Twice the slope of f along the axis with this stride; on a face (extrapolated linearly) twice the
 * slope in the middle of the first cell, doubled, less that at the next node; at a
 * wall that of a mirror image. */
VT_INLINE vf slope(const float *f, int64_t stride, side at, beyond how)
{
    if (at <= INSIDE) {
        const vf near = vf_load(f + stride) - vf_load(f - stride);
        if (at == INSIDE)
            return near;
        const vf far = vf_load(f + 2 * stride) - vf_load(f - 2 * stride);
        return vf_fma(vf_set(-1.0f / 6), far, vf_set(4.0f / 3) * near);
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

/* Twice the slopes of fourth order along a row without walls, from node i on. */
VT_INLINE vf fourth_along(const float *f, int64_t i, int64_t cells)
{
    vf along = slope(f + i, 1, FAR_INSIDE, LINEAR);
    const int64_t ends[4] = {0, 1, cells - 1, cells};
    for (int e = 0; e < 4; e++) {
        const int64_t n = ends[e];
        if (n < i || n >= i + VL)
            continue;
        const float before = n == 0 ? ghost(f, 1, LINEAR) : f[n - 1];
        const float after = n == cells ? ghost(f + cells, -1, LINEAR) : f[n + 1];
        along[n - i] = after - before;
    }
    return along;
}

/* One row of nodes; f are the three components of the field there, and with `fields` 4 the scalar
 * potential. */
VT_INLINE void velocity_row(const velocity_job *job, const float *const f[4], int fields,
                            int fourth, float *nodes, side at_y, side at_z)
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
            along_x[c] = fourth_along(f[c], i, cells);
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
    const int64_t rows_in_plane = grid->cells[1] + 1;
    const int64_t j = r % rows_in_plane, k = r / rows_in_plane;
    const int64_t at = k * grid->plane + j * grid->row;
    const int fields = grid->has_potential ? 4 : 3;
    const float *f[4] = {NULL};
    for (int c = 0; c < fields; c++)
        f[c] = grid->field[c] + at;
    float *const nodes = (float *)(grid->nodes + k * grid->node_plane + j * grid->node_row);
    const side at_y = side_of(grid, j, grid->cells[1]), at_z = side_of(grid, k, grid->cells[2]);
    /* Copies of the loop: the common ones without a choice in them. */
    if (at_y == FAR_INSIDE && at_z == FAR_INSIDE && fields == 3)
        velocity_row(job, f, 3, 1, nodes, FAR_INSIDE, FAR_INSIDE);
    else if (grid->fourth)
        velocity_row(job, f, fields, 1, nodes, at_y, at_z);
    else if (at_y != INSIDE || at_z != INSIDE)
        velocity_row(job, f, fields, 0, nodes, at_y, at_z);
    else if (fields == 3)
        velocity_row(job, f, 3, 0, nodes, INSIDE, INSIDE);
    else
        velocity_row(job, f, 4, 0, nodes, INSIDE, INSIDE);
}

void VT_NAME(velocity)(vt_grid *grid, int threads)
{
    velocity_job job = {.grid = grid};
    job.scale = (float)(0.5 / grid->spacing);
    const int64_t rows = (int64_t)(grid->cells[1] + 1) * (grid->cells[2] + 1);
    const int64_t least = 1 + BLOCK_NODES / (grid->cells[0] + 1), share = rows / MOST_BLOCKS;
    vti_parallel_each(threads, rows, share > least ? share : least, velocity_of_row, &job);
}
