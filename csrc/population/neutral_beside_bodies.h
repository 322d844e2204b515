/* Bodies among neutral vortons: some want them around, and all of them take up room. */
#pragma once

#include "population/brick_lattice.h"

/* Makes sources of the nodes next to bodies that exchange heat; 0 where there is no memory. */
int vti_mark_bodies(const vt_simulation *s, vt_shell_lattice *lattice);

/* Walls fill their part of the nodes of a brick that are `wide` and lack something; all of those
 * that they cover. pose: of each body (vti_poses_at). */
void vti_fill_with_walls(const vt_simulation *s, const vt_pose *pose,
                         const vt_shell_lattice *lattice, vt_brick *brick);
