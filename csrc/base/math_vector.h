/* Float functions of vectors for the kernels: explicit fma, no libm, the same bits on all targets.
 */
#pragma once

#include "base/simd.h"

/* e^x, relative error 1.0e-7 for -87 <= x <= 88; 0 below, e^88 above; NaN gives e^88. */
VT_INLINE vf vf_exp(vf x)
{
    const vf large = vf_set(0x1.8p23f);
    const vf inside = vf_max(vf_min(x, vf_set(88.0f)), vf_set(-87.0f));
    /* x = power ln 2 + r, |r| <= ln 2 / 2; the first part of ln 2 has 10 bits. */
    const vf power = vf_fma(inside, vf_set(1.44269504f), large) - large;
    vf r = vf_fma(power, vf_set(-0x1.63p-1f), inside);
    r = vf_fma(power, vf_set(2.12194440e-4f), r);
    /* (e^r - 1 - r) / r^2, near-minimax */
    vf sum = vf_fma(vf_set(1.39262034e-3f), r, vf_set(8.36319489e-3f));
    sum = vf_fma(sum, r, vf_set(4.16665545e-2f));
    sum = vf_fma(sum, r, vf_set(1.66665769e-1f));
    sum = vf_fma(sum, r, vf_set(5.0e-1f));
    const vf fraction = vf_fma(sum, r * r, r) + 1.0f;
    const vf scaled = fraction * (vf)((vf_truncate(power) + 127) << 23);
    return vf_select(x < -87.0f, vf_set(0.0f), scaled);
}

/* 1 / sqrt(x), relative error 7e-6; x > 0 and normal. */
VT_INLINE vf vf_rough_inverse_root(vf x)
{
    const vf guess = (vf)(0x5f3759df - ((vi)x >> 1)); /* to 3.4 % */
    const vf rest = vf_fma(x * guess, -guess, vf_set(1.0f));
    const vf sum = vf_fma(vf_fma(rest, vf_set(0.3125f), vf_set(0.375f)), rest, vf_set(0.5f));
    return vf_fma(guess * rest, sum, guess);
}

/* The same, relative error 2e-7. At 0 it is large, not infinite: x times it is the root there, too.
 * Faster than a root and a division. */
VT_INLINE vf vf_inverse_root(vf x)
{
    const vf near = vf_rough_inverse_root(x);
    return vf_fma(near * vf_fma(x * near, -near, vf_set(1.0f)), vf_set(0.5f), near);
}

/* ln x, relative error 1.2e-7 away from 1 and absolute 1e-7 near it; x > 0 and normal. */
VT_INLINE vf vf_log(vf x)
{
    /* x = 2^power m, sqrt(1/2) <= m < sqrt 2 */
    const vi bits = (vi)x - 0x3f3504f3;
    const vi power = bits >> 23;
    const vf m = (vf)((vi)x - (power << 23)) - 1.0f, square = m * m;
    /* (ln(1 + m) - m + m^2 / 2) / m^3, near-minimax (Cephes) */
    vf sum = vf_fma(vf_set(7.0376836292e-2f), m, vf_set(-1.1514610310e-1f));
    sum = vf_fma(sum, m, vf_set(1.1676998740e-1f));
    sum = vf_fma(sum, m, vf_set(-1.2420140846e-1f));
    sum = vf_fma(sum, m, vf_set(1.4249322787e-1f));
    sum = vf_fma(sum, m, vf_set(-1.6668057665e-1f));
    sum = vf_fma(sum, m, vf_set(2.0000714765e-1f));
    sum = vf_fma(sum, m, vf_set(-2.4999993993e-1f));
    sum = vf_fma(sum, m, vf_set(3.3333331174e-1f));
    const vf rest = vf_fma(sum * m, square, square * -0.5f);
    return vf_fma(vi_to_vf(power), vf_set(0.693147181f), m + rest);
}

/* Angle of the point (x, y) from the x axis, 0 .. pi, for y >= 0: error 2e-7; 0 at the origin. */
VT_INLINE vf vf_upper_angle(vf y, vf x)
{
    const vf wide = vf_max(x, -x), most = vf_max(wide, y), least = vf_min(wide, y);
    const vi beyond = least > most * 0.414213562f; /* of tan(pi / 8) */
    const vf above = vf_select(beyond, least - most, least);
    const vf below = vf_select(beyond, least + most, most);
    const vf t = above / vf_max(below, vf_set(1e-37f)), square = t * t;
    vf sum = vf_fma(vf_set(8.05374449538e-2f), square, vf_set(-1.38776856032e-1f));
    sum = vf_fma(sum, square, vf_set(1.99777106478e-1f));
    sum = vf_fma(sum, square, vf_set(-3.33329491539e-1f));
    vf angle = vf_fma(sum * square, t, t);
    angle = vf_select(beyond, angle + 0.785398163f, angle);
    angle = vf_select(y > wide, 1.57079633f - angle, angle);
    return vf_select(x < (vf){0}, 3.14159265f - angle, angle);
}
