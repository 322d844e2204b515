/* The sum over all pairs (part 3): every target gathers from all vortons in index order, so
 * the order of the additions is always the same. Lanes are targets. */
#pragma once

#include <stdint.h>

#include "base/arena.h"
#include "base/kernel.h"

/* Sum over all pairs, float32: velocity (count x 3) and gradient (count x 9, d u_i / d x_j at
 * 3 i + j; may be NULL) at targets (count x 3, m), from source_count vortons (m, m^3/s, m); with
 * the gradient that of div A, too (divergence, count x 3, 1/s). */
typedef void vt_direct_kernel(int kernel, int64_t count, const float *targets, int64_t source_count,
                              const float *positions, const float *strengths, const float *cores,
                              float *velocity, float *gradient, float *divergence, vt_arena *arena,
                              int threads);
VT_DECLARE_KERNEL(direct);
