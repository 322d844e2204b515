/* Conservative exchange of strength between near vortons: what keeps the strength that vortons
 * carry close to the vorticity that the grid resolves, and the one knob for liveliness.
 *
 *   node:    w_n = sum_i W r_i alpha_i / sum_i W r_i V_i
 *   vorton:  alpha_i += r_i V_i sum_n W w_n - r_i alpha_i,   r_i = 1 - exp(-C S_i dt)
 *
 * with W the trilinear weights at the midpoint of the substep. The sum of the strengths is kept by
 * construction, nothing overshoots at any dt, and a lone vorton keeps its strength. */
#pragma once

#include "base/kernel.h"
#include "model/grid.h"

/* Exchange of strength between vortons near each other, from the records that finish left, in the
 * nodes of the grid; see kernels/particles/strength_filter.c. */
typedef void vt_filter_strengths_kernel(vt_grid *grid, int64_t count, const vt_record *records,
                                        const uint32_t *row_start, float *strength, int threads);
VT_DECLARE_KERNEL(filter_strengths);
