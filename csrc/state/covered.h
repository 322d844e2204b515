/* Sources that a body covers, so that they would bear nothing. */
#ifndef VORTON_STATE_COVERED_H
#define VORTON_STATE_COVERED_H

#include "state/simulation.h"

/* VT_INVALID_ARGUMENT where a body that is to be added leaves no room to a source when it begins,
 * unless the one moves relative to the other; and where a container holds nothing at all. Names the
 * body and the source. Sources are looked at by points in their shapes. */
vt_status vt_check_covered(vt_simulation *simulation, const vt_body *body);

#endif
