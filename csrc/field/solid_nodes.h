/* Which nodes of a grid lie in walls: inside a solid, or outside a container. What the vortons
 * carry means nothing there, not even ambient fluid. */
#pragma once

#include "kernels/grid/masked_gradient.h"
#include "model/pose.h"

/* The wall with the least room, of the bodies as they are at a time. */
double vti_nearest_solid(const vt_simulation *s, const vt_pose *pose, const double point[3],
                         double normal[3], int32_t *body);

double vti_hit_radius(const vt_vortons *v, int64_t row);

/* The poison that the method names, into the slopes of a grid, beside bodies as they are at a time,
 * s. */
void vti_poison_slopes(vt_simulation *s, const vt_grid *grid, f4 *slopes, double time);

/* Marks the nodes of a grid beside the bodies as they are at a time, s; in arena memory. A node
 * nearer to a wall than a tenth of the spacing counts as inside of it. marks->open is NULL where
 * there are no bodies. */
void vti_mark_wall_nodes(vt_simulation *s, const vt_grid *grid, double time, vt_node_marks *marks);
