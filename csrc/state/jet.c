#include "state/jet.h"

#include <math.h>
#include <string.h>

#include "core/mathd.h"
#include "core/random.h"
#include "core/status.h"
#include "core/vec3.h"
#include "state/births.h"
#include "state/ring.h"

/* Keys of the random numbers of a pulse. */
enum { TILT = 0x74696c74, WOBBLE = 0x776f62 };

static const double most_rate = 1e4; /* pulses a second */

/* What may change from pulse to pulse; a speed or a circulation of 0 makes no ring. */
#define MEMBER(member) offsetof(vt_jet_def, member)
static const vt_parameter parameters[] = {
    {"center", MEMBER(center), {3, -1e9, 1e9, 0, "m"}},
    {"axis", MEMBER(axis), {3, -1e9, 1e9, 0, ""}},
    {"radius", MEMBER(radius), {1, 1e-9, 1e9, 0, "m"}},
    {"rate", MEMBER(rate), {1, 0, 1e4, 0, "pulses a second"}},
    {"core", MEMBER(core), {1, 1e-9, 1e9, 0, "m"}},
    {"speed", MEMBER(speed), {1, 0, 1e9, 0, "m/s"}},
    {"circulation", MEMBER(circulation), {1, -1e12, 1e12, 0, "m^2/s"}},
    {"duty", MEMBER(duty), {1, 0, 1, 0, ""}},
    {"wobble", MEMBER(wobble), {1, 0, 0.5, 0, ""}},
    {"tilt", MEMBER(tilt), {1, 0, 0.5, 0, "radians"}},
    VT_FLUID_PARAMETERS(vt_jet_def),
    {0}};

vt_jet_def vt_default_jet(void)
{
    return (vt_jet_def){.axis = {0, 0, 1},
                        .radius = .5,
                        .speed = 1,
                        .duty = 1,
                        .end = INFINITY,
                        .wobble = .03,
                        .tilt = .05,
                        .layers = -1};
}

double vt_jet_rate(const vt_jet_def *def)
{
    return def->rate > 0.0 ? def->rate : 2.0 * def->speed / def->radius;
}

/* ---- rings ---- */

/* A standard normal number (Box and Muller) of which the cosine is taken. */
static double normal_number(uint64_t seed, uint64_t stream, uint64_t index)
{
    const double u = 1.0 - vt_random(seed, stream, 2 * index);
    return vt_sqrt(-2.0 * vt_log(u)) * vt_cos_pi(2.0 * vt_random(seed, stream, 2 * index + 1));
}

static void tilt_axis(const vt_jet_def *def, int64_t pulse, double axis[3])
{
    const double x_axis[3] = {1, 0, 0};
    double normal[2][3];
    memcpy(axis, def->axis, sizeof normal[0]);
    vt_normalise(axis);
    vt_normal_to(axis, x_axis, normal[0]);
    vt_cross(axis, normal[0], normal[1]);
    for (uint64_t n = 0; n < 2; n++)
        vt_add_scaled(axis, def->tilt * normal_number(def->seed, TILT + n, (uint64_t)pulse),
                      normal[n]);
}

/* A slug flows until the next pulse, if one comes. */
static double time_to_next(const vt_jet *jet, int64_t pulse, double time)
{
    const double next = vt_event_time(&jet->rate_sum, jet->def.start, 0, pulse + 1);
    return isfinite(next) ? next - time : 0;
}

vt_ring_def vt_jet_ring(const vt_jet *jet, int64_t pulse)
{
    const double rate = vt_jet_rate(&jet->def);
    const int varies = jet->rate_sum.track != NULL;
    const double time = varies ? vt_event_time(&jet->rate_sum, jet->def.start, 0, pulse)
                               : jet->def.start + (double)pulse / rate;
    vt_jet_def now = jet->def;
    vt_animate(&jet->animations, time, &now);
    const int fixed = vt_find_animation(&jet->animations, "circulation") || now.circulation != 0.0;
    const double flow = now.speed * now.duty;
    const double slug = varies ? flow * time_to_next(jet, pulse, time) : flow / rate; /* m */
    vt_ring_def ring = vt_default_ring();
    memcpy(ring.center, now.center, sizeof ring.center);
    tilt_axis(&now, pulse, ring.axis);
    ring.radius[0] = ring.radius[1] = now.radius;
    ring.circulation = fixed ? now.circulation : 0.5 * now.speed * slug;
    ring.core = now.core > 0.0 ? now.core : 0.18 * now.radius;
    ring.vorton_core = now.vorton_core;
    ring.wobble = now.wobble;
    ring.wobble_seed = vt_random_bits(now.seed, WOBBLE, (uint64_t)pulse);
    ring.sections = now.sections;
    ring.layers = now.layers;
    ring.time = time;
    ring.fluid = now.fluid;
    return ring;
}

/* ---- checks ---- */

/* The rings at the least and the largest that radius and core ever are. */
static vt_status check_rings(const vt_jet_def *def)
{
    const vt_jet constant = {.def = *def};
    vt_ring_def ring = vt_jet_ring(&constant, 0);
    const vt_track *const radius = vt_find_track(def->animation_count, def->animations, "radius");
    const vt_track *const core = vt_find_track(def->animation_count, def->animations, "core");
    double most_radius = def->radius, least_core = ring.core, most_core = ring.core;
    if (radius)
        vt_track_extremes(radius, 0, &ring.radius[0], &most_radius);
    ring.radius[1] = ring.radius[0];
    if (core)
        vt_track_extremes(core, 0, &least_core, &most_core);
    else if (!(def->core > 0.0))
        least_core = most_core = 0.18 * ring.radius[0];
    ring.core = most_core;
    const vt_status status = vt_check_ring(&ring);
    ring.core = least_core;
    return status ? status : vt_check_ring(&ring);
}

vt_status vt_check_jet(const vt_jet_def *def)
{
    vt_status status;
    if (!def)
        return vt_fail(VT_INVALID_ARGUMENT, "jet must not be NULL");
    if ((status = vt_check_number("jet", "speed", def->speed, 1e-9, 1e9, " m/s")) ||
        (status = vt_check_number("jet", "radius", def->radius, 1e-9, 1e9, " m")) ||
        (status = vt_check_number("jet", "rate", def->rate, 0.0, most_rate, " 1/s")) ||
        (status = vt_check_number("jet", "duty", def->duty, 1e-6, 1.0, "")) ||
        (status = vt_check_number("jet", "circulation", def->circulation, -1e12, 1e12, " m^2/s")) ||
        (status = vt_check_number("jet", "start", def->start, 0.0, 1e12, " s")) ||
        (status = vt_check_number("jet", "end", def->end, def->start, INFINITY, " s")) ||
        (status = vt_check_number("jet", "tilt", def->tilt, 0.0, 0.5, " radians")))
        return status;
    if (vt_jet_rate(def) > most_rate)
        return vt_fail(VT_INVALID_ARGUMENT,
                       "jet: rate must be given, at most %g 1/s, where 2 speed / radius is more, "
                       "got %g",
                       most_rate, vt_jet_rate(def));
    /* Center, axis, core and the rest are those of its rings. */
    for (int c = 0; c < 3; c++)
        if (!vt_is_finite(def->axis[c]))
            return vt_fail(VT_INVALID_ARGUMENT, "jet: axis[%d] must be finite, got %g", c,
                           def->axis[c]);
    if (def->axis[0] == 0.0 && def->axis[1] == 0.0 && def->axis[2] == 0.0)
        return vt_fail(VT_INVALID_ARGUMENT, "jet: axis must not be 0 0 0");
    if (!(def->core >= 0.0))
        return vt_fail(VT_INVALID_ARGUMENT, "jet: core must be >= 0 m, got %g", def->core);
    status = vt_check_animations(parameters, "a jet", def->animation_count, def->animations);
    if (!status)
        status = vt_check_animated_direction("axis", def->animation_count, def->animations);
    return status ? status : check_rings(def);
}

vt_status vt_create_jet(const vt_jet_def *def, vt_jet *jet)
{
    *jet = (vt_jet){.def = *def};
    jet->def.animations = NULL;
    vt_status status =
        vt_copy_animations(parameters, def->animation_count, def->animations, &jet->animations);
    const vt_track *const rate = vt_find_animation(&jet->animations, "rate");
    if (!status && rate)
        status = vt_create_rate_sum(rate, def->start, &jet->rate_sum);
    if (status)
        vt_destroy_jet(jet);
    return status;
}

void vt_destroy_jet(vt_jet *jet)
{
    vt_destroy_rate_sum(&jet->rate_sum);
    vt_destroy_animations(&jet->animations);
}
