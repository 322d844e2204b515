/* Vector potential at the boundary of the grid, and velocity beyond it, from clusters of nodes. */
#pragma once

#include "base/kernel.h"
#include "kernels/sums/multipole_moments.h"
#include "model/grid.h"

/* The axes u and v of a face (model/grid.h). */
static inline void vti_face_axes(int face, int *u, int *v)
{
    *u = face / 2 == 0 ? 1 : 0;
    *v = face / 2 == 2 ? 1 : 2;
}

/* Vector potential on the six faces from the moments: at a lattice of nodes, then interpolated. */
typedef void vt_boundary_clusters_kernel(vt_grid *grid, const vt_moments *tree,
                                         double opening_angle, vt_arena *arena, int threads);
VT_DECLARE_KERNEL(boundary_clusters);
