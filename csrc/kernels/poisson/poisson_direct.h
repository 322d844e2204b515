/* Direct solution of the Poisson equation for the vector potential: tables and scratch. */
#pragma once

#include "base/kernel.h"
#include "kernels/poisson/poisson_plan.h"
#include "model/grid.h"

/* Vector potential inside: minus Laplace A = field / spacing^2, with the face values; in place.
 * With grid->scalar one component, the scalar potential: filter and boundary_clusters, too. */
typedef void vt_poisson_kernel(vt_grid *grid, vt_poisson_plan *plan, vt_arena *arena, int threads);
VT_DECLARE_KERNEL(poisson);
