/* Walls that face each other through fluid, of one body or of several that touch: how wide panels
 * may be there. Between convex bodies in the open, however close, wide panels do little harm: the
 * flow between two boxes .2 m apart is wrong by 4 % with panels of 2.5 gaps, under a ball .05 m
 * above another by 2 % with 2.8. What walls enclose has no flow but what they let in, and that a
 * tenth of what is outside passes depends on how open it is: in a closed room from panels of .2
 * gaps on, in a crate without a lid .3, along a duct .4 to .5, in a channel without a roof .5. */
#pragma once

#include "state/simulation.h"

/* Warns of bodies with panels too wide for what they enclose, or too many to be solved for together
 * with those that they touch, and lets those that would have such on coarse grids keep their fine
 * ones (vt_body.encloses). group: of each body the number of the first of those that it touches.
 * Follows from the bodies alone, whenever it is called. VT_OUT_OF_MEMORY: nothing has changed. */
vt_status vti_look_at_enclosing_walls(vt_simulation *s, const int32_t *group);
