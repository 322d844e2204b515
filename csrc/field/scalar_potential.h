/* The irrotational part of the velocity, u = curl A + grad phi, of fluid that appears or
 * disappears.
 *
 *   lap phi = sum_i q_i zeta(x - x_i)      q: charges, m^3/s; zeta: the core of the grid
 *
 * Charges are deposited and filtered as strengths are, so that they have the same core; on the
 * faces of the grid phi = -sum q / (4 pi r), from clusters of nodes; inside, the direct Poisson
 * solver, whatever the method says of those for A: one component costs a third. Nothing of it is
 * done where there is no charge. */
#pragma once

#include "kernels/sums/multipole_moments.h"
#include "model/grid.h"

/* phi of these charges, 5 cells and more inside the grid, into field[3] of s->grid; the moments for
 * what lies outside. They are sorted by the rows of the grid (row_start) or, with NULL, not;
 * outer charges lie outside of it, and act inside by the values on the faces alone. Uses
 * the nodes of the grid and its faces as scratch: comes between the solution for A and the
 * velocity. No charge: no potential. */
void vti_solve_potential(vt_simulation *s, int64_t count, const vt_record *charges,
                         const uint32_t *row_start, int64_t outer_count,
                         const vt_outer_charge *outer);

/* The charges of the vortons, in the order of the sorted records, with the row_start of their own;
 * charges has room for as many as there are records. Returns how many there are; charge_start is
 * set only where there are any. */
int64_t vti_collect_charges(const vt_simulation *s, const vt_record *sorted,
                            const uint32_t *row_start, vt_record *charges, uint32_t *charge_start);
