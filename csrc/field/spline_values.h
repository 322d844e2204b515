/* Values at the nodes of what grids of fourth order hold as coefficients of quadratic B-splines
 * (kernels/grid/filter_taps.h): the node itself and those beside it with 3/4 and 1/8 along each
 * axis. On faces that are no walls the flow is smooth, and coefficients are values. */
#pragma once

#include "state/simulation.h"

/* Velocity (m/s) and div A (m/s) at the nodes, laid out as those of the grid. */
void vti_find_node_values(const vt_simulation *s, const vt_grid *grid, f4 *values);

/* One component of the vector potential (m^2/s), or 3: the scalar potential, laid out as a field of
 * the grid. */
void vti_find_potential_values(const vt_simulation *s, const vt_grid *grid, int component,
                               float *values);
