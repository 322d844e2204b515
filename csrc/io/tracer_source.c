#include "io/tracer_source.h"

#include <stddef.h>

#include "core/mathd.h"
#include "core/status.h"
#include "state/combustion.h"

vt_status vt_check_tracer_source(const vt_tracer_source *source)
{
    if (!source)
        return vt_fail(VT_INVALID_ARGUMENT, "source must not be NULL");
    if (source->count < 0 || source->count > INT32_MAX)
        return vt_fail(VT_INVALID_ARGUMENT, "count must be in 0 .. 2^31 - 1, got %lld",
                       (long long)source->count);
    if (source->count > 0 && (!source->position || !source->density || !source->size))
        return vt_fail(VT_INVALID_ARGUMENT, "%s must not be NULL where count is %lld",
                       !source->position  ? "position"
                       : !source->density ? "density"
                                          : "size",
                       (long long)source->count);
    const double ambient = source->ambient_temperature;
    if (source->temperature && !(ambient > 0.0 && ambient <= 1e6))
        return vt_fail(VT_INVALID_ARGUMENT,
                       "ambient_temperature must be > 0 .. 1e6 K where the tracers carry "
                       "temperature, got %g",
                       ambient);
    return source->combustion.law == VT_BURN_NONE ? VT_OK
                                                  : vt_check_combustion(&source->combustion);
}

float vt_tracers_ignite_at(const vt_tracer_source *source)
{
    const vt_combustion *const law = &source->combustion;
    if (law->law == VT_BURN_NONE)
        return (float)vt_default_combustion(VT_BURN_SIMPLE).ignition;
    if (law->law == VT_BURN_SIMPLE)
        return (float)law->ignition;
    const double logarithm = vt_log(law->rate);
    return (float)(law->activation / (logarithm > 1.0 ? logarithm : 1.0));
}

vt_status vt_describe_bad_tracer(const vt_tracer_source *s, double voxel_size, int64_t row)
{
    const struct {
        const char *name, *allowed;
        const float *column;
        int zero;
    } amounts[] = {{"density", ">= 0", s->density, 1},
                   {"size", ">= 0", s->size, 1},
                   {"temperature", "> 0 K", s->temperature, 0},
                   {"fuel", ">= 0", s->fuel, 1},
                   {"flame", ">= 0", s->flame, 1},
                   {"smoke", ">= 0", s->smoke, 1}};
    for (size_t i = 0; i < sizeof amounts / sizeof amounts[0]; i++) {
        const float value = amounts[i].column ? amounts[i].column[row] : 1.0f;
        if (vt_is_amount(value) && (amounts[i].zero || value > 0.0f))
            continue;
        return vt_fail(value <= 0.0f ? VT_INVALID_ARGUMENT : VT_NOT_FINITE,
                       "%s of tracer row %lld is %g; it must be finite and %s", amounts[i].name,
                       (long long)row, (double)value, amounts[i].allowed);
    }
    const float *const p = s->position + 3 * row;
    const double x = (double)p[0], y = (double)p[1], z = (double)p[2];
    if ((x - x) + (y - y) + (z - z) != 0.0)
        return vt_fail(VT_NOT_FINITE, "position of tracer row %lld is (%g, %g, %g), not finite",
                       (long long)row, x, y, z);
    return vt_fail(VT_INVALID_ARGUMENT,
                   "position of tracer row %lld is (%g, %g, %g) m, more than 2^23 voxels of %g m "
                   "from the origin; remove the tracer or take larger voxels",
                   (long long)row, x, y, z, voxel_size);
}
