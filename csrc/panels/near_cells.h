/* Cells in which walls matter to the particles that are in them. */
#pragma once

#include "vorton.h"

/* Cells, laid out as the nodes, in which a point may lie so near to a surface that
 * vti_cancel_normal_velocities has something to say; NULL without panels. */
const uint8_t *vti_cells_near_panels(vt_simulation *s);
