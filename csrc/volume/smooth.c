#include "volume/smooth.h"

#include <string.h>

#include "base/parallel.h"
#include "kernels/dispatch.h"

typedef struct smoothing {
    const vt_stage_table *stages;
    const vt_leaves *hat;
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

static void filter_leaf(void *context, int64_t row)
{
    const smoothing *const s = context;
    float window[WINDOW][WINDOW][WINDOW];
    gather_window(s->hat, s->keys[row], window);
    s->stages->filter_leaf((const float (*)[WINDOW][WINDOW])window, s->taps, s->add,
                           s->values + row * VT_LEAF_VOXELS);
}

/* One pass of b, 1 - 2 b, b has variance 2 b; it is positive up to variance 1/2, two of it up to 1.
 * The variance is exact, and more cannot be seen of a Gaussian. */
static int passes_of(double variance)
{
    return variance <= 0.1 ? 1 : 2;
}

static void smooth_values(const vt_leaves *hat, double variance, int threads,
                          const vt_leaves *smoothed, _Bool add, float *values)
{
    const int passes = passes_of(variance);
    const double b = variance / (2.0 * passes), centre = 1.0 - 2.0 * b;
    smoothing s = {
        .stages = vti_stages(), .hat = hat, .keys = smoothed->keys, .values = values, .add = add};
    s.taps[0] = (float)(passes == 1 ? centre : centre * centre + 2.0 * b * b);
    s.taps[1] = (float)(passes == 1 ? b : 2.0 * b * centre);
    s.taps[2] = (float)(passes == 1 ? 0.0 : b * b);
    vti_parallel_each(threads, smoothed->count, 16, filter_leaf, &s);
}

void vti_smooth_values(const vt_leaves *hat, double variance, int threads,
                       const vt_leaves *smoothed, float *values)
{
    smooth_values(hat, variance, threads, smoothed, 0, values);
}

void vti_add_smoothed_values(const vt_leaves *hat, double variance, int threads,
                             const vt_leaves *smoothed, float *values)
{
    smooth_values(hat, variance, threads, smoothed, 1, values);
}

vt_status vti_smooth_leaves(const vt_leaves *hat, double variance, int threads, vt_leaves *density)
{
    const vt_status status = vti_dilate_leaves(hat, passes_of(variance), 1, threads, density);
    if (status == VT_OK)
        vti_smooth_values(hat, variance, threads, density, density->values);
    return status;
}
