#include "sources/tracer_emitter.h"

#include "model/birth_sequence.h"
#include "model/fluid_composition.h"
#include "sources/fluid_emitter.h"
#include "state/simulation.h"
#include "tracers/scalars.h"

vt_tracer_list vti_new_tracer_list(vt_arena *arena, int64_t count, int carries)
{
    const size_t rows = (size_t)count;
    vt_tracer_list list = {.position = vti_arena_push(arena, 12 * rows),
                           .density = vti_arena_push(arena, 4 * rows),
                           .size = vti_arena_push(arena, 4 * rows),
                           .lifetime = vti_arena_push(arena, 4 * rows),
                           .growth = vti_arena_push(arena, 4 * rows),
                           .fade = vti_arena_push(arena, 4 * rows),
                           .time = vti_arena_push(arena, 8 * rows)};
    for (int n = 0; n < VT_TAKEN_COLUMNS && carries; n++)
        list.carried[n] = memset(vti_arena_push(arena, 4 * rows), 0, 4 * rows);
    return list;
}

vt_tracer_list vti_tracer_list_from(const vt_tracer_list *list, int64_t row)
{
    vt_tracer_list rest = {.position = list->position + 3 * row,
                           .density = list->density + row,
                           .size = list->size + row,
                           .lifetime = list->lifetime + row,
                           .growth = list->growth + row,
                           .fade = list->fade + row,
                           .time = list->time + row};
    for (int n = 0; n < VT_TAKEN_COLUMNS && list->carried[0]; n++)
        rest.carried[n] = list->carried[n] + row;
    return rest;
}

/* Tracers have a place in the shape and a time: gives each its share of the smoke, as one of n that
 * fill the shape. */
static void share_shape(const vt_tracer_emitter *emitter, double n, int64_t count,
                        vt_tracer_list *list)
{
    vt_tracers_def now = {.density = emitter->density,
                          .lifetime = emitter->stream.lifetime,
                          .growth = emitter->growth,
                          .fade = emitter->fade,
                          .fluid = emitter->stream.fluid};
    const float size = (float)vti_cbrt(emitter->stream.region.volume / n);
    for (int64_t i = 0; i < count; i++) {
        vti_animate(&emitter->stream.animations, list->time[i], &now);
        list->density[i] = (float)(now.density * emitter->stream.region.volume / n);
        list->size[i] = size;
        list->lifetime[i] = (float)now.lifetime;
        list->growth[i] = (float)now.growth;
        list->fade[i] = (float)now.fade;
        for (int c = 0; c < VT_TAKEN_COLUMNS && list->carried[0]; c++)
            list->carried[c][i] = (float)*vti_fluid_member(&now.fluid, vti_composition_of_taken[c]);
    }
}

/* The smoke of a tracer that is still in the shape's space thins where that of its emitter does. */
static void thin_smoke(const vt_simulation *s, const vt_fluid_emitter *from, const vt_pose *pose,
                       int64_t i, vt_tracer_list *list)
{
    const vt_emitter_def now = vti_parcels_at(from, list->time[i]);
    double place[3];
    vti_widen(list->position + 3 * i, place);
    list->density[i] *= (float)vti_share_at_birth(s, from, &now, pose, place, list->time[i]);
}

/* Puts a tracer where its parent is; those of a shape fill it, so they stand for more smoke where
 * it is larger. */
static void place_tracer(const vt_tracer_emitter *emitter, const vt_pose *pose, int64_t i,
                         vt_tracer_list *list)
{
    vti_pose_point_row(pose, list->position + 3 * i);
    list->size[i] *= (float)pose->scale;
    if (!emitter->points)
        list->density[i] *= (float)(pose->scale * pose->scale * pose->scale);
}

/* Each at its own time. */
static void place_tracers(const vt_simulation *s, const vt_tracer_emitter *emitter, int64_t count,
                          vt_tracer_list *list)
{
    const vt_fluid_emitter *const from = vti_emitter_of_id(s, emitter->emitter);
    const int32_t parent = emitter->stream.parent;
    const int moves = vti_parent_moves(&s->transforms, parent);
    if ((parent == 0 && !from) || count == 0)
        return;
    vt_pose pose = vti_pose_at(&s->transforms, parent, list->time[0]);
    for (int64_t i = 0; i < count; i++) {
        if (moves)
            pose = vti_pose_at(&s->transforms, parent, list->time[i]);
        if (from)
            thin_smoke(s, from, &pose, i, list);
        if (parent != 0)
            place_tracer(emitter, &pose, i, list);
    }
}

/* Birth number n at its point: anywhere in the ball of jitter about it. */
static void emit_at_point(const vt_tracer_emitter *emitter, int64_t n, int64_t row,
                          vt_tracer_list *list)
{
    const vt_tracer_points_def *const points = emitter->points;
    const int64_t point = n % points->count;
    vt_point_numbers now = {.density = (double)points->density[point],
                            .size = (double)points->size[point],
                            .lifetime = points->lifetime ? (double)points->lifetime[point]
                                                         : (double)INFINITY,
                            .growth = points->growth ? (double)points->growth[point] : 0,
                            .fade = points->fade ? (double)points->fade[point] : 0,
                            .jitter = points->jitter};
    vti_animate(&emitter->stream.animations, list->time[row], &now);
    if (vti_find_animation(&emitter->stream.animations, "density"))
        now.density *= now.size * now.size * now.size;
    vti_scatter(emitter->stream.seed, (uint64_t)n, now.jitter, points->position + 3 * point,
                list->position + 3 * row);
    list->density[row] = (float)now.density;
    list->size[row] = (float)now.size;
    list->lifetime[row] = (float)now.lifetime;
    list->growth[row] = (float)now.growth;
    list->fade[row] = (float)now.fade;
    for (int c = 0; c < VT_TAKEN_COLUMNS && list->carried[0]; c++) {
        const float *const own = vti_own_of_points(emitter->points, c);
        list->carried[c][row] = own ? own[point] : 0;
    }
}

/* The first `count` of those that are born at start. */
void vti_emit_at_start(const vt_simulation *s, const vt_tracer_emitter *emitter, int64_t count,
                       vt_tracer_list *list)
{
    for (int64_t i = 0; i < count; i++)
        list->time[i] = fmax(emitter->stream.start, s->time);
    if (emitter->points) {
        for (int64_t i = 0; i < count; i++)
            emit_at_point(emitter, i, i, list);
    } else {
        vti_fill_region(&emitter->stream.region, emitter->stream.seed, count, list->position);
        share_shape(emitter, (double)emitter->count, count, list);
    }
    place_tracers(s, emitter, count, list);
}

/* The first `room` of those of the rate that are born in [from, to); returns how many. */
static int64_t stream(const vt_tracer_emitter *emitter, double from, double to, int64_t room,
                      vt_tracer_list *list)
{
    const vt_birth_stream *const births = &emitter->stream;
    if (!emitter->points) {
        const int64_t count = vti_stream_births(
            births, from, to, room, list ? list->position : NULL, list ? list->time : NULL);
        if (list)
            share_shape(emitter, births->rate, count, list);
        return count;
    }
    int64_t first, count = vti_stream_events(births, from, to, &first);
    count = count < room ? count : room;
    for (int64_t i = 0; i < count && list; i++) {
        list->time[i] = vti_stream_time(births, first + i);
        emit_at_point(emitter, first + i, i, list);
    }
    return count;
}

/* A rate and a step that ask for far more than there is room for are not counted one by one. */
int64_t vti_count_stream(const vt_tracer_emitter *emitter, double from, double to, int64_t capacity)
{
    const double expected = vti_expected_births(&emitter->stream, from, to);
    const double many = 2.0 * (double)capacity + 1e6;
    if (expected > many)
        return (int64_t)fmin(expected, 0x1p40);
    return stream(emitter, from, to, INT64_MAX, NULL);
}

int64_t vti_emit_stream(const vt_simulation *s, const vt_tracer_emitter *emitter, double from,
                        double to, int64_t room, vt_tracer_list *list)
{
    const int64_t count = stream(emitter, from, to, room, list);
    place_tracers(s, emitter, count, list);
    return count;
}

/* Minus the time that a particle born inside a substep has still to go. */
float vti_age_at_birth(const vt_simulation *s, double time)
{
    return time > s->time ? -(float)(time - s->time) : 0;
}

/* Rows from `first` get what is their own, in the columns that are used. */
static void give_composition(vt_simulation *s, const vt_tracer_list *list, int64_t first,
                             int64_t count)
{
    const vt_fluid fluid = vti_fluid_of(&s->def);
    const float *const warm = list->carried[VT_TAKEN_temperature];
    float *const warmth = vti_used_column(&s->tracers.set, VT_TRACER_warmth);
    for (int n = 0; n < VT_TAKEN_COLUMNS; n++) {
        float *const column = vti_used_column(&s->tracers.set, vti_taken_column[n]);
        for (int64_t i = 0; column && i < count; i++)
            if (list->carried[n][i] > 0)
                column[first + i] = list->carried[n][i];
    }
    for (int64_t i = 0; warmth && i < count; i++)
        if (warm[i] > 0)
            warmth[first + i] = warm[i] - vti_ambient_temperature(&fluid, list->position + 3 * i);
}

void vti_append_tracer_list(vt_simulation *s, const vt_tracer_list *list, int64_t count)
{
    const int64_t first = vti_append_tracers(s, count, list->position, list->density, list->size);
    for (int64_t i = 0; i < count; i++)
        s->tracers.age[first + i] = vti_age_at_birth(s, list->time[i]);
    if (s->tracers.set.used[VT_TRACER_lifetime])
        memcpy(s->tracers.lifetime + first, list->lifetime, 4 * (size_t)count);
    if (s->tracers.set.used[VT_TRACER_growth])
        memcpy(s->tracers.growth + first, list->growth, 4 * (size_t)count);
    if (s->tracers.set.used[VT_TRACER_fade])
        memcpy(s->tracers.fade + first, list->fade, 4 * (size_t)count);
    if (list->carried[0])
        give_composition(s, list, first, count);
}

const float *vti_own_of_points(const vt_tracer_points_def *points, int taken)
{
    const float *const values[VT_TAKEN_COLUMNS] = {
#define VT_TAKEN(name) points->name,
#include "vorton/columns.def"
    };
    return values[taken];
}
