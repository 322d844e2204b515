/* One step: the table of contents of the solver. Each substep is one step of a Runge-Kutta rule
 * (model/time_scheme.h) for positions and strengths, so the field is solved at the start and at
 * every further stage; the base values stay in the columns until the end. All stages work in the
 * frame that moves with the wind. */
#pragma once

#include "vorton.h"

/* The time from which the next step bears, s. */
double vti_next_births(const vt_simulation *s);

/* One step of dt > 0 seconds, as vt_step says; whoever calls it is inside the simulation. */
vt_status vti_advance(vt_simulation *s, double dt);
