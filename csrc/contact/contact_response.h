/* What becomes of a particle that meets walls (parts 13 and 14). Seen from a body it runs straight
 * from pose to pose; where it enters a solid, it ends beyond the plane of the wall that it ran into
 * (for which face that is, part 13 looks at the velocity alone), and slides along it. Where it ends
 * behind a wall without having run into it, the shortest way out is taken. Both are repeated until
 * nothing moves, since a particle that one wall turns away may meet another. */
#pragma once

#include "contact/swept_walls.h"

/* Holds the particle where it may be: its end, and its velocity without what leads into walls.
 * VT_SQUEEZED: there is no room for it. */
int vti_respond(const vt_walls *walls, vt_traveller *traveller);
