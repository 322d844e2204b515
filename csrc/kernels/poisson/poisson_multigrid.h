/* Vector potential at the nodes by relaxation on a sequence of grids
 * (kernels/poisson/multigrid_levels.h): minus Laplace A = field as in
 * kernels/poisson/poisson_direct.c. On a level whose spacings are not those of the finest, the
 * equation is
 *
 *   sum over the axes of c (2 A - A[-] - A[+]) = f,   c = (finest spacing / spacing)^2
 *
 * One relaxation sets every other node (in three dimensions, the red ones) to what the equation
 * asks of it, then the rest: the order of the nodes of one colour does not matter.
 *
 * multigrid: the coarse levels correct the error of the fine one (Brandt 1977): they solve for the
 * residual, averaged, with boundary values 0, and the result is added. It starts by nested
 * iteration, each level improved by one such V-cycle.
 *
 * Every solution starts anew: a start from the last potential would make the bits depend on what
 * was asked for between two steps, and on whether a run was resumed.
 *
 * nested: the articles' way, part 6, with the two changes of part 20. Source and boundary values
 * are sampled down, level by level; on the way back the potential of the coarse level becomes,
 * inside, that of the finer one, relaxed some steps. No residual is ever formed, so that what the
 * coarse equation gets wrong stays as smooth error, which relaxation hardly sees. */
#pragma once

#include "base/kernel.h"
#include "model/grid.h"

/* The same by multigrid, and by the nested iteration of the articles
 * (kernels/poisson/poisson_multigrid.c). */
typedef void vt_multigrid_kernel(vt_grid *grid, int cycles, vt_arena *arena, int threads);
VT_DECLARE_KERNEL(multigrid);

typedef void vt_nested_kernel(vt_grid *grid, int steps, int downsampling, vt_arena *arena,
                              int threads);
VT_DECLARE_KERNEL(nested);
