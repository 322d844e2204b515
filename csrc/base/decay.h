/* The exponential of previews and volumes. */
#pragma once

#include <stdint.h>
#include <string.h>

#include "base/simd.h"

/* e^x for x <= 0, relative error 2e-7; e^-87 below. Single precision, elementary operations only:
 * the pixels do not depend on a libm. */
VT_INLINE float vti_decay(float x)
{
    const float clamped = x > -87.0f ? x : -87.0f;
    const int32_t n = (int32_t)(clamped * 1.44269504f - 0.5f);
    const float r = (clamped - (float)n * 0.693359375f) + (float)n * 2.12194440e-4f;
    float p = 1.0f / 5040.0f;
    p = p * r + 1.0f / 720.0f;
    p = p * r + 1.0f / 120.0f;
    p = p * r + 1.0f / 24.0f;
    p = p * r + 1.0f / 6.0f;
    p = p * r + 0.5f;
    p = p * r + 1.0f;
    p = p * r + 1.0f;
    const int32_t bits = (n + 127) << 23;
    float scale;
    memcpy(&scale, &bits, 4);
    return p * scale;
}
