/* Walls of less than two cells: fluid on one side of them is not felt on the other.
 *
 * A vorton beside such a wall would share its density with nodes on the other side, and feel the
 * differences there. It gives its density at the nearest place from which only nodes on its own
 * side, or in the wall, are reached, and feels the differences at the nearest of which the nodes
 * around have neighbours on its own side alone. */
#pragma once

#include "state/simulation.h"

/* Whether a solid is thinner than `thickness` (m) and, other than rods and small balls, round which
 * fluid is near anyway, broader than two cells, `spacing` wide. */
int vti_is_thin_wall(const vt_body *body, const vt_solid *solid, double spacing, double thickness);

/* Room for where `rows` vortons feel differences, in arena memory; NULL where no wall is as thin.
 */
float *vti_make_room_for_felt(vt_simulation *s, size_t rows);

/* Beside the bodies as they are at a time, s: the way from each record to where it feels
 * differences, cells (count x 3, and 0 for VT_LANES more), and the records where they give their
 * density. Returns 0 where no record is near a thin wall. */
int vti_keep_off_thin_walls(vt_simulation *s, double time, int64_t count, const vt_record *sorted,
                            float *felt, vt_record *given);
