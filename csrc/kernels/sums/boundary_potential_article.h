/* Vector potential on the faces of the grid as in part 20 of the articles, to compare with.
 *
 * The grid is cut into blocks, a power of two of them along each axis. All vortons of a block count
 * as one, with the sum of their strengths, at their mean position weighted by |alpha|; so do those
 * of 2 x 2 x 2 blocks, and so on up to the whole grid. A node of a face starts from the whole: of
 * the parts of a block, that which holds the node is looked into, the others are taken as they are,
 * however near they lie. Only nodes with an even index along x do that; the next one gets a copy.
 */
#pragma once

#include "base/kernel.h"
#include "model/grid.h"

/* The same by the rule of the articles: monopoles of nested blocks of which only that around the
 * node is looked into, every other node along x. Takes 5 bytes a node (and 2 KiB) from
 * the arena. */
typedef void vt_boundary_decimated_kernel(vt_grid *grid, int64_t count, const vt_record *records,
                                          vt_arena *arena, int threads);
VT_DECLARE_KERNEL(boundary_decimated);

/* No vector potential on the faces. */
typedef void vt_boundary_zero_kernel(vt_grid *grid);
VT_DECLARE_KERNEL(boundary_zero);
