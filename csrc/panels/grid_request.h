/* The room that bodies with panels ask for on the grid. */
#pragma once

#include "model/columns.h"

/* Adds the boxes around bodies with panels as they are now to bounds (m); *any: whether these hold
 * anything yet. Without wind, bodies at rest that the flow does not reach, farther from the bounds
 * than half their extent, ask for nothing. Where bodies would make a large grid of a small one, at
 * this spacing (m), they ask for what is near the bounds; the rest acts from beyond the grid
 * (vt_outer_charge), as planes do that are not near. */
void vti_add_panel_bounds(const vt_simulation *s, double spacing, double least[3], double most[3],
                          int *any);

/* Spacing that suits the panels where there are no vortons, m; 0 without panels. */
double vti_panel_spacing(const vt_simulation *s);
