/* What the grid lacks of the panels, at the nodes near the surfaces. */
#pragma once

#include "model/grid.h"

/* Lanes 0-2 of the nodes at a place in cells; outside the grid those of the nearest one inside. */
void vti_sample_nodes(const vt_grid *grid, const float cell[3], float value[3]);

/* After the velocity at the nodes is known: what the grid lacks of the panels. */
void vti_correct_nodes(vt_simulation *s);
