/* From the midpoint rule to the implicit one,
 *
 *   y = x + dt/2 u(y),   x' = x + dt u(y),
 *
 * which turns what turns on circles (the explicit rule lets an angle z a step grow outwards by
 * z^4 / 8) and keeps volumes, whatever the step. The explicit rule's middle y_0 is the start, and
 * one step of Newton's method the way from there: with r = x + dt/2 u(y_0) - y_0 and G = du/dx,
 *
 *   u = u(y_0) + G d,   (1 - dt/2 G) d = r.
 *
 * (Hairer, Lubich and Wanner, Geometric Numerical Integration, 2006, II.1 and VI.4.) */
#pragma once

#include "base/simd.h"

/* Steps beyond which strain alone would carry a point away at once have no middle. */
#define VT_LEAST_DETERMINANT 0.25f

VT_INLINE void vti_cross_lanes(const vf a[3], const vf b[3], vf c[3])
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

/* What Newton's method is trusted with: a cell. */
VT_INLINE void vti_limit_residual(vf residual[3])
{
    const vf share = vf_set(1.0f) / vf_sqrt(vf_max(vf_dot(residual, residual), vf_set(1.0f)));
    for (int a = 0; a < 3; a++)
        residual[a] *= share;
}

/* Adds G d to the velocities of VL points; gradient: [i][j] = d u_j / d x_i; half: dt/2, in the
 * lengths of x and r for a unit of u. */
VT_INLINE void vti_towards_midpoint(vf gradient[3][3], vf half, const vf residual[3],
                                    vf velocity[3])
{
    vf column[3][3], across[3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            column[i][j] = vf_set(i == j) - half * gradient[i][j];
    vti_cross_lanes(column[1], column[2], across);
    const vf inverse =
        vf_set(1.0f) / vf_max(vf_dot(column[0], across), vf_set(VT_LEAST_DETERMINANT));
    for (int i = 0; i < 3; i++) {
        vti_cross_lanes(column[(i + 1) % 3], column[(i + 2) % 3], across);
        const vf d = vf_dot(residual, across) * inverse;
        for (int j = 0; j < 3; j++)
            velocity[j] = vf_fma(d, gradient[i][j], velocity[j]);
    }
}
