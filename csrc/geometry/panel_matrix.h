/* What a set of panels is solved for with: the inverse of its matrix, and what follows from that.
 */
#pragma once

#include "geometry/panel_set.h"
#include "vorton.h"

/* Fills inverse, beyond and added_mass from the triangles; VT_OUT_OF_MEMORY. */
vt_status vti_solve_panels(vt_panel_set *set, int threads);
