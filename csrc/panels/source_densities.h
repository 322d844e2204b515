/* Source densities of the panels, such that no fluid passes them. */
#pragma once

#include "state/panels.h"

/* result = matrix (count x count, entry (i, j) at [j * count + i]) times x. */
void vti_multiply_panels(int64_t count, const float *matrix, const double *x, float *result,
                         int threads);

/* Densities of the panels from the vector potential, and from the scalar one where
 * grid.has_potential, that the grid holds now. */
void vti_solve_densities(vt_simulation *s);

/* Velocity at the centroids of all but the panels of the body itself, in the frame of the grid. */
void vti_find_passing_velocity(vt_simulation *s, const vt_paneled_body *b, float *velocity);

/* What the flow, that of other bodies included, pulls at the sources within wide panels of a body
 * with, about its centre, m^4/s^2. */
vt_impulse vti_find_wide_force(vt_simulation *s, const vt_paneled_body *b);

/* Velocity of the vortons alone at points (count x 3, m), m/s: from the vector potential that the
 * grid holds now, outside the grid by the moments. */
void vti_vortical_velocity(vt_simulation *s, int64_t count, const float *points, float *velocity);

/* By how much it differs `depth` (m) under a panel (a number in s->panels) from that at the panel:
 * of a wide one the mean over its patches, as the panels themselves take it; none outside the grid,
 * where no vortons are near. *patch is where its patches are looked for: of a body the first, then
 * where the last panel, one of a lower number, has left it. */
void vti_change_under_panel(const vt_simulation *s, const vt_paneled_body *b, int32_t panel,
                            double depth, int32_t *patch, double change[3]);
