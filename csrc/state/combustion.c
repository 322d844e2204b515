#include "state/combustion.h"

#include <math.h>
#include <stddef.h>

#include "core/status.h"

/* Temperature at which `radiation` is how fast fluid cools, K. */
static const double radiation_temperature = 1500;

vt_combustion vt_default_combustion(int32_t law)
{
    return (vt_combustion){.law = law,
                           .rate = law == VT_BURN_ARRHENIUS ? 5e4 : 10,
                           .ignition = 500,
                           .activation = 9000,
                           .flame_time = 0.1,
                           .heat = 1.3e6,
                           .heat_capacity = 1100,
                           .soot = 0.6,
                           .radiation = 400,
                           .mixing = 1};
}

typedef struct limits {
    const char *name, *unit;
    size_t offset;
    double least, most;
} limits;

#define LIMITS(member, unit, least, most)                                                          \
    {"combustion." #member, unit, offsetof(vt_combustion, member), least, most}
static const limits numbers[] = {LIMITS(rate, "1/s", 1e-9, 1e15),
                                 LIMITS(ignition, "K", 0, 1e6),
                                 LIMITS(activation, "K", 0, 1e6),
                                 LIMITS(flame_time, "s", 1e-6, 1e9),
                                 LIMITS(heat, "J/kg", 0, 1e9),
                                 LIMITS(heat_capacity, "J/(kg K)", 1, 1e6),
                                 LIMITS(soot, "of what has burnt", 0, 1),
                                 LIMITS(radiation, "K/s", 0, 1e9),
                                 LIMITS(mixing, "1/s", 0, 1e9)};

vt_status vt_check_combustion(const vt_combustion *combustion)
{
    if (combustion->law < VT_BURN_NONE || combustion->law > VT_BURN_ARRHENIUS)
        return vt_fail(VT_INVALID_ARGUMENT,
                       "combustion.law is %d; allowed are VT_BURN_NONE, _SIMPLE and _ARRHENIUS",
                       combustion->law);
    for (size_t n = 0; n < sizeof numbers / sizeof *numbers; n++) {
        const limits *const l = &numbers[n];
        const double value = *(const double *)((const char *)combustion + l->offset);
        if (!(value >= l->least && value <= l->most))
            return vt_fail(VT_INVALID_ARGUMENT, "%s is %g; allowed is %g to %g %s", l->name, value,
                           l->least, l->most, l->unit);
    }
    return VT_OK;
}

vt_burning vt_burning_of(const vt_combustion *c)
{
    const double square = radiation_temperature * radiation_temperature;
    const int arrhenius = c->law == VT_BURN_ARRHENIUS;
    return (vt_burning){.rate = (float)c->rate,
                        .ignition = arrhenius ? 0 : (float)c->ignition,
                        .activation = arrhenius ? (float)c->activation : 0,
                        .flame_rate = (float)(1 / c->flame_time),
                        .soot = (float)c->soot,
                        .heating = (float)(c->heat / c->heat_capacity),
                        .radiation = (float)(c->radiation / (square * square)),
                        .mixing = (float)c->mixing};
}
