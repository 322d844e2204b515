/* The state of a simulation goes over to another one, which may have other sources and effects. */
#pragma once

#include "archive/state_fields.h"

/* For each row here the row in the other, -1: it has none; NULL: the same rows. */
typedef struct vt_row_maps {
    int32_t *of[VT_ROWS_STAY]; /* by VT_ROWS_OF_... */
} vt_row_maps;

/* Takes all but what stays (VT_ROWS_STAY); there is room for the particles. The lists are then
 * those of both simulations. */
void vti_take_state(vt_simulation *simulation, vt_simulation *from, const vt_row_maps *maps,
                    vt_state_list lists[2]);
