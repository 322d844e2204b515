#include "sources/sources.h"

#include "animation/definition.h"
#include "base/growing_array.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/status.h"
#include "geometry/region_points.h"
#include "model/fluid_composition.h"
#include "sources/fluid_emitter.h"
#include "sources/parcel_list.h"
#include "sources/tracer_emitter.h"
#include "sources/vortex_structures.h"
#include "state/particles.h"
#include "state/simulation.h"
#include "tracers/scalars.h"

enum { EMITTER_STREAM = 1, MOST_EMITTERS = 1 << 20 };

/* Births are tried in the box of a shape, and the tries are counted: so many a second at most. */
#define MOST_TRIES 4e9

void vti_destroy_tracer_emitter(vt_tracer_emitter *emitter)
{
    vti_destroy_stream(&emitter->stream);
    vti_free(emitter->points);
}

void vti_destroy_sources(vt_sources *sources)
{
    for (int32_t e = 0; e < sources->tracer_emitter_count; e++)
        vti_destroy_tracer_emitter(&sources->emitters[e]);
    vti_free(sources->emitters);
    for (int32_t p = 0; p < sources->fluid_emitter_count; p++)
        vti_destroy_fluid_emitter(&sources->parcels[p]);
    vti_free(sources->parcels);
    vti_destroy_structures(&sources->structures);
    vti_free(sources->made_by);
    vti_free(sources->born_in);
    *sources = (vt_sources){0};
}

/* What owns memory in them is copied below: whoever adds a member looks there, too. */
_Static_assert(sizeof(vt_tracer_emitter) == sizeof(vt_birth_stream) + sizeof(void *) + 8 * 6 &&
                   sizeof(vt_birth_stream) == sizeof(vt_animations) + sizeof(vt_rate_sum) +
                                                  sizeof(vt_region) + sizeof(vt_fluid_def) +
                                                  8 * 6 &&
                   sizeof(vt_sources) == sizeof(vt_structures) + 7 * sizeof(void *),
               "vti_copy_sources copies every member");

/* Points, with the arrays behind them in the same block; NULL without memory. */
static vt_tracer_points_def *copy_points(const vt_tracer_points_def *def)
{
    vt_tracer_points_def *const copy =
        vti_copy_with_rows(&vti_tracer_points_definition, def, def->count);
    if (copy)
        copy->animations = NULL;
    return copy;
}

/* `to` has the plain values of `from` already; on failure there is nothing to destroy. */
static vt_status copy_tracer_emitter(const vt_tracer_emitter *from, vt_tracer_emitter *to)
{
    to->points = from->points ? copy_points(from->points) : NULL;
    vt_status status =
        vti_copy_stream(from->points ? &vti_point_numbers_definition : &vti_tracers_definition,
                        &from->stream, &to->stream);
    if (!status && from->points && !to->points)
        status = vti_fail(VT_OUT_OF_MEMORY, "no memory for a copy of %lld points",
                          (long long)from->points->count);
    if (status)
        vti_destroy_tracer_emitter(to);
    return status;
}

static vt_status copy_fluid_emitters(const vt_sources *from, vt_sources *to)
{
    vt_status status = VT_OK;
    to->parcels = vti_copy_grown(from->parcels, from->fluid_emitter_count, sizeof *to->parcels);
    if (!to->parcels)
        return vti_fail(VT_OUT_OF_MEMORY, "no memory for %d emitters", from->fluid_emitter_count);
    for (int32_t p = 0; p < from->fluid_emitter_count && !status; p++) {
        status = vti_copy_fluid_emitter(&from->parcels[p], &to->parcels[p]);
        to->fluid_emitter_count = p + !status;
    }
    return status;
}

vt_status vti_copy_sources(const vt_sources *from, vt_sources *to)
{
    *to = (vt_sources){.made = from->made,
                       .emitters_made = from->emitters_made,
                       .parcels_made = from->parcels_made};
    to->made_by = vti_copy_grown(from->made_by, from->made, sizeof *to->made_by);
    to->born_in = vti_copy_grown(from->born_in, from->made, sizeof *to->born_in);
    if (!to->made_by || !to->born_in)
        return vti_fail(VT_OUT_OF_MEMORY, "no memory for %d sources", from->made);
    vt_status status = vti_copy_structures(&from->structures, &to->structures);
    if (!status)
        status = copy_fluid_emitters(from, to);
    if (status)
        return status;
    to->emitters = vti_copy_grown(from->emitters, from->tracer_emitter_count, sizeof *to->emitters);
    if (!to->emitters)
        return vti_fail(VT_OUT_OF_MEMORY, "no memory for %d emitters", from->tracer_emitter_count);
    for (int32_t e = 0; e < from->tracer_emitter_count && !status; e++) {
        status = copy_tracer_emitter(&from->emitters[e], &to->emitters[e]);
        to->tracer_emitter_count = e + !status; /* as many as there are to destroy */
    }
    return status;
}

/* ---- checks ---- */

static vt_status check_own(const vt_simulation *s, const vt_tracers_def *def)
{
    const vt_animations animations = {.count = def->animation_count,
                                      .items = (vt_animation *)def->animations};
    if (def->fluid.density != 0)
        return vti_fail(VT_INVALID_ARGUMENT,
                        "emitter: density of the fluid is %g kg/m^3; allowed is 0: tracers weigh "
                        "nothing",
                        def->fluid.density);
    return vti_check_fluid(&s->def.combustion, "emitter", &def->fluid, &animations);
}

vt_status vti_check_tracer_emitter(const vt_simulation *s, const vt_tracers_def *def)
{
    if (def->count < 0 || def->count > s->tracers.set.capacity)
        return vti_fail(VT_INVALID_ARGUMENT, "count is %lld; allowed is 0 to max_tracers, %lld%s",
                        (long long)def->count, (long long)s->tracers.set.capacity,
                        vti_whose_room(s, VT_TRACERS));
    vt_status status = check_own(s, def);
    const vt_track *const rate = vti_find_track(def->animation_count, def->animations, "rate");
    if (!status && def->count > 0 && (def->rate > 0 || rate) &&
        (vti_find_track(def->animation_count, def->animations, "shape.radius") ||
         vti_find_track(def->animation_count, def->animations, "shape.size")))
        status = vti_fail(VT_INVALID_ARGUMENT,
                          "count is %lld, and there is a rate; allowed for a shape that changes is "
                          "one of them",
                          (long long)def->count);
    if (!status && def->count == 0 && def->rate == 0 && !rate)
        status =
            vti_fail(VT_INVALID_ARGUMENT, "count and rate are 0; one of them must be positive");
    return status;
}

vt_status vti_check_tracer_points(const vt_simulation *s, const vt_tracer_points_def *def)
{
    const int streams =
        def->rate != 0 || vti_find_track(def->animation_count, def->animations, "rate");
    if (def->count < 1 || (!streams && def->count > s->tracers.set.capacity) ||
        def->count > INT32_MAX)
        return vti_fail(
            VT_INVALID_ARGUMENT,
            "count is %lld; allowed is 1 to max_tracers, %lld%s (with a rate, to 2^31 - 1)",
            (long long)def->count, (long long)s->tracers.set.capacity,
            vti_whose_room(s, VT_TRACERS));
    return vti_check_shares(&s->def.combustion, "tracer_points", def->count, def->fuel, def->flame,
                            def->smoke);
}

/* ---- adding ---- */

static vt_status fill_now(vt_simulation *s, vt_tracer_emitter *emitter)
{
    int64_t count = emitter->count;
    const vt_status status = vti_check_capacity(s, VT_TRACERS, &count);
    if (status)
        return status;
    vti_make_capacity(s, VT_TRACERS, count);
    const size_t mark = vti_arena_mark(&s->arena);
    vt_tracer_list list = vti_new_tracer_list(&s->arena, count, emitter->members != 0);
    vti_emit_at_start(s, emitter, count, &list);
    vti_append_tracer_list(s, &list, count);
    emitter->filled = 1;
    vti_arena_pop(&s->arena, mark);
    return VT_OK;
}

static void use_columns(vt_simulation *s, const vt_tracer_emitter *e)
{
    const int dies = e->points ? e->points->lifetime != NULL : isfinite(e->stream.lifetime);
    const int grows = e->points ? e->points->growth != NULL : e->growth > 0;
    const int fades = e->points ? e->points->fade != NULL : e->fade > 0;
    if (dies || vti_find_animation(&e->stream.animations, "lifetime"))
        vti_use_tracer_column(s, VT_TRACER_lifetime);
    if (grows || vti_find_animation(&e->stream.animations, "growth"))
        vti_use_tracer_column(s, VT_TRACER_growth);
    if (fades || vti_find_animation(&e->stream.animations, "fade"))
        vti_use_tracer_column(s, VT_TRACER_fade);
    if (e->members >> VT_CARRIED_temperature & 1)
        vti_use_tracer_column(s, VT_TRACER_warmth);
}

/* Takes the emitter over; on failure it is destroyed. */
static vt_status keep_tracer_emitter(vt_simulation *s, vt_tracer_emitter *emitter,
                                     const vt_predecessor *before)
{
    vt_sources *const sources = &s->sources;
    const int32_t n = sources->tracer_emitter_count;
    vt_status status = VT_OK;
    emitter->stream.id = sources->made;
    emitter->filled = before && before->has_filled;
    emitter->stream.seed =
        before && before->has_seed
            ? before->seed
            : vti_random_bits(s->def.seed, EMITTER_STREAM, (uint64_t)sources->emitters_made);
    if (n == MOST_EMITTERS || vti_grow((void **)&sources->emitters, n, sizeof *emitter))
        status = vti_fail(VT_OUT_OF_MEMORY, "no memory for emitter %d", n);
    if (!status)
        use_columns(s, emitter);
    if (!status && emitter->count > 0 && emitter->stream.start <= s->time && !emitter->filled)
        status = fill_now(s, emitter);
    if (status) {
        vti_destroy_tracer_emitter(emitter);
        return status;
    }
    sources->emitters[n] = *emitter;
    sources->tracer_emitter_count = n + 1;
    sources->emitters_made += !(before && before->has_seed);
    return VT_OK;
}

vt_status vti_keep_tracer_emitter(vt_simulation *s, const vt_tracers_def *def,
                                  const vt_predecessor *before)
{
    vt_tracer_emitter emitter = {.stream = {.fluid = def->fluid,
                                            .lifetime = def->lifetime,
                                            .rate = def->rate,
                                            .start = def->start,
                                            .end = def->end,
                                            .parent = def->parent},
                                 .count = def->count,
                                 .density = def->density,
                                 .growth = def->growth,
                                 .fade = def->fade,
                                 .emitter = def->emitter};
    const vt_region *const region = &emitter.stream.region;
    vt_status status = vti_animate_stream(&vti_tracers_definition, def->animation_count,
                                          def->animations, &emitter.stream);
    /* density is the smoke here */
    emitter.members = vti_fluid_members(&emitter.stream.fluid, &emitter.stream.animations) &
                      ~(1u << VT_CARRIED_density);
    if (!status)
        status = vti_create_growing_region(
            &def->shape, "shape", def->animation_count, def->animations,
            def->count > 0 ? fmax(def->start, s->time) : (double)NAN, &emitter.stream.region);
    if (!status && def->rate * region->box_volume > MOST_TRIES * region->volume)
        status = vti_fail(VT_INVALID_ARGUMENT,
                          "rate is %g; allowed for a shape that fills %.3g of its box is up to %g "
                          "tracers a second",
                          def->rate, region->volume / region->box_volume,
                          MOST_TRIES * region->volume / region->box_volume);
    if (status) {
        vti_destroy_tracer_emitter(&emitter);
        return status;
    }
    return keep_tracer_emitter(s, &emitter, before);
}

vt_status vti_keep_tracer_points(vt_simulation *s, const vt_tracer_points_def *def,
                                 const vt_predecessor *before)
{
    vt_tracer_points_def *const block = copy_points(def);
    if (!block)
        return vti_fail(VT_OUT_OF_MEMORY, "no memory for %lld points", (long long)def->count);
    vt_tracer_emitter emitter = {
        .stream = {.rate = def->rate, .start = def->start, .end = def->end, .parent = def->parent},
        .count = def->count,
        .emitter = -1,
        .points = block};
    const vt_status status = vti_animate_stream(&vti_point_numbers_definition, def->animation_count,
                                                def->animations, &emitter.stream);
    if (status) {
        vti_destroy_tracer_emitter(&emitter);
        return status;
    }
    if (emitter.stream.rate > 0 || vti_find_animation(&emitter.stream.animations, "rate"))
        emitter.count = 0;
    for (int n = 0; n < VT_TAKEN_COLUMNS; n++)
        emitter.members |= (uint32_t)(vti_own_of_points(block, n) != NULL)
                           << vti_composition_of_taken[n];
    return keep_tracer_emitter(s, &emitter, before);
}
