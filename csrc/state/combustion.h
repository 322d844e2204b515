/* The law of combustion of a simulation. */
#ifndef VORTON_STATE_COMBUSTION_H
#define VORTON_STATE_COMBUSTION_H

#include "stages/react.h"

/* VT_INVALID_ARGUMENT names the first bad number of the law. */
vt_status vt_check_combustion(const vt_combustion *combustion);

/* The law as the stage takes it. */
vt_burning vt_burning_of(const vt_combustion *combustion);

#endif
