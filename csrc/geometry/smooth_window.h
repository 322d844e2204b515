/* A smooth window over a shape: 0 at its surface and outside, 1 deep inside. Its values come from
 * the inside of the shape on a grid: smoothed by box filters, cut at 1/2 (the surface) and eased;
 * between the nodes it is a cubic B-spline, so its gradient is smooth. */
#pragma once

#include "geometry/region.h"

/* Node (i, j, k) at origin + spacing (i, j, k), x fastest. */
typedef struct vt_smooth_window {
    double origin[3], spacing;
    int32_t nodes[3];
    float *value;
} vt_smooth_window;

/* The window rises over two thirds of an eddy (m), over more where the shape is so large that its
 * grid must be coarser. On failure there is nothing to destroy. */
vt_status vti_create_smooth_window(const vt_region *region, double eddy, vt_smooth_window *window);
void vti_destroy_smooth_window(vt_smooth_window *window);

double vti_smooth_window_at(const vt_smooth_window *window, const double point[3],
                            double gradient[3]);
