/* How fast fluid slips along bodies that shed. */
#pragma once

#include "vorton.h"

/* From the field of now: velocity less that of the body (m/s, in its space) at the panels of all
 * bodies that shed, one after the other (x 3); 0 where the flow does not reach the body. Fills
 * nothing where there are no panels, or nothing sheds. */
void vti_find_slip(vt_simulation *s, float *slip);
