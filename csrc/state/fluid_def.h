/* What the fluid of newborn vortons carries (vt_fluid_def): one part of the definitions of all that
 * bears vortons. */
#ifndef VORTON_STATE_FLUID_DEF_H
#define VORTON_STATE_FLUID_DEF_H

#include "state/animation.h"
#include "state/columns.h"

/* Its members as parameters of a definition that has it as `fluid`, for a table of animation.h. */
#define VT_FLUID_PARAMETERS(def)                                                                   \
    {"density", offsetof(def, fluid.density), {1, -1e6, 1e6, 0, "kg/m^3"}}, VT_TAKEN_PARAMETERS(def)

/* Those that tracers have, too. */
#define VT_TAKEN_PARAMETERS(def)                                                                   \
    {"temperature", offsetof(def, fluid.temperature), {1, 0, 1e6, 0, "K"}},                        \
        {"fuel", offsetof(def, fluid.fuel), {1, 0, 1, 0, "of the mass"}},                          \
        {"flame", offsetof(def, fluid.flame), {1, 0, 1, 0, "of the mass"}},                        \
    {                                                                                              \
        "smoke", offsetof(def, fluid.smoke), {1, 0, 1, 0, "of the mass"}                           \
    }

_Static_assert(VT_CARRIED_COLUMNS == 5, "VT_FLUID_PARAMETERS has all members");

/* A member by its number, VT_CARRIED_..., and its name. */
double *vt_fluid_member(vt_fluid_def *fluid, int carried);
extern const char *const vt_carried_name[VT_CARRIED_COLUMNS];

/* Bit c is set where member c is not 0, or animated. 0: nothing is said of the fluid. */
uint32_t vt_fluid_members(const vt_fluid_def *fluid, const vt_animations *animations);

/* The largest or, with sign -1, minus the smallest value of a member over all times. */
double vt_most_of_fluid(const vt_fluid_def *fluid, const vt_animations *animations, int carried,
                        double sign);

/* Checks constants, and shares of constants and keys: each in its range, no more than all of the
 * mass together, fuel only with a law of combustion. `what`, the emitter, begins the message. */
vt_status vt_check_fluid(const vt_combustion *combustion, const char *what,
                         const vt_fluid_def *fluid, const vt_animations *animations);

#endif
