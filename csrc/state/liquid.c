#include "state/liquid.h"

#include <math.h>

#include "core/status.h"

/* Of the density at the ambient temperature. */
static const double least_density = 0.05;

double vt_hottest(const vt_simulation_def *def)
{
    const vt_ambient *const a = &def->ambient;
    return a->kind == VT_LIQUID ? a->temperature + (1 - least_density) / a->expansion : INFINITY;
}

static double density_at(const vt_ambient *a, double temperature)
{
    return a->density * (1 - a->expansion * (temperature - a->temperature));
}

vt_status vt_check_temperature(const vt_simulation_def *def, const char *what, double temperature)
{
    const double most = vt_hottest(def);
    if (temperature < most)
        return VT_OK;
    return vt_fail(
        VT_INVALID_ARGUMENT,
        "%s: at %g K the density of the liquid, %g (1 - %g (T - %g)), would be %g kg/m^3; "
        "allowed is less than %g K",
        what, temperature, def->ambient.density, def->ambient.expansion, def->ambient.temperature,
        density_at(&def->ambient, temperature), most);
}

vt_status vt_check_warmth(const vt_simulation *s)
{
    const float *const temperature = vt_used_column(&s->vortons.set, VT_VORTON_temperature);
    const double most = vt_hottest(&s->def);
    if (!temperature || !isfinite(most))
        return VT_OK;
    for (int64_t i = 0; i < s->vortons.set.count; i++)
        if (!((double)temperature[i] < most))
            return vt_fail(
                VT_INVALID_ARGUMENT,
                "vortons.temperature has %g K in row %lld (id %lld), where the density of "
                "the liquid would be %g kg/m^3; allowed is less than %g K",
                (double)temperature[i], (long long)i, (long long)s->vortons.id[i],
                density_at(&s->def.ambient, (double)temperature[i]), most);
    return VT_OK;
}
