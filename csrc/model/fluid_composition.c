#include "model/fluid_composition.h"

#include <math.h>
#include <stdio.h>

#include "animation/definition_checks.h"
#include "base/status.h"

static const char *const names[VT_COMPOSITION_COLUMNS] = {
#define VT_CARRIED(name, least, most, allowed) #name,
#include "vorton/columns.def"
};

double *vti_fluid_member(vt_fluid_def *fluid, int carried)
{
    static const size_t offset[VT_COMPOSITION_COLUMNS] = {
#define VT_CARRIED(name, least, most, allowed) offsetof(vt_fluid_def, name),
#include "vorton/columns.def"
    };
    return (double *)((char *)fluid + offset[carried]);
}

static const vt_track *track_of(const vt_animations *animations, int carried)
{
    return animations ? vti_find_animation(animations, names[carried]) : NULL;
}

uint32_t vti_fluid_members(const vt_fluid_def *fluid, const vt_animations *animations)
{
    vt_fluid_def copy = *fluid;
    uint32_t members = 0;
    for (int c = 0; c < VT_COMPOSITION_COLUMNS; c++)
        if (*vti_fluid_member(&copy, c) != 0 || track_of(animations, c))
            members |= 1u << c;
    return members;
}

double vti_most_of_fluid(const vt_fluid_def *fluid, const vt_animations *animations, int carried,
                         double sign)
{
    const vt_track *const track = track_of(animations, carried);
    vt_fluid_def copy = *fluid;
    double least, most;
    if (!track)
        return sign * *vti_fluid_member(&copy, carried);
    vti_track_extremes(track, 0, &least, &most);
    return fmax(sign * least, sign * most);
}

static vt_status check_sum(const vt_combustion *combustion, const char *what, double fuel,
                           double flame, double smoke)
{
    if (fuel > 0 && combustion->law == VT_BURN_NONE)
        return vti_fail(VT_INVALID_ARGUMENT,
                        "%s: fuel is up to %g of the mass; allowed is 0 without a law by which it "
                        "burns (combustion)",
                        what, fuel);
    if (fuel + flame + smoke > 1 + 1e-6) /* three numbers of float32 */
        return vti_fail(VT_INVALID_ARGUMENT,
                        "%s: fuel + flame + smoke are up to %g + %g + %g of the mass; allowed is 1 "
                        "in all",
                        what, fuel, flame, smoke);
    return VT_OK;
}

vt_status vti_check_shares(const vt_combustion *combustion, const char *what, int64_t count,
                           const float *fuel, const float *flame, const float *smoke)
{
    for (int64_t i = 0; i < count && (fuel || flame || smoke); i++) {
        char row[64];
        const double shares[3] = {fuel ? (double)fuel[i] : 0, flame ? (double)flame[i] : 0,
                                  smoke ? (double)smoke[i] : 0};
        if (!check_sum(combustion, what, shares[0], shares[1], shares[2]))
            continue;
        snprintf(row, sizeof row, "%.32s, row %lld", what, (long long)i);
        return check_sum(combustion, row, shares[0], shares[1], shares[2]);
    }
    return VT_OK;
}

vt_status vti_check_fluid(const vt_combustion *combustion, const char *what,
                          const vt_fluid_def *fluid, const vt_animations *animations)
{
    char prefix[64];
    snprintf(prefix, sizeof prefix, "%.48s: ", what);
    const vt_status status = vti_check_rows(&vti_fluid_definition, prefix, fluid);
    return status ? status
                  : check_sum(combustion, what,
                              vti_most_of_fluid(fluid, animations, VT_CARRIED_fuel, 1),
                              vti_most_of_fluid(fluid, animations, VT_CARRIED_flame, 1),
                              vti_most_of_fluid(fluid, animations, VT_CARRIED_smoke, 1));
}
