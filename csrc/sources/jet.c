#include "sources/jet.h"

#include <math.h>
#include <string.h>

#include "animation/definition_checks.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/status.h"
#include "base/vec3.h"
#include "model/birth_sequence.h"
#include "sources/vortex_ring.h"

/* Keys of the random numbers of a pulse. */
enum { TILT = 0x74696c74, WOBBLE = 0x776f62 };

typedef struct vt_jet {
    vt_jet_def def;
    vt_animations animations;
    vt_rate_sum rate_sum; /* of an animated rate */
} vt_jet;

static double core_of(const vt_jet_def *def)
{
    return def->core > 0.0 ? def->core : VT_JET_CORE * def->radius;
}

/* Pulses a second. */
static double rate_of(const vt_jet_def *def)
{
    return def->rate > 0.0 ? def->rate
                           : def->speed / fmax(0.5 * def->radius, VT_JET_SLUG * core_of(def));
}

/* ---- rings ---- */

/* A standard normal number (Box and Muller) of which the cosine is taken. */
static double normal_number(uint64_t seed, uint64_t stream, uint64_t index)
{
    const double u = 1.0 - vti_random(seed, stream, 2 * index);
    return vti_sqrt(-2.0 * vti_log(u)) * vti_cos_pi(2.0 * vti_random(seed, stream, 2 * index + 1));
}

static void tilt_axis(const vt_jet_def *def, int64_t pulse, double axis[3])
{
    const double x_axis[3] = {1, 0, 0};
    double normal[2][3];
    memcpy(axis, def->axis, sizeof normal[0]);
    vti_normalise(axis);
    vti_normal_to(axis, x_axis, normal[0]);
    vti_cross(axis, normal[0], normal[1]);
    for (uint64_t n = 0; n < 2; n++)
        vti_add_scaled(axis, def->tilt * normal_number(def->seed, TILT + n, (uint64_t)pulse),
                       normal[n]);
}

/* A slug flows until the next pulse, if one comes. */
static double time_to_next(const vt_jet *jet, int64_t pulse, double time)
{
    const double next = vti_event_time(&jet->rate_sum, jet->def.start, 0, pulse + 1);
    return isfinite(next) ? next - time : 0;
}

/* The ring of pulse n (0, 1, ...), to be born at its `time`. */
static vt_ring_def ring_of(const vt_jet *jet, int64_t pulse)
{
    const double rate = rate_of(&jet->def);
    const int varies = jet->rate_sum.track != NULL;
    const double time = varies ? vti_event_time(&jet->rate_sum, jet->def.start, 0, pulse)
                               : jet->def.start + (double)pulse / rate;
    vt_jet_def now = jet->def;
    vti_animate(&jet->animations, time, &now);
    const int fixed = vti_find_animation(&jet->animations, "circulation") || now.circulation != 0.0;
    const double flow = now.speed * now.duty;
    const double slug = varies ? flow * time_to_next(jet, pulse, time) : flow / rate; /* m */
    vt_ring_def ring;
    vt_default_ring(&ring);
    memcpy(ring.center, now.center, sizeof ring.center);
    tilt_axis(&now, pulse, ring.axis);
    ring.radius[0] = ring.radius[1] = now.radius;
    ring.circulation = fixed ? now.circulation : 0.5 * now.speed * slug;
    ring.core = core_of(&now);
    ring.vorton_core = now.vorton_core;
    ring.wobble = now.wobble;
    ring.seed = vti_random_bits(now.seed, WOBBLE, (uint64_t)pulse);
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
    vt_ring_def ring = ring_of(&constant, 0);
    const vt_track *const radius = vti_find_track(def->animation_count, def->animations, "radius");
    const vt_track *const core = vti_find_track(def->animation_count, def->animations, "core");
    double most_radius = def->radius, least_core = ring.core, most_core = ring.core;
    if (radius)
        vti_track_extremes(radius, 0, &ring.radius[0], &most_radius);
    ring.radius[1] = ring.radius[0];
    if (core)
        vti_track_extremes(core, 0, &least_core, &most_core);
    else if (!(def->core > 0.0))
        least_core = most_core = VT_JET_CORE * ring.radius[0];
    ring.core = most_core;
    const vt_status status = vti_check_ring(&ring);
    ring.core = least_core;
    return status ? status : vti_check_ring(&ring);
}

static vt_status check_jet(const vt_jet_def *def)
{
    const double most_rate = vti_row_named(&vti_jet_definition, "rate")->most;
    if (rate_of(def) > most_rate)
        return vti_fail(VT_INVALID_ARGUMENT,
                        "jet.rate is by default %g 1/s here; allowed is up to %g: give it",
                        rate_of(def), most_rate);
    return check_rings(def);
}

/* ---- as a structure ---- */

/* A pulse of no circulation makes no ring. */
static int64_t count(const void *jet, int64_t pulse)
{
    const vt_ring_def ring = ring_of(jet, pulse);
    return ring.circulation == 0.0 ? 0 : vti_ring_count(&ring);
}

static void fill(const void *jet, int64_t pulse, vt_vorton_list *list)
{
    const vt_ring_def ring = ring_of(jet, pulse);
    if (ring.circulation != 0.0)
        vti_fill_ring(&ring, list);
}

static void destroy(void *data)
{
    vt_jet *const jet = data;
    vti_destroy_rate_sum(&jet->rate_sum);
    vti_destroy_animations(&jet->animations);
    vti_free(jet);
}

static vt_fluid_def fluid(const void *jet, int64_t pulse)
{
    return ring_of(jet, pulse).fluid;
}

static const vt_animations *animations(const void *jet)
{
    return &((const vt_jet *)jet)->animations;
}

static const vt_structure_kind jet_kind = {.name = "ring of the jet",
                                           .count = count,
                                           .fill = fill,
                                           .destroy = destroy,
                                           .fluid = fluid,
                                           .animations = animations};

vt_status vti_create_jet(const void *data, vt_structure *made)
{
    const vt_jet_def *const def = data;
    vt_status status = check_jet(def);
    if (status)
        return status;
    vt_jet *const jet = vti_allocate(sizeof *jet);
    if (!jet)
        return vti_fail(VT_OUT_OF_MEMORY, "no memory for a jet");
    *jet = (vt_jet){.def = *def};
    jet->def.animations = NULL;
    status = vti_copy_animations(&vti_jet_definition, def->animation_count, def->animations,
                                 &jet->animations);
    const vt_track *const rate = vti_find_animation(&jet->animations, "rate");
    if (!status && rate)
        status = vti_create_rate_sum(rate, def->start, &jet->rate_sum);
    if (status) {
        destroy(jet);
        return status;
    }
    *made = (vt_structure){.kind = &jet_kind,
                           .data = jet,
                           .start = def->start,
                           .period = 1.0 / rate_of(def),
                           .end = def->end,
                           .sum = &jet->rate_sum,
                           .parent = def->parent};
    return VT_OK;
}
