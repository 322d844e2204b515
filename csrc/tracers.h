/* The tracers of a simulation: their motion, and their order in memory. */
#ifndef VORTON_TRACERS_H
#define VORTON_TRACERS_H

#include "state/simulation.h"

/* Advances all tracers by dt with the fields of the middle of the substep: inside the grid by the
 * stage advect, outside it with the far field. Without fields only the wind moves them. */
void vt_move_tracers(vt_simulation *s, double dt);

/* Puts the rows in the order of tiles of 8^3 cells, so that neighbours in memory sample the same
 * nodes; leaves them as they are while that order is good enough. Stable: rows of one tile keep
 * their order. */
void vt_sort_tracers(vt_simulation *s);

#endif
