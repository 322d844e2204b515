/* Sources that a body covers, so that they would bear nothing. */
#pragma once

#include "state/body.h"

/* VT_INVALID_ARGUMENT where a body that is to be added leaves no room to a source when it begins,
 * unless the one moves relative to the other; and where a container holds nothing at all. Names the
 * body and the source. Sources are looked at by points in their shapes. */
vt_status vti_check_sources_in_body(vt_simulation *simulation, const vt_body *body);
