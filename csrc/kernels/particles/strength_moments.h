/* Sums over the strengths of vortons, in double precision. */
#pragma once

#include "base/kernel.h"
#include "base/simd.h"

enum { VT_STRENGTH_SUMS = 15, VT_STRENGTH_BLOCK = 2048 };

/* About a point, over blocks of VT_STRENGTH_BLOCK vortons, one after the other: of alpha (3), of
 * x_i alpha_j (9), and of 1/3 x cross (x cross alpha) (3). One float after the last row may be
 * read. */
typedef void vt_sum_strengths_kernel(int64_t count, const float *position, const float *strength,
                                     const double about[3], double *block, int threads);
VT_DECLARE_KERNEL(sum_strengths);
