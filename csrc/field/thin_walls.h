/* Walls of less than two cells: fluid on one side of them is not felt on the other.
 *
 * A vorton beside such a wall would share its density with nodes on the other side, and feel the
 * differences there. It gives its density, and what else it holds, at the nearest place from which
 * only nodes on its own side, or in the wall, are reached, and feels the differences at the nearest
 * of which the nodes around have neighbours on its own side alone. Tracers look from the nearest
 * place from which they see only nodes on their own side. */
#pragma once

#include "state/simulation.h"

/* Whether a solid is thinner than `thickness` (m) and, other than rods and small balls, round which
 * fluid is near anyway, broader than two cells, `spacing` wide. */
int vti_is_thin_wall(const vt_body *body, const vt_solid *solid, double spacing, double thickness);

/* Room for where `rows` vortons feel differences, in arena memory; NULL where no wall is as thin.
 */
float *vti_make_room_for_felt(vt_simulation *s, size_t rows);

/* Sorted records as they give what they hold beside the bodies as they are at a time, s: sorted
 * anew for the grid, in arena memory. Returns 0, and leaves them, where none is near a thin wall.
 * felt, unless NULL: the way from each record, as it was sorted, to where it feels differences,
 * cells (count x 3, and 0 for VT_LANES more). */
int vti_give_off_thin_walls(vt_simulation *s, const vt_grid *grid, double time, int64_t count,
                            float *felt, const vt_record **sorted, const uint32_t **row_start);

/* Where points (count x 3, m) look at what vortons have given: in arena memory, or the points
 * themselves where none is near a thin wall. */
const float *vti_look_off_thin_walls(vt_simulation *s, const vt_grid *grid, double time,
                                     int64_t count, const float *position);
