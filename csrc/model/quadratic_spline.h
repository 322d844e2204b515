/* Quadratic B-splines at one place along an axis, in cells: what kernels/grid/quadratic.h does for
 * many. */
#pragma once

#include <stdint.h>

typedef struct vt_spline_place {
    int64_t first; /* the node before the nearest one that has neighbours on both sides */
    double weight[3], slope[3];
} vt_spline_place;

static inline vt_spline_place vti_spline_place(double at, int32_t cells)
{
    const double middle = at + 0.5;
    const double near = middle < 1 ? 1 : middle > cells - 1 ? cells - 1 : middle;
    vt_spline_place p = {.first = (int64_t)near - 1};
    const double d = at - (double)(p.first + 1), low = 0.5 - d, high = 0.5 + d;
    p.weight[0] = 0.5 * low * low;
    p.weight[1] = 0.75 - d * d;
    p.weight[2] = 0.5 * high * high;
    p.slope[0] = -low;
    p.slope[1] = -2 * d;
    p.slope[2] = high;
    return p;
}
