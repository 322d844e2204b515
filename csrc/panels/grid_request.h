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

/* Spacing where there are no vortons, and nothing wants neutral ones, m: that of the panels, or of
 * what emitters will give, where that is wider, or, where bodies shed, much narrower; 0 without
 * panels. */
double vti_panel_spacing(const vt_simulation *s);

/* Core of the neutral vortons that are born around bodies and where forces act, m: the smallest of
 * those alive, or else the usual one of the spacing that the scene gives, or the smallest that
 * emitters of fluid will give, or what suits a force or a warm body: a fifth of the cube root of
 * the volume of the smallest. Where bodies with panels stir the fluid the grid is theirs, whether
 * they are warm or not. 0 where nothing wants any. */
double vti_core_of_neutral(const vt_simulation *s);
