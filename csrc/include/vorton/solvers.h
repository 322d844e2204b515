/* The solvers by themselves, on arrays of the caller. */
#ifndef VORTON_SOLVERS_H
#define VORTON_SOLVERS_H

#include "vorton/method.h"

VT_BEGIN_C

/* Velocity (m/s) induced at target_count points by source_count vortons: float64, brute force, the
 * judge of all other routes: u = sum q(r / core) alpha x (x - x_j) / (4 pi r^3), part 3. gradient
 * (target_count x 9, row i is d u_i / d x_j) and potential (target_count x 3) may be NULL. kernel:
 * VT_KERNEL_... No array that is written overlaps another one. */
VT_API vt_status vt_direct_sum(int32_t kernel, int64_t target_count, const double *targets,
                               int64_t source_count, const double *positions,
                               const double *strengths, const double *cores, double *velocity,
                               double *gradient, double *potential, int32_t threads);

/* Solves laplace(A) = -source on the nodes of a box of cells[0] x cells[1] x cells[2] cells (even,
 * 2^a 3^b 5^c, 6 .. 1024) with the 7-point stencil, as the rows poisson, cycles, steps and
 * downsampling of the method say (NULL: the default, directly). field: (nz, ny, nx, 3) float32 with
 * nx = cells[0] + 1 ...: source at inner nodes and boundary values of A on the faces; overwritten
 * by A. */
VT_API vt_status vt_solve_poisson(const int32_t cells[3], double spacing, float *field,
                                  const vt_method *method, int32_t threads);

/* Solves laplace(A) = -source in a box with walls at its faces, through which curl A does not flow:
 * the components of A along a wall are 0 there, the one across it has no slope. Directly, with
 * those conditions in the transforms. cells as above; field: source at all nodes, overwritten by A.
 * Of the source, too, what lies along a wall counts as 0 at it. */
VT_API vt_status vt_solve_poisson_in_box(const int32_t cells[3], double spacing, float *field,
                                         int32_t threads);

VT_END_C

#endif
