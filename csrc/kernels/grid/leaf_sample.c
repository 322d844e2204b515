#include "kernels/grid/leaf_sample.h"

enum {
    SIDE = VT_SAMPLED_SIDE,
    MOST = 12,     /* nodes along an axis for which it pays */
    ROW = 4 * MOST /* floats of a row of nodes, a multiple of VT_LANES */
};
_Static_assert(ROW % VT_LANES == 0, "rows are whole vectors");

/* Of the points along an axis: their first nodes and weights. */
typedef struct axis_splines {
    int32_t first, nodes; /* of all of them */
    int32_t from[SIDE];   /* after the first of all */
    float weight[SIDE][3];
} axis_splines;

static int find_splines(const vt_grid *grid, int axis, double low, double step, axis_splines *a)
{
    if (!(low >= 0.5 && low + (SIDE - 1) * step < grid->cells[axis] - 0.5))
        return 0;
    for (int n = 0; n < SIDE; n++) {
        const double at = low + n * step;
        const int32_t near = (int32_t)(at + 0.5);
        const double d = at - near;
        if (n == 0)
            a->first = near - 1;
        a->from[n] = near - 1 - a->first;
        a->weight[n][0] = (float)(0.5 * (0.5 - d) * (0.5 - d));
        a->weight[n][1] = (float)(0.75 - d * d);
        a->weight[n][2] = (float)(0.5 * (0.5 + d) * (0.5 + d));
    }
    a->nodes = a->from[SIDE - 1] + 3;
    return a->nodes <= MOST;
}

/* Sums three rows of `floats` floats, rounded up to whole vectors. */
VT_INLINE void sum_rows(const float weight[3], const float *row, int64_t pitch, int floats,
                        float *sum)
{
    const vf w[3] = {vf_set(weight[0]), vf_set(weight[1]), vf_set(weight[2])};
    for (int i = 0; i < floats; i += VL) {
        const vf two = vf_fma(w[1], vf_load(row + pitch + i), w[0] * vf_load(row + i));
        vf_store(sum + i, vf_fma(w[2], vf_load(row + 2 * pitch + i), two));
    }
}

int VT_NAME(sample_leaf)(const vt_grid *grid, const double low[3], double step, const float more[3],
                         float *values)
{
    axis_splines a[3];
    float along_z[SIDE][MOST][ROW] __attribute__((aligned(64)));
    float along_y[SIDE][SIDE][ROW] __attribute__((aligned(64)));
    for (int axis = 0; axis < 3; axis++)
        if (!find_splines(grid, axis, low[axis], step, &a[axis]))
            return 0;
    const int floats = 4 * a[0].nodes;
    const int64_t row = 4 * grid->node_row, plane = 4 * grid->node_plane;
    const float *const first =
        (const float *)grid->nodes + a[2].first * plane + a[1].first * row + 4 * a[0].first;
    for (int z = 0; z < SIDE; z++)
        for (int j = 0; j < a[1].nodes; j++)
            sum_rows(a[2].weight[z], first + a[2].from[z] * plane + j * row, plane, floats,
                     along_z[z][j]);
    for (int z = 0; z < SIDE; z++)
        for (int y = 0; y < SIDE; y++)
            sum_rows(a[1].weight[y], along_z[z][a[1].from[y]], ROW, floats, along_y[z][y]);
    const f4 plus = {more[0], more[1], more[2], 0};
    for (int x = 0; x < SIDE; x++) {
        const float *const weight = a[0].weight[x];
        const f4 w[3] = {f4_set(weight[0]), f4_set(weight[1]), f4_set(weight[2])};
        for (int y = 0; y < SIDE; y++)
            for (int z = 0; z < SIDE; z++) {
                const float *const at = along_y[z][y] + 4 * a[0].from[x];
                const f4 two = f4_fma(w[1], f4_load(at + 4), w[0] * f4_load(at));
                const f4 u = f4_fma(w[2], f4_load(at + 8), two) + plus;
                memcpy(values + 3 * ((x * SIDE + y) * SIDE + z), &u, 3 * sizeof *values);
            }
    }
    return 1;
}
