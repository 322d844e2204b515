/* Moments of blocks of nodes and of blocks of blocks (kernels/sums/multipole_moments.h). Leaves are
 * summed straight from the deposited nodes: along z and y first, for whole rows of nodes at once,
 * then along x block by block. Plain multiplications and additions: this is bound by memory. */
#pragma once

#include "base/kernel.h"
#include "kernels/sums/multipole_moments.h"
#include "model/grid.h"

/* Moments of blocks of the deposited nodes, for the boundary and for far_velocity. */
typedef void vt_moments_kernel(const vt_grid *grid, vt_moments *tree, vt_arena *arena, int threads);
VT_DECLARE_KERNEL(moments);
