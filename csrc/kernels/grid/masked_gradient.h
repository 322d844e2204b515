/* Which nodes of a grid are open to fluid. */
#pragma once

#include "base/kernel.h"
#include "model/grid.h"

typedef struct vt_node_marks {
    uint8_t *open;   /* 1, or 0 for a node in a wall; laid out as the nodes of the grid; NULL: no
                        walls */
    uint8_t *walled; /* by row, k * (cells[1] + 1) + j: whether any node of the row is in a wall */
} vt_node_marks;

/* The same anew for what is near nodes in walls: differences between open nodes alone, and nodes in
 * walls that take the mean of those around them, see kernels/grid/masked_gradient.c. Of what
 * differs between neighbours, that share along each axis (0: none) is evened out first, by way of
 * `from`. */
typedef void vt_masked_slope_kernel(vt_grid *from, const vt_node_marks *marks,
                                    const float spread[3], vt_grid *to, int threads);
VT_DECLARE_KERNEL(masked_slope);
