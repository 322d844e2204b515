/* How much of a rate a substep takes. */
#pragma once

#include "base/math_vector.h"
#include "base/simd.h"

/* 1 - exp(-rate x), x >= 0 */
VT_INLINE vf fraction(double rate, vf x)
{
    return vf_set(1.0f) - vf_exp(vf_set((float)-rate) * x);
}

/* The share of V grad div A that cleaning takes off a vorton about which volumes fill space so
 * often (step/volume_cover.h): off all of them together no more than diverges. */
VT_INLINE vf share_cleaned(double rate, vf x, vf cover)
{
    const vf share = fraction(rate, x);
    return share / vf_max(vf_set(1.0f), share * cover);
}
