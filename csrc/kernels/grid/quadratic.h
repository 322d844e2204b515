/* Sampling with quadratic B-splines over 27 nodes, whose gradient is continuous, of grids of fourth
 * order: their nodes hold the coefficients of the splines (kernels/grid/filter_taps.h). (Hockney
 * and Eastwood, Computer Simulation Using Particles, 1988, chapter 5.) */
#pragma once

#include "kernels/grid/mirror.h"
#include "kernels/grid/trilinear.h"

/* Three floats each of the weights of the nodes before, at and after the nearest one, at VL points
 * along an axis, and their slopes. */
typedef struct vt_spline_weights {
    float weight[3][VL], slope[3][VL];
} __attribute__((aligned(64))) vt_spline_weights;

typedef struct vt_spline_cells {
    int32_t node[VL]; /* the nearest, less one along each axis */
    vt_spline_weights along[3];
    int32_t any_beyond;    /* whether any of the nodes of any point lie behind a wall */
    int32_t beyond[VL];    /* of which points they do; only where any do */
    int32_t before[3][VL]; /* the nearest, less one, along each axis; likewise */
} __attribute__((aligned(64))) vt_spline_cells;

/* Where VL points of a box of so many cells lie, in cells; those within half a cell of a face are
 * extrapolated to, beside walls they take nodes of the image behind it. */
VT_INLINE void vti_find_spline_cells(vt_spline_cells *c, const vt_grid *grid, const vf position[3])
{
    const int32_t pitch[3] = {1, (int32_t)grid->node_row, (int32_t)grid->node_plane};
    const vf half = vf_set(0.5f), least = vf_set(grid->walled ? 0 : 1.0f);
    vi node = vi_set(0), beyond = vi_set(0);
    for (int a = 0; a < 3; a++) {
        const int32_t last = grid->cells[a];
        const vf most = vf_set((float)last) - least;
        const vf near = vf_max(least, vf_min(position[a] + half, most));
        const vi before = vf_truncate(near) - vi_set(1);
        if (grid->walled) {
            vi_store(c->before[a], before);
            beyond |= (before < vi_set(0)) | (before > vi_set(last - 2));
        }
        const vf d = position[a] - vi_to_vf(before) - vf_set(1.0f);
        const vf low = half - d, high = half + d;
        node = node + before * vi_set(pitch[a]);
        vf_store(c->along[a].weight[0], half * low * low);
        vf_store(c->along[a].weight[1], vf_set(0.75f) - d * d);
        vf_store(c->along[a].weight[2], half * high * high);
        vf_store(c->along[a].slope[0], -low);
        vf_store(c->along[a].slope[1], -(d + d));
        vf_store(c->along[a].slope[2], high);
    }
    vi_store(c->node, node);
    c->any_beyond = grid->walled && vi_any(beyond);
    if (c->any_beyond)
        vi_store(c->beyond, beyond);
}

/* The nodes around point l of a room, in whose walls or beside them it lies: those behind walls are
 * images, whose velocity across is turned round, and whose fourth float is odd along all axes. */
static __attribute__((noinline)) void
vti_fill_mirrored(const vt_grid *grid, const vt_spline_cells *c, int l, f4 around[27])
{
    for (int n = 0; n < 27; n++) {
        const int32_t step[3] = {n % 3, n / 3 % 3, n / 9};
        int64_t node[3];
        f4 sign = f4_set(1);
        for (int a = 0; a < 3; a++) {
            const int64_t at = c->before[a][l] + step[a];
            f4 turned = {1, 1, 1, -1};
            turned[a] = -1;
            node[a] = vti_mirrored(at, grid->cells[a]);
            if (node[a] != at)
                sign *= turned;
        }
        around[n] =
            sign * grid->nodes[node[2] * grid->node_plane + node[1] * grid->node_row + node[0]];
    }
}

/* Where the 27 nodes around a point begin, and how far their rows and planes lie apart: in bytes,
 * which the processor adds by itself. */
typedef struct vt_spline_nodes {
    const char *first;
    int64_t row, plane;
} vt_spline_nodes;

/* Of point l; beyond: whether any of the points lies beside a wall, for which `around` is filled.
 */
VT_INLINE vt_spline_nodes vti_find_spline_nodes(const vt_grid *grid, const vt_spline_cells *c,
                                                int l, int beyond, f4 around[27])
{
    const int64_t node = sizeof(f4);
    if (beyond && c->beyond[l]) {
        vti_fill_mirrored(grid, c, l, around);
        return (vt_spline_nodes){(const char *)around, 3 * node, 9 * node};
    }
    return (vt_spline_nodes){(const char *)(grid->nodes + (uint32_t)c->node[l]),
                             node * grid->node_row, node * grid->node_plane};
}

/* The four floats of the nodes around point l, and their slopes along each axis, per cell. */
typedef struct vt_spline_sample {
    f4 value, slope[3];
} vt_spline_sample;

/* The four floats alone. */
VT_INLINE f4 vti_sample_spline_value(const vt_grid *grid, const vt_spline_cells *c, int l,
                                     int beyond)
{
    f4 around[27];
    const vt_spline_nodes nodes = vti_find_spline_nodes(grid, c, l, beyond, around);
    f8 pair = f8_set(0); /* the first two nodes along x */
    f4 last = f4_set(0); /* and the third */
#pragma GCC unroll 3
    for (int k = 0; k < 3; k++) {
        const char *const plane = nodes.first + k * nodes.plane;
        f8 two = f8_set(0);
        f4 one = f4_set(0);
#pragma GCC unroll 3
        for (int j = 0; j < 3; j++) {
            const char *const row = plane + j * nodes.row;
            const float w = c->along[1].weight[j][l];
            two = f8_fma(f8_set(w), f8_load(row), two);
            one = f4_fma(f4_set(w), f4_load(row + sizeof(f8)), one);
        }
        const float w = c->along[2].weight[k][l];
        pair = f8_fma(f8_set(w), two, pair);
        last = f4_fma(f4_set(w), one, last);
    }
    const vt_spline_weights *const x = &c->along[0];
    const f4 two =
        f4_fma(f4_set(x->weight[1][l]), f8_high(pair), f4_set(x->weight[0][l]) * f8_low(pair));
    return f4_fma(f4_set(x->weight[2][l]), last, two);
}

VT_INLINE vt_spline_sample vti_sample_spline(const vt_grid *grid, const vt_spline_cells *c, int l,
                                             int beyond)
{
    f4 around[27];
    const vt_spline_nodes nodes = vti_find_spline_nodes(grid, c, l, beyond, around);
    f8 pair = f8_set(0), pair_y = pair, pair_z = pair; /* the first two nodes along x */
    f4 last = f4_set(0), last_y = last, last_z = last; /* and the third */
#pragma GCC unroll 3
    for (int k = 0; k < 3; k++) {
        const char *const plane = nodes.first + k * nodes.plane;
        f8 two = f8_set(0), two_y = two;
        f4 one = f4_set(0), one_y = one;
#pragma GCC unroll 3
        for (int j = 0; j < 3; j++) {
            const char *const row = plane + j * nodes.row;
            const float w = c->along[1].weight[j][l], dw = c->along[1].slope[j][l];
            const f8 two_nodes = f8_load(row);
            const f4 node = f4_load(row + sizeof(f8));
            two = f8_fma(f8_set(w), two_nodes, two);
            two_y = f8_fma(f8_set(dw), two_nodes, two_y);
            one = f4_fma(f4_set(w), node, one);
            one_y = f4_fma(f4_set(dw), node, one_y);
        }
        const float w = c->along[2].weight[k][l], dw = c->along[2].slope[k][l];
        pair = f8_fma(f8_set(w), two, pair);
        pair_y = f8_fma(f8_set(w), two_y, pair_y);
        pair_z = f8_fma(f8_set(dw), two, pair_z);
        last = f4_fma(f4_set(w), one, last);
        last_y = f4_fma(f4_set(w), one_y, last_y);
        last_z = f4_fma(f4_set(dw), one, last_z);
    }
    const vt_spline_weights *const x = &c->along[0];
    const f4 w[3] = {f4_set(x->weight[0][l]), f4_set(x->weight[1][l]), f4_set(x->weight[2][l])};
    const f4 dw[3] = {f4_set(x->slope[0][l]), f4_set(x->slope[1][l]), f4_set(x->slope[2][l])};
#define ALONG_X(w, pair, last) f4_fma(w[2], last, f4_fma(w[1], f8_high(pair), w[0] * f8_low(pair)))
    return (vt_spline_sample){
        ALONG_X(w, pair, last),
        {ALONG_X(dw, pair, last), ALONG_X(w, pair_y, last_y), ALONG_X(w, pair_z, last_z)}};
#undef ALONG_X
}
