/* Counter-based random numbers: a pure function of (seed, stream, index), so births do not depend
 * on order, threads or resumes. The mixer is the finaliser of SplitMix64 (Steele, Lea, Flood 2014),
 * applied once per key word. Low-discrepancy points: additive recurrences of the golden and the
 * plastic number, in exact 64-bit integer arithmetic. */
#pragma once

#include <stdint.h>

static inline uint64_t vti_mix(uint64_t z)
{
    z += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* 64 random bits for the key. */
static inline uint64_t vti_random_bits(uint64_t seed, uint64_t stream, uint64_t index)
{
    return vti_mix(vti_mix(vti_mix(seed) ^ stream) ^ index);
}

/* Uniform in [0, 1), 53 bits. */
static inline double vti_random(uint64_t seed, uint64_t stream, uint64_t index)
{
    return (double)(vti_random_bits(seed, stream, index) >> 11) * 0x1p-53;
}

/* Point number index of the 3-D low-discrepancy sequence shifted by seed; each in [0, 1). With the
 * index as time it is the 4-D sequence (x, y, z, t) from which particles are born. */
static inline void vti_sequence_point(uint64_t seed, uint64_t index, double point[3])
{
    /* 2^64 / p and 2^64 / p^2 with p^3 = p + 1, and 2^64 / g with g^2 = g + 1: measured, every two,
     * three and four of (x, y, z, t) are spread more evenly than by powers of one number, which
     * leave stripes in two of them */
    static const uint64_t step[3] = {0xc13fa9a902a6328fu, 0x91e10da5c79e7b1du, 0x9e3779b97f4a7c15u};
    for (uint64_t axis = 0; axis < 3; axis++)
        point[axis] =
            (double)((vti_random_bits(seed, 0x706f696e74u, axis) + index * step[axis]) >> 11) *
            0x1p-53;
}
