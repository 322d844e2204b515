/* Vector potential on the faces of the grid, each node by the tree over the vortons
 * (kernels/sums/tree_sum.h): parts 19 and 20, by default with an opening angle. */
#pragma once

#include "base/kernel.h"
#include "model/grid.h"

/* Vector potential on the faces from records in any order: each face node by a tree over the
 * vortons. */
typedef void vt_boundary_tree_kernel(vt_grid *grid, int64_t count, const vt_record *records,
                                     int opening, double opening_angle, vt_arena *arena,
                                     int threads);
VT_DECLARE_KERNEL(boundary_tree);
