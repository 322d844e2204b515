/* Vortex lines that end at the walls of a container.
 *
 * Lines end nowhere: those that meet a wall, as those of an interface between two fluids, go on
 * outside in the image of the flow. Cut off there they would be closed through the fluid. How they
 * go on does not matter inside, where the panels hold the flow at the wall; as a gradient they do
 * so without a vorton outside:
 *
 *   omega = grad chi,  lap chi = 0 outside,  d chi / dn = omega . n at the wall (n outwards)
 *
 * chi is that of source panels (panel_set.h: beyond), and the velocity of all of grad chi, by
 * Stokes' theorem, that of strengths - chi n per area of the wall. */
#ifndef VORTON_LINE_ENDS_H
#define VORTON_LINE_ENDS_H

#include "state/simulation.h"

/* Adds those of all containers to the deposited strengths of the grid, whose patches are cut. */
void vt_continue_lines(vt_simulation *s);

#endif
