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

/* Along an axis, of the leaf before, the leaf itself and the next one: which voxels are in its
 * window, and where. */
static const int first[3] = {VT_LEAF_SIDE - MOST, 0, 0}, count[3] = {MOST, VT_LEAF_SIDE, MOST};
static const int to[3] = {0, MOST, MOST + VT_LEAF_SIDE};

/* The deposit around a leaf, 2 voxels beyond its faces. */
static void gather_window(const vt_leaves *hat, uint64_t key, float window[WINDOW][WINDOW][WINDOW])
{
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

enum { LINE = WINDOW, SLICE = WINDOW * WINDOW, ALL = WINDOW * WINDOW * WINDOW };

/* Ways of the voxels around a leaf that nothing passes; returns whether there are any. */
static int gather_ways(const vt_walled_voxels *walled, uint64_t key, uint8_t ways[ALL])
{
    const vt_neighbourhood around = vti_neighbours(key);
    int any = 0;
    memset(ways, 0, ALL);
    for (int n = 0; n < 27; n++) {
        const int a = n / 9, b = n / 3 % 3, c = n % 3;
        const vt_walled_leaf *const leaf =
            vti_walled_leaf(walled, vti_neighbour(&around, a - 1, b - 1, c - 1));
        for (int x = 0; x < count[a] && leaf; x++)
            for (int y = 0; y < count[b]; y++) {
                const uint8_t *const from =
                    leaf->ways + 64 * (first[a] + x) + 8 * (first[b] + y) + first[c];
                uint8_t *const out = ways + SLICE * (to[a] + x) + LINE * (to[b] + y) + to[c];
                for (int z = 0; z < count[c]; z++) {
                    out[z] = from[z] & VT_WAYS;
                    any |= out[z];
                }
            }
    }
    return any;
}

/* One pass along the axis on which the next voxel is `step` further: every voxel from `begin` on
 * gives its neighbours as much as they give it of what they have. What is wrong at the ends of the
 * window comes a voxel nearer to its middle in each pass. */
static void exchange(const float share[ALL], int step, int begin, const float *from, float *to)
{
    memcpy(to, from, ALL * sizeof *to);
    for (int i = begin; i < ALL - begin; i++)
        to[i] +=
            share[i] * (from[i + step] - from[i]) - share[i - step] * (from[i] - from[i - step]);
}

static void filter_beside_walls(const smoothing *s, float *window, const uint8_t ways[ALL],
                                float *values)
{
    static const int steps[3] = {SLICE, LINE, 1};
    float other[ALL], share[ALL];
    float *from = window, *next = other;
    for (int axis = 0; axis < 3; axis++) {
        const float passes[2] = {s->share, 0.0f};
        for (int i = 0; i < ALL; i++)
            share[i] = passes[ways[i] >> axis & 1];
        for (int pass = 0; pass < s->passes; pass++) {
            exchange(share, steps[axis], axis ? MOST * SLICE : SLICE, from, next);
            float *const filtered = next;
            next = from;
            from = filtered;
        }
    }
    for (int n = 0; n < VT_LEAF_VOXELS; n++) {
        const int x = MOST + (n >> 6), y = MOST + (n >> 3 & 7), z = MOST + (n & 7);
        const float value = from[SLICE * x + LINE * y + z];
        values[n] = s->add ? values[n] + value : value;
    }
}

/* ---- all leaves ---- */

static void filter_leaf(void *context, int64_t row)
{
    const smoothing *const s = context;
    float window[WINDOW][WINDOW][WINDOW], *const values = s->values + row * VT_LEAF_VOXELS;
    uint8_t ways[ALL];
    gather_window(s->hat, s->keys[row], window);
    if (s->walled && gather_ways(s->walled, s->keys[row], ways))
        filter_beside_walls(s, &window[0][0][0], ways, values);
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
