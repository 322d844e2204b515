/* Density differences in a room whose walls are the faces of the grid. */
#pragma once

#include "base/kernel.h"
#include "model/grid.h"

/* From contrasts at the nodes (lane 0), and how often vortons fill these (lane 3), to their
 * differences per cell (lanes 0-2), over lane 3, but at least VT_EMPTY_FILL, and the contrasts
 * themselves (lane 3) at all nodes: over two cells, or over one at a wall, behind which there is
 * nothing to see. Of what differs between neighbours, the share `spread` along each axis is evened
 * out twice, as in masked_gradient.c; the means are scratch for that. */
typedef void vt_walled_slope_kernel(vt_grid *means, const float spread[3], vt_grid *slopes,
                                    int threads);
VT_DECLARE_KERNEL(walled_slope);
