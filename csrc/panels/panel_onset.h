/* What comes at the panels: the velocity there without them, by the potentials that the grid holds
 * now, winds and, outside the grid, the moments. */
#pragma once

#include "state/panels.h"

/* Fills `onset` of the panels with that at their centroids, before vti_find_excess. */
void vti_find_onset(vt_simulation *s);

/* Fills `excess` of the patches, which wide panels alone have, wide_dipole and wide_force of the
 * bodies. The onset of a panel that takes means becomes that over its patches: by the values at the
 * centroids a hut of boards in one body, with a plume in it, sucked .28 m^3/s in by its door and
 * window, by means .01. */
void vti_find_excess(vt_simulation *s);

/* Velocity of the vortons alone at points (count x 3, m), m/s: from the vector potential that the
 * grid holds now, outside the grid by the moments. */
void vti_vortical_velocity(vt_simulation *s, int64_t count, const float *points, float *velocity);

/* By how much it differs `depth` (m) under a panel (a number in s->panels) from that at the panel:
 * of a wide one the mean over its patches, of others at the centroid, also where they take means
 * (by means they would shed 1 % more or less); none outside the grid, where no vortons are near. */
void vti_change_under_panel(const vt_simulation *s, const vt_paneled_body *b, int32_t panel,
                            double depth, double change[3]);
