/* The fluid in the shape of an emitter swirls. */
#pragma once

#include "vorton.h"

/* Fluid in the shape of an emitter with swirl that goes on follows its eddies: what the flow
 * carries in takes their vorticity, and what is there takes what they change by on its way. Each
 * vorton so has that of the eddies where it is, until it leaves; it takes the last along. */
void vti_stir_inflow(vt_simulation *s);
