/* Direct solution of the Poisson equation for the vector potential: tables and scratch. */
#pragma once

#include "base/kernel.h"
#include "kernels/grid/filter_taps.h"
#include "kernels/poisson/poisson_plan.h"
#include "model/grid.h"

/* Vector potential inside: minus Laplace A = field / spacing^2, with the face values. The right
 * side is what the filters make of the nodes, or, where they are NULL, what is in the field; A
 * comes in its place. With grid->scalar one component, the scalar potential:
 * boundary_clusters, too. */
typedef void vt_poisson_kernel(vt_grid *grid, vt_poisson_plan *plan, const vt_filter_sum *filters,
                               vt_arena *arena, int threads);
VT_DECLARE_KERNEL(poisson);

/* The right side alone, 0 at faces that are no walls: from the nodes to the field. */
typedef vt_poisson_kernel vt_filter_modes_kernel;
VT_DECLARE_KERNEL(filter_modes);
