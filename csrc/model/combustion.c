#include "model/combustion.h"

/* Temperature at which `radiation` is how fast fluid cools, K. */
static const double radiation_temperature = 1500;

double vti_burning_rate(const vt_combustion *c)
{
    return c->rate > 0 ? c->rate : c->law == VT_BURN_ARRHENIUS ? 5e4 : 10;
}

vt_burning vti_burning_of(const vt_combustion *c)
{
    const double square = radiation_temperature * radiation_temperature;
    const int arrhenius = c->law == VT_BURN_ARRHENIUS;
    return (vt_burning){.rate = (float)vti_burning_rate(c),
                        .ignition = arrhenius ? 0 : (float)c->ignition,
                        .activation = arrhenius ? (float)c->activation : 0,
                        .flame_rate = (float)(1 / c->flame_time),
                        .soot = (float)c->soot,
                        .heating = (float)(c->heat / c->heat_capacity),
                        .radiation = (float)(c->radiation / (square * square)),
                        .mixing = (float)c->mixing};
}
