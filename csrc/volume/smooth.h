/* Mass-preserving separable filter of a density in leaves. */
#pragma once

#include "volume/walled_voxels.h"

/* Filters the density of hat with a positive kernel of the variance (0 .. 1 voxels^2 along each
 * axis) and of sum 1, into empty leaves. Beside walls (NULL: there are none) what would pass a shut
 * way stays where it is; voxels that nothing reaches are not active. */
vt_status vti_smooth_leaves(const vt_leaves *hat, const vt_walled_voxels *walled, double variance,
                            int threads, vt_leaves *density);

/* The same for other values on the rows of hat, into values on the rows of smoothed, which
 * vti_smooth_leaves made of them. */
void vti_smooth_values(const vt_leaves *hat, const vt_walled_voxels *walled, double variance,
                       int threads, const vt_leaves *smoothed, float *values);

/* The same, added to the values. */
void vti_add_smoothed_values(const vt_leaves *hat, const vt_walled_voxels *walled, double variance,
                             int threads, const vt_leaves *smoothed, float *values);
