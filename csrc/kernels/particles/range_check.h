/* Whether the values of a column are within their limits, and NaN is within none; whether all rows
 * have a flag. */
#pragma once

#include <stdint.h>

#include "base/kernel.h"

/* Whether any of the values is not within [least, most]. */
typedef void vt_limits_kernel(int64_t count, const float *values, float least, float most,
                              int32_t *beyond, int threads);
VT_DECLARE_KERNEL(limits);

/* Whether any of the rows of flags has not this one. */
typedef void vt_lack_flag_kernel(int64_t count, const uint32_t *flags, uint32_t flag,
                                 int32_t *lacking, int threads);
VT_DECLARE_KERNEL(lack_flag);
