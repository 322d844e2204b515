#include "model/fluid_law.h"

#include <math.h>

#include "base/status.h"

vt_fluid vti_fluid_of(const vt_simulation_def *def)
{
    const vt_ambient *const a = &def->ambient;
    const double *const g = def->gravity;
    const double size = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    vt_fluid f = {
        .density = (float)a->density,
        .temperature = (float)a->temperature,
        .expansion = a->kind == VT_LIQUID ? (float)a->expansion : 0,
        .stratification = (float)a->stratification,
        .least = (float)(a->temperature / 4),
        .swell = def->method.velocity == VT_VELOCITY_POISSON ? (float)def->method.expansion : 0,
        .local = def->method.buoyancy != VT_BUOYANCY_BOUSSINESQ};
    for (int i = 0; i < 3; i++) {
        f.up[i] = size > 0 ? (float)(-g[i] / size) : 0;
        f.gravity[i] = def->method.buoyancy == VT_BUOYANCY_NONE
                           ? 0
                           : (float)(g[i] * def->method.buoyancy_scale);
    }
    return f;
}

/* Of the density at the ambient temperature. */
static const double least_density = 0.05;

double vti_hottest(const vt_simulation_def *def)
{
    const vt_ambient *const a = &def->ambient;
    return a->kind == VT_LIQUID ? a->temperature + (1 - least_density) / a->expansion : INFINITY;
}

double vti_liquid_density(const vt_ambient *a, double temperature)
{
    return a->density * (1 - a->expansion * (temperature - a->temperature));
}

vt_status vti_check_temperature(const vt_simulation_def *def, const char *what, double temperature)
{
    const double most = vti_hottest(def);
    if (temperature < most)
        return VT_OK;
    return vti_fail(
        VT_INVALID_ARGUMENT,
        "%s: at %g K the density of the liquid, %g (1 - %g (T - %g)), would be %g kg/m^3; "
        "allowed is less than %g K",
        what, temperature, def->ambient.density, def->ambient.expansion, def->ambient.temperature,
        vti_liquid_density(&def->ambient, temperature), most);
}
