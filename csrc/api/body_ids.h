/* Ids of bodies: found, told, and removed. */
#pragma once

#include "vorton.h"

/* The index of a body among those that there are; VT_INVALID_ARGUMENT names the id. */
vt_status vti_find_body(const vt_simulation *s, int32_t id, int32_t *index);
