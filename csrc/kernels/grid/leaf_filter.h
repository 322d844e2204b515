/* Filter of the voxels of a leaf: five taps along each axis. */
#pragma once

#include "base/kernel.h"

enum { VT_LEAF_FILTER_REACH = 2, VT_LEAF_FILTER_WINDOW = 8 + 2 * VT_LEAF_FILTER_REACH };

/* The 8 x 8 x 8 values in the middle of a window of 12 x 12 x 12, filtered with taps (centre, 1 and
 * 2 voxels off): into values, or added to them. */
typedef void vt_filter_leaf_kernel(
    const float window[VT_LEAF_FILTER_WINDOW][VT_LEAF_FILTER_WINDOW][VT_LEAF_FILTER_WINDOW],
    const float taps[3], int add, float *values);
VT_DECLARE_KERNEL(filter_leaf);
