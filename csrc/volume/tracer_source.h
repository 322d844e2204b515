/* Tracers that belong to no simulation, as the rasteriser reads them. */
#pragma once

#include "vorton.h"

/* Checks the counts and pointers of a source, not its rows. */
vt_status vti_check_tracer_source(const vt_tracer_source *source);

static inline int vti_is_amount(float x)
{
    return x >= 0.0f && x - x == 0.0f;
}

/* Whether all that the tracer carries is allowed; its position is not looked at. */
static inline int vti_tracer_is_allowed(const vt_tracer_source *s, int64_t row)
{
    return vti_is_amount(s->density[row]) && vti_is_amount(s->size[row]) &&
           (!s->temperature ||
            (vti_is_amount(s->temperature[row]) && s->temperature[row] > 0.0f)) &&
           (!s->fuel || vti_is_amount(s->fuel[row])) &&
           (!s->flame || vti_is_amount(s->flame[row])) &&
           (!s->smoke || vti_is_amount(s->smoke[row])) &&
           (!s->growth || vti_is_amount(s->growth[row]));
}

/* What is wrong with a row that may not be rasterised to voxels of this size, m. */
vt_status vti_describe_bad_tracer(const vt_tracer_source *s, double voxel_size, int64_t row);

/* Where fuel begins to burn, K: see vt_tracer_source. */
float vti_tracers_ignite_at(const vt_tracer_source *source);

/* Share of the fuel of a tracer that may still burn, of tracers that ignite at a temperature. */
static inline float vti_warm_share(const vt_tracer_source *s, float ignition, int64_t row)
{
    const float temperature = s->temperature ? s->temperature[row] : ignition;
    const float warm = (temperature - 0.8f * ignition) / (0.2f * ignition);
    return temperature >= ignition ? 1.0f : warm > 0.0f ? warm : 0.0f;
}

/* Share of the tracer's density that is dense by now: soot comes last, or it would cloak the flame.
 */
static inline float vti_smoke_share(const vt_tracer_source *s, float ignition, int64_t row)
{
    const float little = 1e-3f;
    const float fuel = s->fuel ? s->fuel[row] : 0.0f, flame = s->flame ? s->flame[row] : 0.0f;
    const float all = fuel + flame + (s->smoke ? s->smoke[row] : 0.0f) + little;
    const float unburnt = (fuel * vti_warm_share(s, ignition, row) + flame) / all;
    const float burnt = 1.0f - 3.0f * unburnt;
    return burnt > little ? burnt * burnt : little * little;
}
