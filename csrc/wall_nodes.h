/* Which nodes of a grid lie in walls: inside a solid, or outside a container. What the vortons
 * carry means nothing there, not even ambient fluid. */
#ifndef VORTON_WALL_NODES_H
#define VORTON_WALL_NODES_H

#include "stages/masked_slope.h"
#include "state/simulation.h"

/* Marks the nodes of a grid beside the bodies as they are at a time, s; in arena memory. A node
 * nearer to a wall than a tenth of the spacing counts as inside of it. marks->open is NULL where
 * there are no bodies. */
void vt_mark_wall_nodes(vt_simulation *s, const vt_grid *grid, double time, vt_node_marks *marks);

#endif
