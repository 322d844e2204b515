/* Cells in which walls matter to the particles that are in them or pass by. */
#pragma once

#include "vorton.h"

/* Marks the cells near walls, where that is not done yet: held_cell and near_cell. */
void vti_mark_cells(vt_simulation *s);

/* Cells, laid out as the nodes, in which what moves may come so near to a surface that
 * vti_cancel_normal_velocities has something to say; NULL without panels. */
const uint8_t *vti_cells_near_panels(vt_simulation *s);
