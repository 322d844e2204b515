/* Velocity far from the vortons: the curl of the multipole expansion of the vector potential, with
 * the moments that boundary left (kernels/sums/multipole_moments.h); and the gradient of that of
 * the scalar potential.
 *
 * With i = 1 / r and d from the centre of a cluster, the potential of component c of strength has
 * the gradient  i^3 D_c + 3 i^5 Q_c d + s_c d,
 *     s_c = -i^3 S_c - 3 i^5 D_c.d - 7.5 i^7 d.Q_c.d + 1.5 i^5 trace Q_c,
 * and the curl of the vector potential is the sum over c of gradient x unit vector c, by 4 pi. The
 * scalar potential has component 0 alone. */
#pragma once

#include "base/kernel.h"
#include "kernels/sums/multipole_moments.h"
#include "model/grid.h"

/* Velocity in m/s at points outside the grid (count x 3, m) from the moments. */
typedef void vt_far_velocity_kernel(const vt_grid *grid, const vt_moments *tree,
                                    double opening_angle, int64_t count, const float *points,
                                    float *velocity, int threads);
VT_DECLARE_KERNEL(far_velocity);

/* Adds grad phi at points outside the grid (count x 3, m) from the moments of minus the charges. */
typedef void vt_far_gradient_kernel(const vt_grid *grid, const vt_moments *tree,
                                    double opening_angle, int64_t count, const float *points,
                                    float *velocity, int threads);
VT_DECLARE_KERNEL(far_gradient);
