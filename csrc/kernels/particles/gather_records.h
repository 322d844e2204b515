/* From the columns to what the grid kernels work on: bounds of the particles, and sorted records.
 */
#pragma once

#include "base/kernel.h"
#include "kernels/particles/particle_rates.h"

/* Bounds of rows (count x 3), whether all of it is finite, and whether any vector in `strength` is
 * not zero. */
typedef void vt_bounds_kernel(int64_t count, const float *rows, const float *strength,
                              vt_bounds *bounds, int threads);
VT_DECLARE_KERNEL(bounds);

/* Records of vortons in column order, positions in cells of the grid; home is `first` and so on. */
typedef void vt_collect_kernel(const vt_grid *grid, int64_t count, int64_t first,
                               const vt_collected *rows, vt_record *records, int threads);
VT_DECLARE_KERNEL(collect);
