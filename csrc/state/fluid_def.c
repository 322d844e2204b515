#include "state/fluid_def.h"

#include <math.h>
#include <stdio.h>

#include "core/status.h"

const char *const vt_carried_name[VT_CARRIED_COLUMNS] = {
#define VT_CARRIED(name, least, most, allowed) #name,
#include "vorton/columns.def"
#undef VT_CARRIED
};

double *vt_fluid_member(vt_fluid_def *fluid, int carried)
{
    static const size_t offset[VT_CARRIED_COLUMNS] = {
#define VT_CARRIED(name, least, most, allowed) offsetof(vt_fluid_def, name),
#include "vorton/columns.def"
#undef VT_CARRIED
    };
    return (double *)((char *)fluid + offset[carried]);
}

static const vt_track *track_of(const vt_animations *animations, int carried)
{
    return animations ? vt_find_animation(animations, vt_carried_name[carried]) : NULL;
}

uint32_t vt_fluid_members(const vt_fluid_def *fluid, const vt_animations *animations)
{
    vt_fluid_def copy = *fluid;
    uint32_t members = 0;
    for (int c = 0; c < VT_CARRIED_COLUMNS; c++)
        if (*vt_fluid_member(&copy, c) != 0 || track_of(animations, c))
            members |= 1u << c;
    return members;
}

double vt_most_of_fluid(const vt_fluid_def *fluid, const vt_animations *animations, int carried,
                        double sign)
{
    const vt_track *const track = track_of(animations, carried);
    vt_fluid_def copy = *fluid;
    double least, most;
    if (!track)
        return sign * *vt_fluid_member(&copy, carried);
    vt_track_extremes(track, 0, &least, &most);
    return fmax(sign * least, sign * most);
}

static vt_status check_constants(const char *what, const vt_fluid_def *fluid)
{
    struct holder {
        vt_fluid_def fluid;
    };
    static const vt_parameter table[VT_CARRIED_COLUMNS] = {VT_FLUID_PARAMETERS(struct holder)};
    for (const vt_parameter *p = table; p < table + VT_CARRIED_COLUMNS; p++) {
        const double value = *(const double *)((const char *)fluid + p->offset);
        char text[64];
        snprintf(text, sizeof text, "%.24s: %.24s is", what, p->name);
        if (!vt_is_in_range(&p->range, value))
            return vt_fail_range(&p->range, text, value);
    }
    return VT_OK;
}

vt_status vt_check_fluid(const vt_combustion *combustion, const char *what,
                         const vt_fluid_def *fluid, const vt_animations *animations)
{
    const vt_status status = check_constants(what, fluid);
    const double fuel = vt_most_of_fluid(fluid, animations, VT_CARRIED_fuel, 1);
    const double flame = vt_most_of_fluid(fluid, animations, VT_CARRIED_flame, 1);
    const double smoke = vt_most_of_fluid(fluid, animations, VT_CARRIED_smoke, 1);
    if (status)
        return status;
    if (fuel > 0 && combustion->law == VT_BURN_NONE)
        return vt_fail(VT_INVALID_ARGUMENT,
                       "%s: fuel is up to %g of the mass; allowed is 0 without a law by which it "
                       "burns (combustion)",
                       what, fuel);
    if (fuel + flame + smoke > 1 + 1e-9)
        return vt_fail(VT_INVALID_ARGUMENT,
                       "%s: fuel + flame + smoke are up to %g + %g + %g of the mass; allowed is 1 "
                       "in all",
                       what, fuel, flame, smoke);
    return VT_OK;
}
