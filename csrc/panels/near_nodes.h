/* Which nodes of the grid lie near walls, and what each of them is (state/kept_walls.h). */
#pragma once

#include "state/panels.h"

/* Finds them, once the panels are cut; where neither the walls nor the grid have moved since, what
 * was found then stays as it is, and the densities of the patches become those of now. */
void vti_find_near_nodes(vt_simulation *s);
