/* Fluid that flows through a fire burns. */
#pragma once

#include "vorton.h"

/* Ambient fluid that the flow has carried into the shape of an emitter with fuel, while that goes
 * on, takes what that gives. */
void vti_ignite_inflow(vt_simulation *s);
