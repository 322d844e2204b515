/* The flow at the panels, for what is made of it and for programs. */
#pragma once

#include "state/panels.h"

/* Velocity of the fluid at the outer side of the panels (first to first + count), in the world (the
 * uniform wind included), m/s: count x 3. Costs count^2 pairs. Of a wide panel (panels/patches.h)
 * it is the mean of what the flow and its own charges give. */
void vti_find_surface_velocity(vt_simulation *s, const vt_paneled_body *b, float *velocity);
