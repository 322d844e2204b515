/* Source densities of the panels, such that no fluid passes them. */
#pragma once

#include "panels/mutual_visibility.h"
#include "state/panels.h"

/* result = matrix (count x count, entry (i, j) at [j * count + i]) times x. */
void vti_multiply_panels(int64_t count, const float *matrix, const double *x, float *result,
                         int threads);

/* Densities of the panels from the vector potential, and from the scalar one where
 * grid.has_potential, that the grid holds now. */
void vti_solve_densities(vt_simulation *s);

/* Velocity at the centroids of all but the panels of the body itself, in the frame of the grid;
 * with that of those that are joined to it (VT_ALL_OTHERS), or of their images alone: in the sum of
 * what they are pulled with, what they do to each other is nothing, and the values at centroids
 * that face each other across a thin board are far from that. */
void vti_find_passing_velocity(vt_simulation *s, const vt_paneled_body *b, vt_scope scope,
                               float *velocity);

/* What the flow, that of bodies included that are not joined to it, pulls at the sources within
 * wide panels of a body with, about its centre, m^4/s^2. */
vt_impulse vti_find_wide_force(vt_simulation *s, const vt_paneled_body *b);
