/* 16-bit floats (IEEE 754 binary16). Plain integer operations and one float addition, so that a
 * compiler makes vectors of a loop over vti_half, and the bits are those of every processor. */
#pragma once

#include <stdint.h>
#include <string.h>

/* Magnitudes from here on round to infinity. */
#define VT_HALF_OVERFLOW 65520.0f

/* Rounds to nearest, ties to even. NaN stays NaN. */
static inline uint16_t vti_half(float x)
{
    uint32_t bits, small;
    memcpy(&bits, &x, 4);
    const uint32_t sign = bits >> 16 & 0x8000u, a = bits & 0x7fffffffu;
    /* 13 bits of the fraction go; a carry moves into the exponent, as it should */
    const uint32_t normal = (a - 0x38000000u + 0xfffu + (a >> 13 & 1u)) >> 13;
    /* below 2^-14: the unit of 0.5f is that of a subnormal half, so the addition rounds */
    float sum;
    memcpy(&sum, &a, 4);
    sum += 0.5f;
    memcpy(&small, &sum, 4);
    small -= 0x3f000000u;
    const uint32_t large = a > 0x7f800000u ? 0x7e00u : 0x7c00u;
    const uint32_t finite = a < 0x38800000u ? small : normal;
    return (uint16_t)(sign | (a >= 0x477ff000u ? large : finite));
}
