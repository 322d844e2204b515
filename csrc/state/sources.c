#include "state/sources.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/grow.h"
#include "core/mathd.h"
#include "core/random.h"
#include "core/status.h"
#include "state/simulation.h"

enum { EMITTER_STREAM = 1, MOST_EMITTERS = 1 << 20 };

#define MEMBER(member) offsetof(vt_emitter_def, member)
static const vt_parameter emitter_parameters[] = {
    {"rate", MEMBER(rate), {1, 0, 1e9, 0, "tracers a second"}},
    {"density", MEMBER(density), {1, 0, DBL_MAX, 0, "kg/m^3"}},
    {"lifetime", MEMBER(lifetime), {1, 0, INFINITY, 1, "s"}},
    {"growth", MEMBER(growth), {1, 0, 1e9, 0, "m/s"}},
    {"fade", MEMBER(fade), {1, 0, 1, 0, "share of the lifetime"}},
    {0}};

/* Births are tried in the box of a shape, and the tries are counted: so many a second at most. */
#define MOST_TRIES 4e9

vt_emitter_def vt_default_emitter(void)
{
    return (vt_emitter_def){
        .shape = vt_default_shape(), .end = INFINITY, .density = 1, .lifetime = INFINITY};
}

vt_tracer_points_def vt_default_tracer_points(void)
{
    return (vt_tracer_points_def){.end = INFINITY};
}

static void destroy_emitter(vt_emitter *emitter)
{
    vt_destroy_region(&emitter->region);
    vt_destroy_rate_sum(&emitter->rate_sum);
    vt_destroy_animations(&emitter->animations);
    free(emitter->points);
}

void vt_destroy_sources(vt_sources *sources)
{
    for (int32_t e = 0; e < sources->emitter_count; e++)
        destroy_emitter(&sources->emitters[e]);
    free(sources->emitters);
    for (int32_t p = 0; p < sources->parcels_count; p++)
        vt_destroy_parcels(&sources->parcels[p]);
    free(sources->parcels);
    vt_destroy_structures(&sources->structures);
    *sources = (vt_sources){0};
}

/* What owns memory in them is copied below: whoever adds a member looks there, too. */
_Static_assert(sizeof(vt_emitter) == sizeof(vt_animations) + sizeof(vt_rate_sum) +
                                         sizeof(vt_region) + sizeof(void *) + 8 * 10 &&
                   sizeof(vt_sources) == sizeof(vt_structures) + 3 * sizeof(void *),
               "vt_copy_sources copies every member");

/* Points, with the arrays behind them in the same block; NULL without memory. */
static vt_tracer_points_def *copy_points(const vt_tracer_points_def *def)
{
    const size_t rows = (size_t)def->count;
    vt_tracer_points_def *const block = malloc(sizeof *block + 24 * rows);
    if (!block)
        return NULL;
    float *const arrays = (float *)(block + 1);
    *block = *def;
    block->position = memcpy(arrays, def->position, 12 * rows);
    block->density = memcpy(arrays + 3 * rows, def->density, 4 * rows);
    block->size = memcpy(arrays + 4 * rows, def->size, 4 * rows);
    if (def->lifetime)
        block->lifetime = memcpy(arrays + 5 * rows, def->lifetime, 4 * rows);
    return block;
}

/* `to` has the plain values of `from` already; on failure there is nothing to destroy. */
static vt_status copy_emitter(const vt_emitter *from, vt_emitter *to)
{
    to->animations = (vt_animations){0};
    to->rate_sum = (vt_rate_sum){0};
    to->region = (vt_region){0};
    to->points = from->points ? copy_points(from->points) : NULL;
    vt_status status = vt_copy_animations(emitter_parameters, from->animations.count,
                                          from->animations.items, &to->animations);
    if (!status && from->rate_sum.track)
        status = vt_create_rate_sum(vt_find_animation(&to->animations, "rate"), from->start,
                                    &to->rate_sum);
    if (!status && from->points && !to->points)
        status = vt_fail(VT_OUT_OF_MEMORY, "no memory for a copy of %lld points",
                         (long long)from->points->count);
    if (!status && !from->points && vt_copy_region(&from->region, &to->region))
        status = vt_fail(VT_OUT_OF_MEMORY, "no memory for the copy of a shape");
    if (status)
        destroy_emitter(to);
    return status;
}

static vt_status copy_all_parcels(const vt_sources *from, vt_sources *to)
{
    vt_status status = VT_OK;
    to->parcels = vt_copy_grown(from->parcels, from->parcels_count, sizeof *to->parcels);
    if (!to->parcels)
        return vt_fail(VT_OUT_OF_MEMORY, "no memory for %d emitters", from->parcels_count);
    for (int32_t p = 0; p < from->parcels_count && !status; p++) {
        status = vt_copy_parcels(&from->parcels[p], &to->parcels[p]);
        to->parcels_count = p + !status;
    }
    return status;
}

vt_status vt_copy_sources(const vt_sources *from, vt_sources *to)
{
    *to = (vt_sources){0};
    vt_status status = vt_copy_structures(&from->structures, &to->structures);
    if (!status)
        status = copy_all_parcels(from, to);
    if (status)
        return status;
    to->emitters = vt_copy_grown(from->emitters, from->emitter_count, sizeof *to->emitters);
    if (!to->emitters)
        return vt_fail(VT_OUT_OF_MEMORY, "no memory for %d emitters", from->emitter_count);
    for (int32_t e = 0; e < from->emitter_count && !status; e++) {
        status = copy_emitter(&from->emitters[e], &to->emitters[e]);
        to->emitter_count = e + !status; /* as many as there are to destroy */
    }
    return status;
}

/* ---- checks ---- */

static vt_status check_emitter(const vt_simulation *s, const vt_emitter_def *def)
{
    if (def->count < 0 || def->count > s->tracers.set.capacity)
        return vt_fail(VT_INVALID_ARGUMENT, "count is %lld; allowed is 0 to max_tracers, %lld",
                       (long long)def->count, (long long)s->tracers.set.capacity);
    vt_status status = vt_check_parameters(emitter_parameters, def);
    if (!status)
        status = vt_check_animations(emitter_parameters, "an emitter", def->animation_count,
                                     def->animations);
    if (!status)
        status = vt_check_times(def->start, def->end);
    if (!status)
        status = vt_check_parent(&s->transforms, def->parent);
    if (!status && def->count == 0 && def->rate == 0 && def->animation_count == 0)
        status = vt_fail(VT_INVALID_ARGUMENT, "count and rate are 0; one of them must be positive");
    return status;
}

static vt_status check_points(const vt_simulation *s, const vt_tracer_points_def *def)
{
    if (def->count < 1 || (def->rate == 0 && def->count > s->tracers.set.capacity) ||
        def->count > INT32_MAX)
        return vt_fail(
            VT_INVALID_ARGUMENT,
            "count is %lld; allowed is 1 to max_tracers, %lld (with a rate, to 2^31 - 1)",
            (long long)def->count, (long long)s->tracers.set.capacity);
    if (!(def->rate >= 0 && def->rate <= 1e9))
        return vt_fail(VT_INVALID_ARGUMENT, "rate is %g; allowed is 0 to 1e9 tracers a second",
                       def->rate);
    vt_status status = vt_check_times(def->start, def->end);
    if (!status)
        status = vt_check_parent(&s->transforms, def->parent);
    if (!status && !(def->jitter >= 0 && def->jitter <= VT_MOST_LENGTH))
        status = vt_fail(VT_INVALID_ARGUMENT, "jitter is %g m; allowed is 0 to %g", def->jitter,
                         VT_MOST_LENGTH);
    if (!status)
        status = vt_check_tracer_rows(def->count, def->position, def->density, def->size);
    for (int64_t i = 0; i < def->count && def->lifetime && !status; i++)
        if (!(def->lifetime[i] > 0))
            status = vt_fail(VT_INVALID_ARGUMENT, "lifetime has %g in row %lld; allowed is > 0",
                             (double)def->lifetime[i], (long long)i);
    return status;
}

/* ---- what an emitter gives ---- */

static vt_tracer_list new_tracer_list(vt_arena *arena, int64_t count)
{
    const size_t rows = (size_t)count;
    return (vt_tracer_list){.position = vt_arena_push(arena, 12 * rows),
                            .density = vt_arena_push(arena, 4 * rows),
                            .size = vt_arena_push(arena, 4 * rows),
                            .lifetime = vt_arena_push(arena, 4 * rows),
                            .growth = vt_arena_push(arena, 4 * rows),
                            .fade = vt_arena_push(arena, 4 * rows),
                            .time = vt_arena_push(arena, 8 * rows)};
}

static vt_tracer_list list_from(const vt_tracer_list *list, int64_t row)
{
    return (vt_tracer_list){list->position + 3 * row, list->density + row, list->size + row,
                            list->lifetime + row,     list->growth + row,  list->fade + row,
                            list->time + row};
}

static void place_tracer(const vt_pose *pose, float position[3])
{
    double place[3], world[3];
    for (int c = 0; c < 3; c++)
        place[c] = (double)position[c];
    vt_pose_point(pose, place, world);
    for (int c = 0; c < 3; c++)
        position[c] = (float)world[c];
}

/* Tracers have a place in the shape and a time: gives each its share of the smoke, as one of n that
 * fill the shape. */
static void share_shape(const vt_emitter *emitter, double n, int64_t count, vt_tracer_list *list)
{
    vt_emitter_def now = {.density = emitter->density,
                          .lifetime = emitter->lifetime,
                          .growth = emitter->growth,
                          .fade = emitter->fade};
    const float size = (float)vt_cbrt(emitter->region.volume / n);
    for (int64_t i = 0; i < count; i++) {
        vt_animate(&emitter->animations, list->time[i], &now);
        list->density[i] = (float)(now.density * emitter->region.volume / n);
        list->size[i] = size;
        list->lifetime[i] = (float)now.lifetime;
        list->growth[i] = (float)now.growth;
        list->fade[i] = (float)now.fade;
    }
}

/* Puts tracers where their parent is, each at its own time; those of a shape fill it, so they stand
 * for more smoke where it is larger. */
static void place_tracers(const vt_simulation *s, const vt_emitter *emitter, int64_t count,
                          vt_tracer_list *list)
{
    const int moves = vt_parent_moves(&s->transforms, emitter->parent);
    if (emitter->parent == 0 || count == 0)
        return;
    vt_pose pose = vt_pose_at(&s->transforms, emitter->parent, list->time[0]);
    for (int64_t i = 0; i < count; i++) {
        if (moves)
            pose = vt_pose_at(&s->transforms, emitter->parent, list->time[i]);
        place_tracer(&pose, list->position + 3 * i);
        list->size[i] *= (float)pose.scale;
        if (!emitter->points)
            list->density[i] *= (float)(pose.scale * pose.scale * pose.scale);
    }
}

/* Birth number n at its point: anywhere in the ball of jitter about it. */
static void bear_at_point(const vt_emitter *emitter, int64_t n, int64_t row, vt_tracer_list *list)
{
    const vt_tracer_points_def *const points = emitter->points;
    const int64_t point = n % points->count;
    const float *const place = points->position + 3 * point;
    const uint64_t birth = (uint64_t)n;
    double offset[3] = {0};
    if (points->jitter > 0) {
        const double z = 2.0 * vt_random(emitter->seed, 0, birth) - 1.0;
        const double turn = 2.0 * vt_random(emitter->seed, 1, birth);
        const double radius = points->jitter * vt_cbrt(vt_random(emitter->seed, 2, birth));
        offset[0] = radius * vt_sqrt(1.0 - z * z) * vt_cos_pi(turn);
        offset[1] = radius * vt_sqrt(1.0 - z * z) * vt_sin_pi(turn);
        offset[2] = radius * z;
    }
    for (int c = 0; c < 3; c++)
        list->position[3 * row + c] = (float)((double)place[c] + offset[c]);
    list->density[row] = points->density[point];
    list->size[row] = points->size[point];
    list->lifetime[row] = points->lifetime ? points->lifetime[point] : INFINITY;
    list->growth[row] = list->fade[row] = 0;
}

/* The first `count` of those that are born at start. */
static void fill(const vt_simulation *s, const vt_emitter *emitter, int64_t count,
                 vt_tracer_list *list)
{
    for (int64_t i = 0; i < count; i++)
        list->time[i] = fmax(emitter->start, s->time);
    if (emitter->points) {
        for (int64_t i = 0; i < count; i++)
            bear_at_point(emitter, i, i, list);
    } else {
        vt_fill_region(&emitter->region, emitter->seed, count, list->position);
        share_shape(emitter, (double)emitter->count, count, list);
    }
    place_tracers(s, emitter, count, list);
}

static vt_birth_stream stream_of(const vt_emitter *emitter)
{
    return (vt_birth_stream){&emitter->region, emitter->seed,
                             emitter->start,   emitter->end,
                             emitter->rate,    emitter->rate_sum.track ? &emitter->rate_sum : NULL};
}

/* The first `room` of those of the rate that are born in [from, to); returns how many. */
static int64_t stream(const vt_emitter *emitter, double from, double to, int64_t room,
                      vt_tracer_list *list)
{
    const vt_birth_stream births = stream_of(emitter);
    if (!emitter->points) {
        const int64_t count = vt_stream_births(
            &births, from, to, room, list ? list->position : NULL, list ? list->time : NULL);
        if (list)
            share_shape(emitter, emitter->rate, count, list);
        return count;
    }
    const double spacing = 1.0 / emitter->rate, last = fmin(to, emitter->end);
    const int64_t first = vt_first_event(emitter->start, spacing, from);
    const int64_t end = vt_first_event(emitter->start, spacing, last);
    const int64_t count = end - first < 0 ? 0 : end - first < room ? end - first : room;
    for (int64_t i = 0; i < count && list; i++) {
        bear_at_point(emitter, first + i, i, list);
        list->time[i] = emitter->start + (double)(first + i) * spacing;
    }
    return count;
}

/* ---- adding ---- */

/* Minus the time that a particle born inside a substep has still to go. */
static float age_at_birth(const vt_simulation *s, double time)
{
    return time > s->time ? -(float)(time - s->time) : 0;
}

static void append_list(vt_simulation *s, const vt_tracer_list *list, int64_t count)
{
    const int64_t first = vt_append_tracers(s, count, list->position, list->density, list->size);
    for (int64_t i = 0; i < count; i++)
        s->tracers.age[first + i] = age_at_birth(s, list->time[i]);
    if (s->tracers.set.used[VT_TRACER_lifetime])
        memcpy(s->tracers.lifetime + first, list->lifetime, 4 * (size_t)count);
    if (s->tracers.set.used[VT_TRACER_growth])
        memcpy(s->tracers.growth + first, list->growth, 4 * (size_t)count);
    if (s->tracers.set.used[VT_TRACER_fade])
        memcpy(s->tracers.fade + first, list->fade, 4 * (size_t)count);
}

static vt_status fill_now(vt_simulation *s, vt_emitter *emitter)
{
    int64_t count = emitter->count;
    const vt_status status = vt_check_room(s, VT_TRACERS, &count);
    if (status)
        return status;
    vt_make_room(s, VT_TRACERS, count);
    const size_t mark = vt_arena_mark(&s->arena);
    vt_tracer_list list = new_tracer_list(&s->arena, count);
    fill(s, emitter, count, &list);
    append_list(s, &list, count);
    emitter->filled = 1;
    vt_arena_pop(&s->arena, mark);
    return VT_OK;
}

static void use_columns(vt_simulation *s, const vt_emitter *e)
{
    const int dies = e->points ? e->points->lifetime != NULL : isfinite(e->lifetime);
    if (dies || vt_find_animation(&e->animations, "lifetime"))
        vt_use_tracer_column(s, VT_TRACER_lifetime);
    if (e->growth > 0 || vt_find_animation(&e->animations, "growth"))
        vt_use_tracer_column(s, VT_TRACER_growth);
    if (e->fade > 0 || vt_find_animation(&e->animations, "fade"))
        vt_use_tracer_column(s, VT_TRACER_fade);
}

/* Takes the emitter over; on failure it is destroyed. */
static vt_status keep_emitter(vt_simulation *s, vt_emitter *emitter)
{
    vt_sources *const sources = &s->sources;
    const int32_t n = sources->emitter_count;
    vt_status status = VT_OK;
    emitter->seed = vt_random_bits(s->def.seed, EMITTER_STREAM, (uint64_t)n);
    if (n == MOST_EMITTERS || vt_grow((void **)&sources->emitters, n, sizeof *emitter))
        status = vt_fail(VT_OUT_OF_MEMORY, "no memory for emitter %d", n);
    if (!status)
        use_columns(s, emitter);
    if (!status && emitter->count > 0 && emitter->start <= s->time)
        status = fill_now(s, emitter);
    if (status) {
        destroy_emitter(emitter);
        return status;
    }
    sources->emitters[n] = *emitter;
    sources->emitter_count = n + 1;
    return VT_OK;
}

/* What the definition says of time: copies, and an animated rate ready for births. */
static vt_status animate_emitter(const vt_emitter_def *def, vt_emitter *emitter)
{
    const vt_status status = vt_copy_animations(emitter_parameters, def->animation_count,
                                                def->animations, &emitter->animations);
    const vt_track *const rate = vt_find_animation(&emitter->animations, "rate");
    if (status || !rate)
        return status;
    double least;
    vt_track_extremes(rate, 0, &least, &emitter->rate);
    return vt_create_rate_sum(rate, def->start, &emitter->rate_sum);
}

static vt_status keep_shape(vt_simulation *s, const vt_emitter_def *def)
{
    vt_emitter emitter = {.count = def->count,
                          .rate = def->rate,
                          .start = def->start,
                          .end = def->end,
                          .parent = def->parent,
                          .density = def->density,
                          .lifetime = def->lifetime,
                          .growth = def->growth,
                          .fade = def->fade};
    vt_status status = animate_emitter(def, &emitter);
    if (!status)
        status = vt_create_region(&def->shape, &emitter.region);
    if (!status && def->rate * emitter.region.box_volume > MOST_TRIES * emitter.region.volume)
        status = vt_fail(VT_INVALID_ARGUMENT,
                         "rate is %g; allowed for a shape that fills %.3g of its box is up to %g "
                         "tracers a second",
                         def->rate, emitter.region.volume / emitter.region.box_volume,
                         MOST_TRIES * emitter.region.volume / emitter.region.box_volume);
    if (status) {
        destroy_emitter(&emitter);
        return status;
    }
    return keep_emitter(s, &emitter);
}

vt_status vt_add_emitter(vt_simulation *s, const vt_emitter_def *def)
{
    vt_status status = vt_enter(s);
    if (status)
        return status;
    status = check_emitter(s, def);
    if (!status)
        status = keep_shape(s, def);
    vt_leave(s);
    return status;
}

static vt_status keep_points(vt_simulation *s, const vt_tracer_points_def *def)
{
    vt_tracer_points_def *const block = copy_points(def);
    if (!block)
        return vt_fail(VT_OUT_OF_MEMORY, "no memory for %lld points", (long long)def->count);
    vt_emitter emitter = {.count = def->rate > 0 ? 0 : def->count,
                          .rate = def->rate,
                          .start = def->start,
                          .end = def->end,
                          .parent = def->parent,
                          .points = block};
    return keep_emitter(s, &emitter);
}

vt_status vt_add_tracer_points(vt_simulation *s, const vt_tracer_points_def *def)
{
    vt_status status = vt_enter(s);
    if (status)
        return status;
    status = check_points(s, def);
    if (!status)
        status = keep_points(s, def);
    vt_leave(s);
    return status;
}

/* ---- births of a step ---- */

static int fills(const vt_emitter *emitter, double from, double to)
{
    return emitter->count > 0 && !emitter->filled && emitter->start >= from && emitter->start < to;
}

/* Counts of births, before anything is made of them: for at_capacity "stop" no more than fit. */
static vt_status count_vortons(vt_simulation *s, double from, double to, vt_births *b)
{
    const vt_structures *const structures = &s->sources.structures;
    b->structure_count = vt_find_structure_births(structures, from, to, 0, NULL);
    if (b->structure_count == INT64_MAX)
        return vt_fail(VT_OVER_CAPACITY,
                       "more than 2^14 structures are born in one step; take shorter steps");
    b->structures = vt_arena_push(&s->arena, sizeof *b->structures * (size_t)b->structure_count);
    vt_find_structure_births(structures, from, to, b->structure_count, b->structures);
    for (int64_t n = 0; n < b->structure_count; n++)
        b->vorton_count += b->structures[n].count;
    const vt_sources *const sources = &s->sources;
    b->parcels = vt_arena_push(&s->arena, sizeof *b->parcels * (size_t)sources->parcels_count);
    for (int32_t p = 0; p < sources->parcels_count; p++) {
        /* one more than there is ever room for, so that too many are refused */
        b->parcels[p] =
            vt_list_parcels(s, &sources->parcels[p], from, to, s->vortons.set.capacity + 1);
        b->vorton_count += b->parcels[p].count;
    }
    return vt_check_room(s, VT_VORTONS, &b->vorton_count);
}

/* A rate and a step that ask for far more than there is room for are not counted one by one. */
static int64_t count_stream(const vt_emitter *emitter, double from, double to, int64_t capacity)
{
    const vt_birth_stream births = stream_of(emitter);
    const double expected = vt_expected_births(&births, from, to);
    const double many = 2.0 * (double)capacity + 1e6;
    if (expected > many)
        return (int64_t)fmin(expected, 0x1p40);
    return stream(emitter, from, to, INT64_MAX, NULL);
}

static vt_status count_tracers(const vt_simulation *s, double from, double to, vt_births *b)
{
    const vt_sources *const sources = &s->sources;
    int64_t count = 0;
    for (int32_t e = 0; e < sources->emitter_count; e++) {
        const vt_emitter *const emitter = &sources->emitters[e];
        if (fills(emitter, from, to))
            count += emitter->count;
        if (emitter->rate > 0)
            count += count_stream(emitter, from, to, s->tracers.set.capacity);
    }
    const vt_status status = vt_check_room(s, VT_TRACERS, &count);
    b->tracer_count = count;
    return status;
}

/* Parcels follow the structures, as many as there is room for; returns how many vortons there are.
 */
static int64_t plan_parcels(const vt_simulation *s, int64_t at, vt_births *b)
{
    for (int32_t p = 0; p < s->sources.parcels_count; p++) {
        const vt_parcel_list *const list = &b->parcels[p];
        const int64_t left = b->vorton_count - at;
        const int64_t count = list->count < left ? list->count : left;
        const size_t rows = 4 * (size_t)count;
        if (count == 0)
            continue;
        memcpy(b->vorton_position + 3 * at, list->position, 3 * rows);
        memcpy(b->vorton_strength + 3 * at, list->strength, 3 * rows);
        memcpy(b->vorton_core + at, list->core, rows);
        memcpy(b->vorton_volume + at, list->volume, rows);
        for (int c = 0; c < VT_CARRIED_COLUMNS; c++)
            memcpy(b->vorton_carried[c] + at, list->carried[c], rows);
        memcpy(b->vorton_lifetime + at, list->lifetime, rows);
        memcpy(b->vorton_time + at, list->time, 2 * rows);
        b->runs[b->run_count++] =
            (vt_birth_run){.next = at, .end = at + count, .set = VT_VORTONS, .neutral = 1};
        at += count;
    }
    return at;
}

/* What structures carry: nothing, for ever. */
static void make_carried(vt_simulation *s, vt_births *b)
{
    const size_t rows = (size_t)b->vorton_count;
    if (s->sources.parcels_count == 0)
        return;
    for (int c = 0; c < VT_CARRIED_COLUMNS; c++) {
        b->vorton_carried[c] = vt_arena_push(&s->arena, 4 * rows);
        memset(b->vorton_carried[c], 0, 4 * rows);
    }
    b->vorton_lifetime = vt_arena_push(&s->arena, 4 * rows);
    for (size_t i = 0; i < rows; i++)
        b->vorton_lifetime[i] = INFINITY;
}

static void plan_vortons(vt_simulation *s, vt_births *b)
{
    vt_vorton_list list = vt_new_vorton_list(&s->arena, b->vorton_count, s->def.threads);
    b->vorton_position = list.position;
    b->vorton_strength = list.strength;
    b->vorton_core = list.core;
    b->vorton_volume = list.volume;
    b->vorton_time = vt_arena_push(&s->arena, 8 * (size_t)b->vorton_count);
    make_carried(s, b);
    int64_t at = 0;
    for (int64_t n = 0; n < b->structure_count; n++) {
        const vt_structure_birth *const birth = &b->structures[n];
        const int64_t end = at + birth->count;
        if (end > b->vorton_count) /* no part is born: it would be no vortex line */
            continue;
        list = (vt_vorton_list){.position = b->vorton_position + 3 * at,
                                .strength = b->vorton_strength + 3 * at,
                                .core = b->vorton_core + at,
                                .volume = b->vorton_volume + at,
                                .threads = s->def.threads};
        vt_fill_structure(&s->transforms, birth, &list);
        b->runs[b->run_count++] = (vt_birth_run){.next = at, .end = end, .set = VT_VORTONS};
        for (; at < end; at++)
            b->vorton_time[at] = birth->time;
    }
    b->vorton_count = plan_parcels(s, at, b);
}

static int64_t plan_stream(const vt_simulation *s, const vt_emitter *emitter, double from,
                           double to, int64_t room, vt_tracer_list *list)
{
    const int64_t count = stream(emitter, from, to, room, list);
    place_tracers(s, emitter, count, list);
    return count;
}

static void plan_tracers(vt_simulation *s, double from, double to, vt_births *b)
{
    const vt_sources *const sources = &s->sources;
    b->tracers = new_tracer_list(&s->arena, b->tracer_count);
    int64_t at = 0;
    for (int32_t e = 0; e < sources->emitter_count; e++) {
        const vt_emitter *const emitter = &sources->emitters[e];
        for (int part = 0; part < 2; part++) {
            const int64_t left = b->tracer_count - at;
            int64_t count = emitter->count < left ? emitter->count : left;
            vt_tracer_list list = list_from(&b->tracers, at);
            if (part == 0 ? !fills(emitter, from, to) : !(emitter->rate > 0))
                continue;
            if (part == 0)
                fill(s, emitter, count, &list);
            else
                count = plan_stream(s, emitter, from, to, left, &list);
            b->runs[b->run_count++] =
                (vt_birth_run){.next = at, .end = at + count, .set = VT_TRACERS};
            at += count;
        }
    }
}

vt_status vt_plan_births(vt_simulation *s, double from, double to, vt_births *births)
{
    *births = (vt_births){0};
    vt_status status = count_vortons(s, from, to, births);
    if (!status)
        status = count_tracers(s, from, to, births);
    if (status)
        return status;
    const size_t most = (size_t)births->structure_count + (size_t)s->sources.parcels_count +
                        2 * (size_t)s->sources.emitter_count;
    births->runs = vt_arena_push(&s->arena, sizeof(vt_birth_run) * most);
    plan_vortons(s, births);
    plan_tracers(s, from, to, births);
    return VT_OK;
}

/* What newborn vortons carry, where it is not what all are born with. */
static void give_carried(vt_simulation *s, const vt_births *b, int64_t from, int64_t first,
                         int64_t count)
{
    const vt_set *const set = &s->vortons.set;
    if (!b->vorton_lifetime)
        return;
    if (set->used[VT_VORTON_lifetime])
        memcpy(s->vortons.lifetime + first, b->vorton_lifetime + from, 4 * (size_t)count);
    for (int c = 0; c < VT_CARRIED_COLUMNS; c++) {
        float *const column = vt_used_column(set, vt_carried_column[c]);
        const float *const value = b->vorton_carried[c] + from;
        for (int64_t i = 0; i < count && column; i++)
            if (c != VT_CARRIED_temperature || value[i] > 0)
                column[first + i] = value[i];
    }
}

static void bear_vortons(vt_simulation *s, vt_births *b, int64_t from, int64_t count)
{
    const int64_t first =
        vt_append_vortons(s, count, b->vorton_position + 3 * from, b->vorton_strength + 3 * from,
                          b->vorton_core + from, b->vorton_volume + from);
    for (int64_t i = 0; i < count; i++)
        s->vortons.age[first + i] = age_at_birth(s, b->vorton_time[from + i]);
    give_carried(s, b, from, first, count);
    vt_count_heat(s, first, count, NULL, 1);
}

void vt_bear(vt_simulation *s, vt_births *b, double until)
{
    b->until = until;
    for (int32_t r = 0; r < b->run_count; r++) {
        vt_birth_run *const run = &b->runs[r];
        const double *const time = run->set == VT_TRACERS ? b->tracers.time : b->vorton_time;
        int64_t end = run->next;
        while (end < run->end && time[end] <= until)
            end++;
        if (end == run->next)
            continue;
        if (run->set == VT_TRACERS) {
            const vt_tracer_list list = list_from(&b->tracers, run->next);
            append_list(s, &list, end - run->next);
        } else {
            bear_vortons(s, b, run->next, end - run->next);
        }
        run->next = end;
    }
}

int64_t vt_vortons_to_come(const vt_births *b)
{
    int64_t count = 0;
    for (int32_t r = 0; r < b->run_count; r++)
        if (b->runs[r].set == VT_VORTONS)
            count += b->runs[r].end - b->runs[r].next;
    return count;
}

double vt_next_vorton_time(const vt_births *b, int neutral, double otherwise)
{
    double next = otherwise;
    for (int32_t r = 0; r < b->run_count; r++)
        if (b->runs[r].set == VT_VORTONS && b->runs[r].next < b->runs[r].end &&
            (neutral || !b->runs[r].neutral))
            next = fmin(next, b->vorton_time[b->runs[r].next]);
    return next;
}
