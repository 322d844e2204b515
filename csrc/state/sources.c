#include "state/sources.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/grow.h"
#include "core/mathd.h"
#include "core/random.h"
#include "core/status.h"
#include "state/ring.h"
#include "state/simulation.h"

enum { EMITTER_STREAM = 1, MOST_SOURCES = 1 << 20 };

#define MEMBER(member) offsetof(vt_emitter_def, member)
static const vt_parameter emitter_parameters[] = {
    {"rate", MEMBER(rate), {1, 0, 1e9, 0, "tracers a second"}},
    {"density", MEMBER(density), {1, 0, DBL_MAX, 0, "kg/m^3"}},
    {"lifetime", MEMBER(lifetime), {1, 0, INFINITY, 1, "s"}},
    {"growth", MEMBER(growth), {1, 0, 1e9, 0, "m/s"}},
    {0}};

vt_emitter_def vt_default_emitter(void)
{
    return (vt_emitter_def){
        .shape = vt_default_shape(), .end = INFINITY, .density = 1, .lifetime = INFINITY};
}

static void destroy_emitter(vt_emitter *emitter)
{
    vt_destroy_region(&emitter->region);
    vt_destroy_rate_sum(&emitter->rate_sum);
    vt_destroy_animations(&emitter->animations);
}

void vt_destroy_sources(vt_sources *sources)
{
    for (int32_t e = 0; e < sources->emitter_count; e++)
        destroy_emitter(&sources->emitters[e]);
    free(sources->rings);
    free(sources->emitters);
    *sources = (vt_sources){0};
}

/* ---- rings ---- */

/* The whole ring at once, into the columns: a part of one would be no vortex line. */
static vt_status bear_ring(vt_simulation *s, const vt_ring_def *def)
{
    const int64_t count = vt_ring_count(def);
    int64_t fits = count;
    const vt_status status = vt_check_room(s, VT_VORTONS, &fits);
    if (status || fits < count)
        return status;
    vt_make_room(s, VT_VORTONS, count);
    const size_t rows = (size_t)count, mark = vt_arena_mark(&s->arena);
    float *const position = vt_arena_push(&s->arena, 12 * rows);
    float *const strength = vt_arena_push(&s->arena, 12 * rows);
    float *const core = vt_arena_push(&s->arena, 4 * rows);
    float *const volume = vt_arena_push(&s->arena, 4 * rows);
    vt_fill_ring(def, position, strength, core, volume);
    vt_append_vortons(s, count, position, strength, core, volume);
    vt_arena_pop(&s->arena, mark);
    return VT_OK;
}

static vt_status keep_ring(vt_simulation *s, const vt_ring_def *def)
{
    vt_sources *const sources = &s->sources;
    if (sources->ring_count == MOST_SOURCES ||
        vt_grow((void **)&sources->rings, sources->ring_count, sizeof *def))
        return vt_fail(VT_OUT_OF_MEMORY, "no memory for ring %d", sources->ring_count);
    sources->rings[sources->ring_count++] = *def;
    return VT_OK;
}

/* The ring where its parent has it at its birth. */
static vt_ring_def place_ring(const vt_simulation *s, const vt_ring_def *def)
{
    vt_ring_def placed = *def;
    if (def->parent == 0)
        return placed;
    const vt_pose pose = vt_pose_at(&s->transforms, def->parent, fmax(def->time, s->time));
    vt_pose_point(&pose, def->center, placed.center);
    vt_pose_direction(&pose, def->axis, placed.axis);
    vt_pose_direction(&pose, def->major, placed.major);
    placed.radius[0] *= pose.scale;
    placed.radius[1] *= pose.scale;
    placed.core *= pose.scale;
    placed.vorton_core *= pose.scale;
    placed.parent = 0;
    return placed;
}

static vt_status add_ring(vt_simulation *s, const vt_ring_def *def)
{
    vt_status status = vt_check_parent(&s->transforms, def->parent);
    if (status)
        return status;
    const vt_ring_def placed = place_ring(s, def);
    status = vt_check_ring(&placed);
    if (status)
        return status;
    if (vt_ring_count(&placed) > s->vortons.set.capacity)
        return vt_fail(VT_OVER_CAPACITY, "the ring has %lld vortons; max_vortons is %lld",
                       (long long)vt_ring_count(&placed), (long long)s->vortons.set.capacity);
    return placed.time <= s->time ? bear_ring(s, &placed) : keep_ring(s, &placed);
}

vt_status vt_add_ring(vt_simulation *s, const vt_ring_def *def)
{
    vt_status status = vt_check_ring(def);
    if (!status)
        status = vt_enter(s);
    if (status)
        return status;
    status = add_ring(s, def);
    vt_leave(s);
    return status;
}

/* ---- emitters ---- */

static vt_status check_emitter(const vt_simulation *s, const vt_emitter_def *def)
{
    if (def->count < 0 || def->count > s->tracers.set.capacity)
        return vt_fail(VT_INVALID_ARGUMENT, "count is %lld; allowed is 0 to max_tracers, %lld",
                       (long long)def->count, (long long)s->tracers.set.capacity);
    if (def->count == 0 && def->rate == 0 && def->animation_count == 0)
        return vt_fail(VT_INVALID_ARGUMENT, "count and rate are 0; one of them must be positive");
    if (!(def->start >= 0 && isfinite(def->start)))
        return vt_fail(VT_INVALID_ARGUMENT, "start is %g s; allowed is a finite time >= 0",
                       def->start);
    if (!(def->end >= def->start))
        return vt_fail(VT_INVALID_ARGUMENT, "end is %g s; allowed is start, %g s, or later",
                       def->end, def->start);
    vt_status status = vt_check_parameters(emitter_parameters, def);
    if (!status)
        status = vt_check_animations(emitter_parameters, "an emitter", def->animation_count,
                                     def->animations);
    return status ? status : vt_check_parent(&s->transforms, def->parent);
}

static vt_tracer_list new_tracer_list(vt_arena *arena, int64_t count)
{
    const size_t rows = (size_t)count;
    return (vt_tracer_list){.position = vt_arena_push(arena, 12 * rows),
                            .density = vt_arena_push(arena, 4 * rows),
                            .size = vt_arena_push(arena, 4 * rows),
                            .lifetime = vt_arena_push(arena, 4 * rows),
                            .growth = vt_arena_push(arena, 4 * rows),
                            .time = vt_arena_push(arena, 8 * rows)};
}

static vt_tracer_list list_from(const vt_tracer_list *rows, int64_t first)
{
    return (vt_tracer_list){rows->position + 3 * first, rows->density + first, rows->size + first,
                            rows->lifetime + first,     rows->growth + first,  rows->time + first};
}

static void place_tracer(const vt_pose *pose, float position[3])
{
    double place[3];
    for (int c = 0; c < 3; c++)
        place[c] = (double)position[c];
    vt_pose_point(pose, place, place);
    for (int c = 0; c < 3; c++)
        position[c] = (float)place[c];
}

/* Tracers have a place in the shape and a time: puts them where the shape is then, and gives each
 * its share of the smoke, as one of n that fill the shape. */
static void finish_births(const vt_simulation *s, const vt_emitter *emitter, double n,
                          int64_t count, const vt_tracer_list *rows)
{
    const int32_t parent = emitter->def.parent;
    const int moves = vt_parent_moves(&s->transforms, parent);
    vt_pose pose = vt_pose_at(&s->transforms, parent, 0);
    vt_emitter_def now = emitter->def;
    for (int64_t i = 0; i < count; i++) {
        vt_animate(&emitter->animations, rows->time[i], &now);
        if (moves)
            pose = vt_pose_at(&s->transforms, parent, rows->time[i]);
        if (parent)
            place_tracer(&pose, rows->position + 3 * i);
        const double volume = emitter->region.volume * (pose.scale * pose.scale * pose.scale);
        rows->density[i] = (float)(now.density * volume / n);
        rows->size[i] = (float)vt_cbrt(volume / n);
        rows->lifetime[i] = (float)now.lifetime;
        rows->growth[i] = (float)now.growth;
    }
}

/* The first `count` of the tracers that are born at once. */
static void fill_shape(const vt_simulation *s, const vt_emitter *emitter, double time,
                       int64_t count, const vt_tracer_list *rows)
{
    vt_fill_region(&emitter->region, emitter->seed, count, rows->position);
    for (int64_t i = 0; i < count; i++)
        rows->time[i] = time;
    finish_births(s, emitter, (double)emitter->def.count, count, rows);
}

/* Rows that have waited in a plan join the columns; returns the first. */
static int64_t append_births(vt_simulation *s, int64_t count, const vt_tracer_list *rows)
{
    const int64_t first = vt_append_tracers(s, count, rows->position, rows->density, rows->size);
    if (s->tracers.set.used[VT_TRACER_lifetime])
        memcpy(s->tracers.lifetime + first, rows->lifetime, 4 * (size_t)count);
    if (s->tracers.set.used[VT_TRACER_growth])
        memcpy(s->tracers.growth + first, rows->growth, 4 * (size_t)count);
    return first;
}

static vt_status fill_now(vt_simulation *s, vt_emitter *emitter)
{
    int64_t count = emitter->def.count;
    const vt_status status = vt_check_room(s, VT_TRACERS, &count);
    if (status)
        return status;
    vt_make_room(s, VT_TRACERS, count);
    const size_t mark = vt_arena_mark(&s->arena);
    const vt_tracer_list rows = new_tracer_list(&s->arena, count);
    fill_shape(s, emitter, s->time, count, &rows);
    append_births(s, count, &rows);
    emitter->filled = 1;
    vt_arena_pop(&s->arena, mark);
    return VT_OK;
}

/* What the definition says of time: copies, and an animated rate ready for births. */
static vt_status animate_emitter(const vt_emitter_def *def, vt_emitter *emitter)
{
    vt_status status = vt_copy_animations(emitter_parameters, def->animation_count, def->animations,
                                          &emitter->animations);
    emitter->def.animations = NULL;
    if (status)
        return status;
    const vt_track *const rate = vt_find_animation(&emitter->animations, "rate");
    if (!rate)
        return VT_OK;
    double least;
    vt_track_extremes(rate, 0, &least, &emitter->def.rate);
    return vt_create_rate_sum(rate, def->start, &emitter->rate_sum);
}

static int dies(const vt_emitter *emitter)
{
    return isfinite(emitter->def.lifetime) || vt_find_animation(&emitter->animations, "lifetime");
}

static int grows(const vt_emitter *emitter)
{
    return emitter->def.growth > 0 || vt_find_animation(&emitter->animations, "growth");
}

static vt_status keep_emitter(vt_simulation *s, const vt_emitter_def *def)
{
    vt_sources *const sources = &s->sources;
    const int32_t n = sources->emitter_count;
    vt_emitter emitter = {.def = *def,
                          .seed = vt_random_bits(s->def.seed, EMITTER_STREAM, (uint64_t)n)};
    vt_status status = vt_create_region(&def->shape, &emitter.region);
    if (!status)
        status = animate_emitter(def, &emitter);
    if (!status && (n == MOST_SOURCES || vt_grow((void **)&sources->emitters, n, sizeof emitter)))
        status = vt_fail(VT_OUT_OF_MEMORY, "no memory for emitter %d", n);
    if (!status && dies(&emitter))
        vt_use_tracer_column(s, VT_TRACER_lifetime);
    if (!status && grows(&emitter))
        vt_use_tracer_column(s, VT_TRACER_growth);
    if (!status && def->count > 0 && def->start <= s->time)
        status = fill_now(s, &emitter);
    if (status) {
        destroy_emitter(&emitter);
        return status;
    }
    emitter.def.shape = emitter.region.shape;
    sources->emitters[n] = emitter;
    sources->emitter_count = n + 1;
    return VT_OK;
}

vt_status vt_add_emitter(vt_simulation *s, const vt_emitter_def *def)
{
    vt_status status = vt_enter(s);
    if (status)
        return status;
    status = check_emitter(s, def);
    if (!status)
        status = keep_emitter(s, def);
    vt_leave(s);
    return status;
}

/* ---- births of a step ---- */

static int is_due(double time, double from, double to)
{
    return time >= from && time < to;
}

static vt_birth_stream stream_of(const vt_emitter *emitter)
{
    return (vt_birth_stream){
        &emitter->region, emitter->seed,     emitter->def.start,
        emitter->def.end, emitter->def.rate, emitter->rate_sum.track ? &emitter->rate_sum : NULL};
}

static int fills(const vt_emitter *emitter, double from, double to)
{
    return emitter->def.count > 0 && !emitter->filled && is_due(emitter->def.start, from, to);
}

/* Counts of births, before anything is made of them: for at_capacity "stop" no more than fit. */
static vt_status count_vortons(const vt_simulation *s, double from, double to, vt_births *b)
{
    const vt_sources *const sources = &s->sources;
    int64_t count = 0;
    for (int32_t r = 0; r < sources->ring_count; r++)
        if (is_due(sources->rings[r].time, from, to))
            count += vt_ring_count(&sources->rings[r]);
    const vt_status status = vt_check_room(s, VT_VORTONS, &count);
    b->vorton_count = count;
    return status;
}

/* A rate and a step that ask for far more than there is room for are not counted one by one. */
static int64_t count_stream(const vt_emitter *emitter, double from, double to, int64_t capacity)
{
    const vt_birth_stream stream = stream_of(emitter);
    const double expected = vt_expected_births(&stream, from, to);
    const double many = 2.0 * (double)capacity + 1e6;
    if (expected > many)
        return (int64_t)fmin(expected, 0x1p40);
    return vt_stream_births(&stream, from, to, INT64_MAX, NULL, NULL);
}

static vt_status count_tracers(const vt_simulation *s, double from, double to, vt_births *b)
{
    const vt_sources *const sources = &s->sources;
    int64_t count = 0;
    for (int32_t e = 0; e < sources->emitter_count; e++) {
        const vt_emitter *const emitter = &sources->emitters[e];
        if (fills(emitter, from, to))
            count += emitter->def.count;
        if (emitter->def.rate > 0)
            count += count_stream(emitter, from, to, s->tracers.set.capacity);
    }
    const vt_status status = vt_check_room(s, VT_TRACERS, &count);
    b->tracer_count = count;
    return status;
}

static void plan_vortons(vt_simulation *s, double from, double to, vt_births *b)
{
    const vt_sources *const sources = &s->sources;
    const size_t rows = (size_t)b->vorton_count;
    b->vorton_position = vt_arena_push(&s->arena, 12 * rows);
    b->vorton_strength = vt_arena_push(&s->arena, 12 * rows);
    b->vorton_core = vt_arena_push(&s->arena, 4 * rows);
    b->vorton_volume = vt_arena_push(&s->arena, 4 * rows);
    b->vorton_time = vt_arena_push(&s->arena, 8 * rows);
    int64_t at = 0;
    for (int32_t r = 0; r < sources->ring_count; r++) {
        const vt_ring_def *const ring = &sources->rings[r];
        if (!is_due(ring->time, from, to))
            continue;
        const int64_t end = at + vt_ring_count(ring);
        if (end > b->vorton_count) /* no part of a ring is born: it would be no vortex line */
            continue;
        vt_fill_ring(ring, b->vorton_position + 3 * at, b->vorton_strength + 3 * at,
                     b->vorton_core + at, b->vorton_volume + at);
        b->runs[b->run_count++] = (vt_birth_run){.next = at, .end = end};
        for (; at < end; at++)
            b->vorton_time[at] = ring->time;
    }
    b->vorton_count = at;
}

static void plan_fill(const vt_simulation *s, const vt_emitter *emitter, vt_births *b, int64_t *at)
{
    const int64_t left = b->tracer_count - *at;
    const int64_t count = emitter->def.count < left ? emitter->def.count : left;
    const vt_tracer_list rows = list_from(&b->tracers, *at);
    fill_shape(s, emitter, emitter->def.start, count, &rows);
    b->runs[b->run_count++] = (vt_birth_run){.next = *at, .end = *at + count, .emitter = emitter};
    *at += count;
}

static void plan_stream(const vt_simulation *s, const vt_emitter *emitter, double from, double to,
                        vt_births *b, int64_t *at)
{
    const vt_birth_stream stream = stream_of(emitter);
    const vt_tracer_list rows = list_from(&b->tracers, *at);
    const int64_t count =
        vt_stream_births(&stream, from, to, b->tracer_count - *at, rows.position, rows.time);
    finish_births(s, emitter, emitter->def.rate, count, &rows);
    b->runs[b->run_count++] = (vt_birth_run){.next = *at, .end = *at + count, .emitter = emitter};
    *at += count;
}

static void plan_tracers(vt_simulation *s, double from, double to, vt_births *b)
{
    const vt_sources *const sources = &s->sources;
    b->tracers = new_tracer_list(&s->arena, b->tracer_count);
    int64_t at = 0;
    for (int32_t e = 0; e < sources->emitter_count; e++) {
        const vt_emitter *const emitter = &sources->emitters[e];
        if (fills(emitter, from, to))
            plan_fill(s, emitter, b, &at);
        if (emitter->def.rate > 0)
            plan_stream(s, emitter, from, to, b, &at);
    }
}

vt_status vt_plan_births(vt_simulation *s, double from, double to, vt_births *births)
{
    const int32_t most = s->sources.ring_count + 2 * s->sources.emitter_count;
    *births = (vt_births){0};
    vt_status status = count_vortons(s, from, to, births);
    if (!status)
        status = count_tracers(s, from, to, births);
    if (status)
        return status;
    births->runs = vt_arena_push(&s->arena, sizeof(vt_birth_run) * (size_t)most);
    plan_vortons(s, from, to, births);
    plan_tracers(s, from, to, births);
    return VT_OK;
}

/* Minus the time that a particle born inside a substep has still to go. */
static float age_at_birth(const vt_simulation *s, double time)
{
    return time > s->time ? -(float)(time - s->time) : 0;
}

static void bear_vortons(vt_simulation *s, vt_births *b, int64_t from, int64_t count)
{
    const int64_t first =
        vt_append_vortons(s, count, b->vorton_position + 3 * from, b->vorton_strength + 3 * from,
                          b->vorton_core + from, b->vorton_volume + from);
    for (int64_t i = 0; i < count; i++)
        s->vortons.age[first + i] = age_at_birth(s, b->vorton_time[from + i]);
}

static void bear_tracers(vt_simulation *s, const vt_births *b, int64_t from, int64_t count)
{
    const vt_tracer_list rows = list_from(&b->tracers, from);
    const int64_t first = append_births(s, count, &rows);
    for (int64_t i = 0; i < count; i++)
        s->tracers.age[first + i] = age_at_birth(s, rows.time[i]);
}

void vt_bear(vt_simulation *s, vt_births *b, double until)
{
    for (int32_t r = 0; r < b->run_count; r++) {
        vt_birth_run *const run = &b->runs[r];
        const double *const time = run->emitter ? b->tracers.time : b->vorton_time;
        int64_t end = run->next;
        while (end < run->end && time[end] <= until)
            end++;
        if (end == run->next)
            continue;
        if (run->emitter)
            bear_tracers(s, b, run->next, end - run->next);
        else
            bear_vortons(s, b, run->next, end - run->next);
        run->next = end;
    }
}

double vt_next_vorton_time(const vt_births *b, double otherwise)
{
    double next = otherwise;
    for (int32_t r = 0; r < b->run_count; r++)
        if (!b->runs[r].emitter && b->runs[r].next < b->runs[r].end)
            next = fmin(next, b->vorton_time[b->runs[r].next]);
    return next;
}
