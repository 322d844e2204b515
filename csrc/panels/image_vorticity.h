/* Vortex lines that end at the walls of a container.
 *
 * Lines end nowhere: those that meet a wall, as those of an interface between two fluids, go on
 * outside in the image of the flow. Cut off there they would be closed through the fluid. How they
 * go on does not matter inside, where the panels hold the flow at the wall; as a gradient they do
 * so without a vorton outside:
 *
 *   omega = grad chi,  lap chi = 0 outside,  d chi / dn = omega . n at the wall (n outwards)
 *
 * chi is that of source panels (geometry/source_panels.h: beyond), and the velocity of all of grad
 * chi, by Stokes' theorem, that of strengths - chi n per area of the wall. */
#pragma once

#include "state/panels.h"

/* Adds the images of the lines of all containers, whose patches are cut, to the deposited
 * strengths. */
void vti_continue_lines(vt_simulation *s);

/* Share of the lines of a body on a plane that go on there, as of one that stands out of it: of a
 * lower one they are not seen to meet it, and end nowhere as those of any other do. */
double vti_continued_share(const vt_simulation *s, const vt_paneled_body *b);
