/* What is lost of smoke, and of the warmth of the tracers themselves. */
#pragma once

#include "vorton.h"

/* Over the last dt seconds, or since birth where that is less: the density of tracers, and the
 * share of smoke of tracers and vortons, fall by exp(-dissipation x time); no heat goes with it,
 * for the mass stays, as clear air. Tracers with a temperature of their own cool as vortons do. */
void vti_dissipate(vt_simulation *simulation, double dt);
