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
    int order;
} velocity_job;

/* Which neighbours a node has along an axis: two on each side, one, or it is on a face. */
typedef enum side { INSIDE, BESIDE, LOW_FACE, HIGH_FACE } side;

static side side_of(const velocity_job *job, int64_t index, int64_t cells)
{
    if (index == 0 || index == cells)
        return index == 0 ? LOW_FACE : HIGH_FACE;
    return index == 1 || index == cells - 1 || job->order == 2 ? BESIDE : INSIDE;
}

/* Twice the slope of f along the axis with this stride: of fourth order; beside a face of second;
 * on one (extrapolated linearly) twice the slope in the middle of the first cell, doubled, less
 * that at the next node. */
VT_INLINE vf slope(const float *f, int64_t stride, side at)
{
    if (at == INSIDE || at == BESIDE) {
        const vf near = vf_load(f + stride) - vf_load(f - stride);
        if (at == BESIDE)
            return near;
        const vf far = vf_load(f + 2 * stride) - vf_load(f - 2 * stride);
        return vf_fma(vf_set(4.0f / 3), near, vf_set(-1.0f / 6) * far);
    }
    const int64_t inward = at == LOW_FACE ? stride : -stride;
    const vf here = vf_load(f);
    const vf in = 4.0f * (vf_load(f + inward) - here) - (vf_load(f + 2 * inward) - here);
    return at == LOW_FACE ? in : -in;
}

/* The same at one node of a row, the ends of which are faces. */
static float slope_at_end(const float *f, int64_t index, int64_t cells)
{
    if (index == 1 || index == cells - 1)
        return f[index + 1] - f[index - 1];
    const int64_t inward = index == 0 ? 1 : -1;
    const float here = f[index];
    const float in = 4.0f * (f[index + inward] - here) - (f[index + 2 * inward] - here);
    return (float)inward * in;
}

/* Twice the slopes along a row from node i on. */
VT_INLINE vf slope_along(const float *f, int64_t i, int64_t cells, int order)
{
    const vf along = slope(f + i, 1, order == 2 ? BESIDE : INSIDE);
    if (i > 0 && i + VL < cells)
        return along;
    float patched[VL];
    vf_store(patched, along);
    for (int64_t n = 0; i == 0 && n < 2; n++)
        patched[n] = slope_at_end(f, n, cells);
    for (int64_t n = cells - 1 > i ? cells - 1 : i; n <= cells && n < i + VL; n++)
        patched[n - i] = slope_at_end(f, n, cells);
    return vf_load(patched);
}

/* One row of nodes; f are the three components of the field there, and with `fields` 4 the scalar
 * potential. */
VT_INLINE void velocity_row(const velocity_job *job, const float *const f[4], int fields, int order,
                            float *nodes, side at_y, side at_z)
{
    const int64_t cells = job->grid->cells[0], row = job->grid->row, plane = job->grid->plane;
    const vf scale = vf_set(job->scale);
    for (int64_t i = 0; i <= cells; i += VL) {
        const int last = i + VL > cells;
        const float *const x = f[0] + i, *const y = f[1] + i, *const z = f[2] + i;
        vf along_x[4], u[4];
        for (int c = 0; c < fields; c++)
            along_x[c] = slope_along(f[c], i, cells, c < 3 ? order : 2);
        u[0] = (slope(z, row, at_y) - slope(y, plane, at_z)) * scale;
        u[1] = (slope(x, plane, at_z) - along_x[2]) * scale;
        u[2] = (along_x[1] - slope(x, row, at_y)) * scale;
        u[3] = (along_x[0] + slope(y, row, at_y) + slope(z, plane, at_z)) * scale;
        if (fields == 4) {
            u[0] += along_x[3] * scale;
            u[1] += slope(f[3] + i, row, at_y == INSIDE ? BESIDE : at_y) * scale;
            u[2] += slope(f[3] + i, plane, at_z == INSIDE ? BESIDE : at_z) * scale;
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
    const side at_y = side_of(job, j, grid->cells[1]), at_z = side_of(job, k, grid->cells[2]);
    /* Copies of the loop: the common ones without a choice in them. */
    if (at_y != INSIDE || at_z != INSIDE)
        velocity_row(job, f, fields, job->order, nodes, at_y, at_z);
    else if (fields == 3)
        velocity_row(job, f, 3, 4, nodes, INSIDE, INSIDE);
    else
        velocity_row(job, f, 4, 4, nodes, INSIDE, INSIDE);
}

void VT_NAME(velocity)(vt_grid *grid, int order, int threads)
{
    velocity_job job = {.grid = grid, .order = order};
    job.scale = (float)(0.5 / grid->spacing);
    const int64_t rows = (int64_t)(grid->cells[1] + 1) * (grid->cells[2] + 1);
    const int64_t least = 1 + BLOCK_NODES / (grid->cells[0] + 1), share = rows / MOST_BLOCKS;
    vti_parallel_each(threads, rows, share > least ? share : least, velocity_of_row, &job);
}
