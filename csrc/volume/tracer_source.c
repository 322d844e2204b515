#include "volume/tracer_source.h"

#include <stddef.h>

#include "animation/definition_checks.h"
#include "base/math_double.h"
#include "base/status.h"
#include "model/combustion.h"

vt_status vti_check_tracer_source(const vt_tracer_source *source)
{
    const vt_status status = vti_check_rows(&vti_tracer_source_definition, "", source);
    if (status)
        return status;
    if (source->count > 0 && (!source->position || !source->density || !source->size))
        return vti_fail(VT_INVALID_ARGUMENT, "%s must not be NULL where count is %lld",
                        !source->position  ? "position"
                        : !source->density ? "density"
                                           : "size",
                        (long long)source->count);
    return VT_OK;
}

float vti_tracers_ignite_at(const vt_tracer_source *source)
{
    const vt_combustion *const law = &source->combustion;
    if (law->law == VT_BURN_NONE)
        return 500;
    if (law->law == VT_BURN_SIMPLE)
        return (float)law->ignition;
    const double logarithm = vti_log(vti_burning_rate(law));
    return (float)(law->activation / (logarithm > 1.0 ? logarithm : 1.0));
}

vt_status vti_describe_bad_tracer(const vt_tracer_source *s, double voxel_size, int64_t row)
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
                   {"smoke", ">= 0", s->smoke, 1},
                   {"growth", ">= 0", s->growth, 1}};
    for (size_t i = 0; i < sizeof amounts / sizeof amounts[0]; i++) {
        const float value = amounts[i].column ? amounts[i].column[row] : 1.0f;
        if (vti_is_amount(value) && (amounts[i].zero || value > 0.0f))
            continue;
        return vti_fail(value <= 0.0f ? VT_INVALID_ARGUMENT : VT_NOT_FINITE,
                        "%s of tracer row %lld is %g; it must be finite and %s", amounts[i].name,
                        (long long)row, (double)value, amounts[i].allowed);
    }
    const float *const p = s->position + 3 * row;
    const double x = (double)p[0], y = (double)p[1], z = (double)p[2];
    if ((x - x) + (y - y) + (z - z) != 0.0)
        return vti_fail(VT_NOT_FINITE, "position of tracer row %lld is (%g, %g, %g), not finite",
                        (long long)row, x, y, z);
    return vti_fail(VT_INVALID_ARGUMENT,
                    "position of tracer row %lld is (%g, %g, %g) m, more than 2^23 voxels of %g m "
                    "from the origin; remove the tracer or take larger voxels",
                    (long long)row, x, y, z, voxel_size);
}
