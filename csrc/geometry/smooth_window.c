/* The window of a cloud: 0 at the surface of its shape and outside, 1 deep inside. */
#include <string.h>

#include "geometry/smooth_window.h"

#include "base/math_double.h"
#include "base/memory.h"
#include "base/status.h"
#include "geometry/region_points.h"

/* Two box filters of 2 REACH + 1 nodes a side smooth the inside over 2 REACH nodes. */
enum { REACH = 2, MOST_NODES = 1 << 21 };

/* So the window falls over two thirds of an eddy. */
static const double nodes_an_eddy = 3 * REACH;

static int64_t node_count(const vt_smooth_window *w)
{
    return (int64_t)w->nodes[0] * w->nodes[1] * w->nodes[2];
}

/* ---- making ---- */

static void lay_out(const vt_region *region, double eddy, vt_smooth_window *w)
{
    double nodes[3], count;
    w->spacing = eddy / nodes_an_eddy;
    for (;; w->spacing *= 1.25) { /* coarser, until there are not too many nodes */
        count = 1.0;
        for (int c = 0; c < 3; c++) {
            const double extent = region->upper[c] - region->lower[c];
            nodes[c] = vti_floor(extent / w->spacing) + 1 + 2 * (2 * REACH + 2);
            count *= nodes[c];
        }
        if (count <= MOST_NODES)
            break;
    }
    for (int c = 0; c < 3; c++) {
        w->nodes[c] = (int32_t)nodes[c];
        w->origin[c] =
            0.5 * (region->lower[c] + region->upper[c]) - 0.5 * w->spacing * (w->nodes[c] - 1);
    }
}

static void mark_inside(const vt_region *region, vt_smooth_window *w)
{
    float *value = w->value;
    for (int32_t k = 0; k < w->nodes[2]; k++)
        for (int32_t j = 0; j < w->nodes[1]; j++)
            for (int32_t i = 0; i < w->nodes[0]; i++) {
                const float point[3] = {(float)(w->origin[0] + w->spacing * i),
                                        (float)(w->origin[1] + w->spacing * j),
                                        (float)(w->origin[2] + w->spacing * k)};
                *value++ = vti_region_contains(region, point) ? 1.0f : 0.0f;
            }
}

/* Box filter of 2 REACH + 1 nodes along one axis, from one array into another. */
static void filter_axis(const vt_smooth_window *w, int axis, const float *from, float *to)
{
    const int64_t stride = axis == 0   ? 1
                           : axis == 1 ? w->nodes[0]
                                       : (int64_t)w->nodes[0] * w->nodes[1];
    for (int64_t n = 0; n < node_count(w); n++) {
        const int64_t place = n / stride % w->nodes[axis];
        float sum = 0.0f;
        for (int64_t d = -REACH; d <= REACH; d++)
            if (place + d >= 0 && place + d < w->nodes[axis])
                sum += from[n + d * stride];
        to[n] = sum / (2 * REACH + 1);
    }
}

/* 0 up to the surface, where the smoothed inside is 1/2; then t^2 (3 - 2 t). */
static void ease(vt_smooth_window *w)
{
    for (int64_t n = 0; n < node_count(w); n++) {
        const float t = 2.0f * w->value[n] - 1.0f;
        w->value[n] = t > 0.0f ? t * t * (3.0f - 2.0f * t) : 0.0f;
    }
}

vt_status vti_create_smooth_window(const vt_region *region, double eddy, vt_smooth_window *w)
{
    lay_out(region, eddy, w);
    const size_t bytes = sizeof(float) * (size_t)node_count(w);
    float *other = vti_allocate(bytes);
    w->value = vti_allocate(bytes);
    if (!other || !w->value) {
        vti_free(other);
        vti_destroy_smooth_window(w);
        return vti_fail(VT_OUT_OF_MEMORY, "no memory for a cloud's window");
    }
    mark_inside(region, w);
    for (int pass = 0; pass < 6; pass++) {
        filter_axis(w, pass % 3, w->value, other);
        float *const swapped = w->value;
        w->value = other;
        other = swapped;
    }
    vti_free(other);
    ease(w);
    return VT_OK;
}

void vti_destroy_smooth_window(vt_smooth_window *w)
{
    vti_free(w->value);
    w->value = NULL;
}

/* ---- asking ---- */

/* Weights of the four nodes around a place 0 <= t < 1 between the middle two, and derivatives. */
static void spline_weights(double t, double weight[4], double slope[4])
{
    const double s = 1.0 - t;
    weight[0] = s * s * s / 6.0;
    weight[1] = (4.0 - 6.0 * t * t + 3.0 * t * t * t) / 6.0;
    weight[2] = (4.0 - 6.0 * s * s + 3.0 * s * s * s) / 6.0;
    weight[3] = t * t * t / 6.0;
    slope[0] = -0.5 * s * s;
    slope[1] = (-4.0 * t + 3.0 * t * t) / 2.0;
    slope[2] = (4.0 * s - 3.0 * s * s) / 2.0;
    slope[3] = 0.5 * t * t;
}

double vti_smooth_window_at(const vt_smooth_window *w, const double point[3], double gradient[3])
{
    double weight[3][4], slope[3][4], sum = 0.0;
    int64_t first[3];
    memset(gradient, 0, sizeof(double[3]));
    for (int c = 0; c < 3; c++) {
        const double place = (point[c] - w->origin[c]) / w->spacing, cell = vti_floor(place);
        if (!(cell >= 1.0 && cell <= w->nodes[c] - 3))
            return 0.0;
        first[c] = (int64_t)cell - 1;
        spline_weights(place - cell, weight[c], slope[c]);
    }
    for (int k = 0; k < 4; k++)
        for (int j = 0; j < 4; j++) {
            const float *const row =
                w->value + ((first[2] + k) * w->nodes[1] + first[1] + j) * w->nodes[0] + first[0];
            double value = 0.0, along = 0.0;
            for (int i = 0; i < 4; i++) {
                value += weight[0][i] * (double)row[i];
                along += slope[0][i] * (double)row[i];
            }
            sum += weight[2][k] * weight[1][j] * value;
            gradient[0] += weight[2][k] * weight[1][j] * along / w->spacing;
            gradient[1] += weight[2][k] * slope[1][j] * value / w->spacing;
            gradient[2] += slope[2][k] * weight[1][j] * value / w->spacing;
        }
    return sum;
}
