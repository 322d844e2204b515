/* A room: the container whose walls can be the faces of the grid.
 *
 * In a box along the axes that does not turn the image of a vorton in every wall is known, and with
 * it the flow along the walls: cosines and sines in the Poisson solver
 * (kernels/poisson/poisson_direct.c), images in the filter of the cores, and neither panels nor an
 * integral at the boundary. */
#pragma once

#include "state/simulation.h"

/* The box of the room, m, of a scene that is one; 0: it is none. One container whose panels would
 * act, in which there is no body, no grid of wind blows, and the method is the usual one. */
int vti_find_room(const vt_simulation *s, double least[3], double most[3]);
