/* Whether a shape is one: the ranges of its numbers. */
#pragma once

#include "vorton.h"

/* Checks a shape of any kind; of a polytope its layer alone. */
vt_status vti_check_shape(const vt_shape *shape);
