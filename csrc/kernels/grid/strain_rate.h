/* How fast the resolved flow deforms the fluid, at the nodes: S = sqrt(2 S_ij S_ij), 1/s, with
 * S_ij = (d u_i / d x_j + d u_j / d x_i) / 2 by central differences. */
#pragma once

#include "base/kernel.h"
#include "model/grid.h"

/* S in lane 0 of strain, nodes laid out as those of the grid; 0 on its faces and at node cells[0] +
 * 1 of each row; 0 in the other lanes. */
typedef void vt_strain_kernel(const vt_grid *grid, f4 *strain, int threads);
VT_DECLARE_KERNEL(strain);
