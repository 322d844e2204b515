/* Float functions of vectors for the kernels: explicit fma, no libm, the same bits on all targets.
 */
#ifndef VORTON_CORE_MATHF_H
#define VORTON_CORE_MATHF_H

#include "core/simd.h"

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

#endif
