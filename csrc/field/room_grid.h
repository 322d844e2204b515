/* The grid of a room (field/room.h): its faces are the walls. */
#pragma once

#include "state/simulation.h"

/* Whether the grid is to be that of the room, around this content, with a spacing near that, m:
 * where the room fits one (below) that has few nodes, or not many more than the content needs by
 * itself. Starts from the placement of now, so that it does not flicker. */
int vti_wants_room_grid(const vt_simulation *s, double spacing, const vt_extent *content);

/* The grid of the room with a spacing near the given one, m, of at most max_nodes; coarser if need
 * be. 0: its sides are no multiples of any such spacing, within a fiftieth of a cell. */
int vti_place_in_room(const vt_simulation *s, double spacing, vt_placement *placement);

/* Strengths that have been deposited in a room (lane 3: a length), or a scalar (lane 0), get those
 * of the images of their vortons at the walls, where the cells of the two meet. */
void vti_add_images_at_walls(vt_grid *grid);
