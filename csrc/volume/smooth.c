#include "volume/smooth.h"

#include <string.h>

#include "base/parallel.h"
#include "kernels/dispatch.h"

typedef struct smoothing {
    const vt_stage_table *stages;
    const vt_leaves *hat;
    const vt_walled_voxels *walled; /* NULL: there are no walls */
    int passes;
    float share;          /* of the difference of two voxels that passes between them in a pass */
    float taps[3];        /* centre, 1 and 2 voxels off */
    const uint64_t *keys; /* of the leaves to fill */
    float *values;
    _Bool add;
} smoothing;

enum { MOST = VT_LEAF_FILTER_REACH, WINDOW = VT_LEAF_FILTER_WINDOW };

/* The deposit around a leaf, 2 voxels beyond its faces. */
static void gather_window(const vt_leaves *hat, uint64_t key, float window[WINDOW][WINDOW][WINDOW])
{
    static const int first[3] = {VT_LEAF_SIDE - MOST, 0, 0}, count[3] = {MOST, VT_LEAF_SIDE, MOST};
    static const int to[3] = {0, MOST, MOST + VT_LEAF_SIDE};
    const vt_neighbourhood around = vti_neighbours(key);
    memset(window, 0, sizeof(float) * WINDOW * WINDOW * WINDOW);
    for (int n = 0; n < 27; n++) {
        const int a = n / 9, b = n / 3 % 3, c = n % 3;
        const int64_t row = vti_leaf_row(hat, vti_neighbour(&around, a - 1, b - 1, c - 1));
        if (row < 0)
            continue;
        const float *const values = hat->values + row * VT_LEAF_VOXELS;
        for (int x = 0; x < count[a]; x++)
            for (int y = 0; y < count[b]; y++) {
                const float *const from = values + 64 * (first[a] + x) + 8 * (first[b] + y);
                float *const out = &window[to[a] + x][to[b] + y][to[c]];
                if (c == 1)
                    memcpy(out, from, VT_LEAF_SIDE * sizeof *out);
                else
                    memcpy(out, from + first[c], MOST * sizeof *out);
            }
    }
}

/* ---- beside walls ---- */

/* What passes between a voxel of the window and the next one along an axis, of their difference in
 * one pass; and whether any way there is shut. */
static int gather_shares(const vt_walled_voxels *walled, uint64_t key, float share,
                         float shares[3][WINDOW][WINDOW][WINDOW])
{
    const vt_neighbourhood around = vti_neighbours(key);
    const vt_walled_leaf *leaf[3][3][3];
    int any = 0;
    for (int n = 0; n < 27; n++) {
        const int a = n / 9, b = n / 3 % 3, c = n % 3;
        leaf[a][b][c] = vti_walled_leaf(walled, vti_neighbour(&around, a - 1, b - 1, c - 1));
        any |= leaf[a][b][c] != NULL;
    }
    for (int n = 0; n < WINDOW * WINDOW * WINDOW && any; n++) {
        const int x = n / WINDOW / WINDOW, y = n / WINDOW % WINDOW, z = n % WINDOW;
        const int i = x + VT_LEAF_SIDE - MOST, j = y + VT_LEAF_SIDE - MOST,
                  k = z + VT_LEAF_SIDE - MOST;
        const vt_walled_leaf *const at = leaf[i >> 3][j >> 3][k >> 3];
        const int ways = at ? at->ways[(i & 7) << 6 | (j & 7) << 3 | (k & 7)] : 0;
        for (int axis = 0; axis < 3; axis++)
            shares[axis][x][y][z] = ways >> axis & 1 ? 0.0f : share;
    }
    return any;
}

/* One pass along the axis on which the next voxel is `step` further: every voxel gives its
 * neighbours as much as they give it of what they have. What is wrong at the ends of the window
 * comes a voxel nearer to its middle in each pass. */
static void exchange(const float *share, int step, const float *from, float *to)
{
    enum { ALL = WINDOW * WINDOW * WINDOW };
    memcpy(to, from, ALL * sizeof *to);
    for (int i = step; i < ALL - step; i++)
        to[i] +=
            share[i] * (from[i + step] - from[i]) - share[i - step] * (from[i] - from[i - step]);
}

static void filter_beside_walls(const smoothing *s, float window[WINDOW][WINDOW][WINDOW],
                                float shares[3][WINDOW][WINDOW][WINDOW], float *values)
{
    static const int steps[3] = {WINDOW * WINDOW, WINDOW, 1};
    float other[WINDOW][WINDOW][WINDOW];
    float *from = &window[0][0][0], *to = &other[0][0][0];
    for (int n = 0; n < 3 * s->passes; n++) {
        exchange(&shares[n / s->passes][0][0][0], steps[n / s->passes], from, to);
        float *const filtered = to;
        to = from;
        from = filtered;
    }
    for (int n = 0; n < VT_LEAF_VOXELS; n++) {
        const int x = MOST + (n >> 6), y = MOST + (n >> 3 & 7), z = MOST + (n & 7);
        const float value = from[(x * WINDOW + y) * WINDOW + z];
        values[n] = s->add ? values[n] + value : value;
    }
}

/* ---- all leaves ---- */

static void filter_leaf(void *context, int64_t row)
{
    const smoothing *const s = context;
    float window[WINDOW][WINDOW][WINDOW], shares[3][WINDOW][WINDOW][WINDOW];
    float *const values = s->values + row * VT_LEAF_VOXELS;
    gather_window(s->hat, s->keys[row], window);
    if (s->walled && gather_shares(s->walled, s->keys[row], s->share, shares))
        filter_beside_walls(s, window, shares, values);
    else
        s->stages->filter_leaf((const float (*)[WINDOW][WINDOW])window, s->taps, s->add, values);
}

/* One pass of b, 1 - 2 b, b has variance 2 b; it is positive up to variance 1/2, two of it up to 1.
 * The variance is exact, and more cannot be seen of a Gaussian. */
static int passes_of(double variance)
{
    return variance <= 0.1 ? 1 : 2;
}

static void smooth_values(const vt_leaves *hat, const vt_walled_voxels *walled, double variance,
                          int threads, const vt_leaves *smoothed, _Bool add, float *values)
{
    const int passes = passes_of(variance);
    const double b = variance / (2.0 * passes), centre = 1.0 - 2.0 * b;
    smoothing s = {.stages = vti_stages(),
                   .hat = hat,
                   .walled = walled,
                   .passes = passes,
                   .share = (float)b,
                   .keys = smoothed->keys,
                   .values = values,
                   .add = add};
    s.taps[0] = (float)(passes == 1 ? centre : centre * centre + 2.0 * b * b);
    s.taps[1] = (float)(passes == 1 ? b : 2.0 * b * centre);
    s.taps[2] = (float)(passes == 1 ? 0.0 : b * b);
    vti_parallel_each(threads, smoothed->count, 16, filter_leaf, &s);
}

void vti_smooth_values(const vt_leaves *hat, const vt_walled_voxels *walled, double variance,
                       int threads, const vt_leaves *smoothed, float *values)
{
    smooth_values(hat, walled, variance, threads, smoothed, 0, values);
}

void vti_add_smoothed_values(const vt_leaves *hat, const vt_walled_voxels *walled, double variance,
                             int threads, const vt_leaves *smoothed, float *values)
{
    smooth_values(hat, walled, variance, threads, smoothed, 1, values);
}

vt_status vti_smooth_leaves(const vt_leaves *hat, const vt_walled_voxels *walled, double variance,
                            int threads, vt_leaves *density)
{
    const vt_status status = vti_dilate_leaves(hat, passes_of(variance), 1, threads, density);
    if (status == VT_OK)
        vti_smooth_values(hat, walled, variance, threads, density, density->values);
    return status;
}
