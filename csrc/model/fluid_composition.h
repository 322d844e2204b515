/* What the fluid of newborn vortons carries (vt_fluid_def): one part of the definitions of all that
 * bears vortons. */
#pragma once

#include "animation/parameters.h"
#include "model/columns.h"

/* A member by its number, VT_CARRIED_... */
double *vti_fluid_member(vt_fluid_def *fluid, int carried);

/* Bit c is set where member c is not 0, or animated. 0: nothing is said of the fluid. */
uint32_t vti_fluid_members(const vt_fluid_def *fluid, const vt_animations *animations);

/* The largest or, with sign -1, minus the smallest value of a member over all times. */
double vti_most_of_fluid(const vt_fluid_def *fluid, const vt_animations *animations, int carried,
                         double sign);

/* Checks constants, and shares of constants and keys: each in its range, no more than all of the
 * mass together, fuel only with a law of combustion. `what`, the emitter, begins the message. */
vt_status vti_check_fluid(const vt_combustion *combustion, const char *what,
                          const vt_fluid_def *fluid, const vt_animations *animations);

/* The same of arrays of shares, any of which may be NULL, whose ranges are known to be right. */
vt_status vti_check_shares(const vt_combustion *combustion, const char *what, int64_t count,
                           const float *fuel, const float *flame, const float *smoke);
