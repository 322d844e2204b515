#include "state/ambient.h"

#include <math.h>

#include "core/status.h"

/* K/m: a flame is not steeper. */
static const double most_stratification = 1e3;

vt_ambient vt_default_ambient(void)
{
    return (vt_ambient){.kind = VT_GAS,
                        .density = 1.2041,
                        .temperature = 293.15,
                        .stratification = 0,
                        .expansion = 2.07e-4};
}

vt_fluid vt_fluid_of(const vt_simulation_def *def)
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

static vt_status check_number(const char *name, double value, int allowed, const char *text)
{
    if (allowed && isfinite(value))
        return VT_OK;
    return vt_fail(VT_INVALID_ARGUMENT, "%s is %g; allowed is %s", name, value, text);
}

vt_status vt_check_ambient(const vt_simulation_def *def)
{
    const vt_ambient *const a = &def->ambient;
    vt_status status = VT_OK;
    if (a->kind != VT_GAS && a->kind != VT_LIQUID)
        status = vt_fail(VT_INVALID_ARGUMENT,
                         "ambient.kind is %d; allowed are VT_GAS and VT_LIQUID", a->kind);
    if (!status)
        status = check_number("ambient.density", a->density, a->density > 0,
                              "a finite density > 0 (kg/m^3)");
    if (!status)
        status = check_number("ambient.temperature", a->temperature, a->temperature > 0,
                              "a finite temperature > 0 (K)");
    if (!status)
        status = check_number("ambient.expansion", a->expansion,
                              a->expansion > 0 && a->expansion <= 0.1, "> 0 to 0.1 (1/K)");
    if (!status)
        status = check_number(
            "ambient.stratification", a->stratification,
            a->stratification >= 0 && a->stratification <= most_stratification,
            "0 to 1000 (K/m): below 0 fluid that is lighter below turns over by itself");
    for (int i = 0; i < 3 && !status; i++)
        status = check_number("gravity", def->gravity[i], fabs(def->gravity[i]) <= 1e6,
                              "three numbers of at most 1e6 (m/s^2)");
    return status;
}
