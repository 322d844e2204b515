/* Another method for a simulation that is under way. What evolves stays; of what a method keeps for
 * itself nothing is left over from the one before, so that it does not matter which that was. */
#pragma once

#include "state/simulation.h"

/* As vt_set_method says, of a method of the library's own size: a vt_use_definition. */
vt_use_definition vti_switch_method;
