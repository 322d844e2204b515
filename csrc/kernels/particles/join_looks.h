/* The mean velocity of a way of dt seconds in a field that does not change, from three looks:
 *
 *   u_0 = u(x),   u_1 = u(x + dt/2 u_0),   u_2 = u(x + dt/2 u_1),   x' = x + dt u.
 *
 * Where the gradient g of the field does not change either, with w = g dt / 2,
 *
 *   u_1 - u_0 = w u_0,   u_2 - u_1 = w^2 u_0,   x' - x = (e^2w - 1) / 2w dt u_0,
 *
 * and in the two directions in which the velocity changes, where w^2 = p,
 *
 *   u = u_1 + (s^2 - 1) (u_1 - u_0) + (s c - 1) / p (u_2 - u_1),   s = sinh(w) / w,  c = cosh(w):
 *
 * both factors are series of p, which the two changes tell: with a + i b for w, a is how much of
 * the second lies along the first, a^2 + b^2 the ratio of their squares, and p = a^2 - b^2. What
 * turns stays on its circle, and goes round it in its time. |p| is at most 1, a turn by 2 rad. */
#pragma once

#include "base/kernel.h"
#include "base/simd.h"

enum { VT_LOOKS = 3 };

/* u_0, u_1 and u_2, in whose place comes u. */
VT_INLINE void vti_join_looks(const vf u0[3], const vf u1[3], vf u2[3])
{
    const vf one = vf_set(1.0f);
    vf first[3], second[3];
    for (int a = 0; a < 3; a++) {
        first[a] = u1[a] - u0[a];
        second[a] = u2[a] - u1[a];
    }
    const vf square = vf_max(vf_dot(first, first), vf_set(1e-30f));
    const vf along = vf_dot(first, second) / square, ratio = vf_dot(second, second) / square;
    const vf p = vf_max(vf_min(vf_fma(vf_set(2.0f) * along, along, -ratio), one), -one);
    vf share = vf_fma(p, vf_set(1.0f / 315), vf_set(2.0f / 45));
    share = p * vf_fma(p, share, vf_set(1.0f / 3));
    vf other = vf_fma(p, vf_set(4.0f / 315), vf_set(2.0f / 15));
    other = vf_fma(p, other, vf_set(2.0f / 3));
    for (int a = 0; a < 3; a++)
        u2[a] = vf_fma(share, first[a], vf_fma(other, second[a], u1[a]));
}

/* The same of rows, count x 3 each. */
typedef void vt_join_looks_kernel(int64_t count, const float *u0, const float *u1, float *u2,
                                  int threads);
VT_DECLARE_KERNEL(join_looks);
