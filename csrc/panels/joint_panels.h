/* Bodies that touch have their panels together. Each on its own has panels under its neighbours,
 * and what one does to the other across the edge where they meet is not to be had from the means
 * over panels: through a crate of five boards, and along a duct, a good part of the flow would go.
 * Those that lie against each other, or in each other, and never move against each other, are
 * cut where they meet, and solved for by one matrix, as the shapes of one body are; all else of
 * them, as heat, shedding and forces, stays their own.
 *
 * So do bodies and the planes that they stand on: they are cut there, and the matrix has their
 * images in the plane, which turn back all that they send through it, exactly and whatever its
 * panels: these turn back the flow of all others. Of a hut of five boards, whose feet the panels
 * of its floor do not resolve, .2 to .3 of a wind were inside, with images .10 to .15. Of planes
 * that do not stand at right angles to each other the first ones alone are mirrors. */
#pragma once

#include "state/simulation.h"

/* To be called before anything asks for panels. Which bodies are joined follows from the bodies
 * alone, whenever it is called. VT_OUT_OF_MEMORY: the next call does what is left. */
vt_status vti_join_panels(vt_simulation *s);
