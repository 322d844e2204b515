#include "state/parcels.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "core/grow.h"
#include "core/mathd.h"
#include "core/random.h"
#include "core/status.h"
#include "core/vec3.h"
#include "state/ambient.h"
#include "state/births.h"
#include "state/closed.h"
#include "state/liquid.h"
#include "state/simulation.h"
#include "state/vorton_points.h"

enum { PARCEL_STREAM = 7, MOST_PARCELS = 1 << 20, LINE = 16 };

static const double most_filling = 0x1p30; /* vortons */

#define MEMBER(member) offsetof(vt_parcels_def, member)
static const vt_parameter parameters[] = {
    {"rate", MEMBER(rate), {1, -1, 1e9, 0, "vortons a second"}},
    VT_FLUID_PARAMETERS(vt_parcels_def),
    {"lifetime", MEMBER(lifetime), {1, 0, INFINITY, 1, "s"}},
    {"swirl", MEMBER(swirl), {1, 0, 1e6, 0, "m/s"}},
    {"taper", MEMBER(taper), {1, 0, 1, 0, "of the fuel"}},
    {"flicker", MEMBER(flicker), {1, 0, 1, 0, "of the fuel"}},
    VT_SHAPE_PARAMETERS("shape"),
    VT_SHAPE_PARAMETERS("around"),
    {0}};

vt_parcels_def vt_default_parcels(void)
{
    return (vt_parcels_def){.shape = vt_default_shape(),
                            .core = 0.2,
                            .rate = -1,
                            .end = INFINITY,
                            .lifetime = INFINITY};
}

void vt_destroy_parcels(vt_parcels *parcels)
{
    vt_destroy_region(&parcels->shape);
    vt_destroy_region(&parcels->around);
    vt_destroy_rate_sum(&parcels->rate_sum);
    vt_destroy_animations(&parcels->animations);
    free(parcels->eddies);
    free(parcels->points);
}

static vt_status check_swirl(const vt_swirl *eddies)
{
    return eddies ? VT_OK : vt_fail(VT_OUT_OF_MEMORY, "no memory for the swirl of an emitter");
}

vt_status vt_copy_parcels(const vt_parcels *from, vt_parcels *to)
{
    to->animations = (vt_animations){0};
    to->rate_sum = (vt_rate_sum){0};
    to->shape = to->around = (vt_region){0};
    to->eddies = NULL;
    to->points = NULL;
    vt_status status = vt_copy_animations(parameters, from->animations.count,
                                          from->animations.items, &to->animations);
    if (!status && from->rate_sum.track)
        status = vt_create_rate_sum(vt_find_animation(&to->animations, "rate"), from->start,
                                    &to->rate_sum);
    if (!status &&
        (vt_copy_region(&from->shape, &to->shape) || vt_copy_region(&from->around, &to->around)))
        status = vt_fail(VT_OUT_OF_MEMORY, "no memory for the copy of a shape");
    if (!status && from->eddies)
        status = check_swirl(to->eddies = vt_copy_swirl(from->eddies));
    if (!status && from->points && !(to->points = vt_copy_vorton_points(from->points)))
        status = vt_fail(VT_OUT_OF_MEMORY, "no memory for a copy of points");
    if (status)
        vt_destroy_parcels(to);
    return status;
}

/* ---- births ---- */

vt_parcel_list vt_new_parcel_list(vt_arena *arena, int64_t room)
{
    const size_t rows = (size_t)room;
    vt_parcel_list list = {.position = vt_arena_push(arena, 12 * rows),
                           .strength = vt_arena_push(arena, 12 * rows),
                           .core = vt_arena_push(arena, 4 * rows),
                           .volume = vt_arena_push(arena, 4 * rows),
                           .lifetime = vt_arena_push(arena, 4 * rows),
                           .time = vt_arena_push(arena, 8 * rows)};
    for (int c = 0; c < VT_CARRIED_COLUMNS; c++)
        list.carried[c] = vt_arena_push(arena, 4 * rows);
    return list;
}

/* Against gravity, in the space of the pose; zero without gravity. */
static void find_up(const vt_simulation *s, const vt_pose *pose, double up[3])
{
    const vt_fluid fluid = vt_fluid_of(&s->def);
    const double world[3] = {(double)fluid.up[0], (double)fluid.up[1], (double)fluid.up[2]};
    for (int a = 0; a < 3; a++) {
        up[a] = 0;
        for (int b = 0; b < 3; b++)
            up[a] += pose->matrix[b][a] * world[b];
    }
}

/* Extent of the shape along a direction: the middle, and how far it goes from there, m. */
static void find_extent(const vt_region *shape, const double up[3], double *middle, double *reach)
{
    *middle = *reach = 0;
    for (int a = 0; a < 3; a++) {
        *middle += 0.5 * (shape->lower[a] + shape->upper[a]) * up[a];
        *reach += 0.5 * (shape->upper[a] - shape->lower[a]) * vt_abs(up[a]);
    }
}

/* Whether a point outside the shape lies beside it, neither above nor below: there the fluid comes
 * by itself, and ambient parcels would be born in the plume. */
static int is_beside(const vt_region *shape, const double up[3], const float point[3])
{
    double middle, reach, height = 0;
    find_extent(shape, up, &middle, &reach);
    for (int a = 0; a < 3; a++)
        height += (double)point[a] * up[a];
    if (vt_abs(height - middle) > reach)
        return 0;
    for (int k = 0; k < LINE; k++) {
        const double way = middle - height + reach * ((2.0 * k + 1) / LINE - 1);
        float other[3];
        for (int a = 0; a < 3; a++)
            other[a] = (float)((double)point[a] + way * up[a]);
        if (vt_region_contains(shape, other))
            return 0;
    }
    return 1;
}

vt_parcels_def vt_parcels_at(const vt_parcels *p, double time)
{
    vt_parcels_def now = {.lifetime = p->lifetime,
                          .swirl = p->swirl,
                          .taper = p->taper,
                          .flicker = p->flicker,
                          .fluid = p->fluid};
    vt_animate(&p->animations, time, &now);
    return now;
}

double vt_fuel_share(const vt_simulation *s, const vt_parcels *p, const vt_parcels_def *now,
                     const vt_pose *pose, const double place[3], double time)
{
    const vt_region region = vt_region_at(&p->shape, time), *const r = &region;
    double up[3], way2 = 0, share = 1;
    find_up(s, pose, up);
    const double square = vt_dot(up, up);
    for (int a = 0; a < 3; a++) {
        const double middle = 0.5 * (r->lower[a] + r->upper[a]);
        const double off = (place[a] - middle) / (r->upper[a] - middle);
        way2 += (square > 0 ? 1 - up[a] * up[a] / square : 1) * off * off;
    }
    share -= now->taper * (way2 < 1 ? way2 : 1);
    if (now->flicker > 0) {
        const double noise = 0.5 + vt_swirl_noise(p->eddies, place, time - p->start);
        share *= 1 - now->flicker * (noise < 0 ? 0 : noise > 1 ? 1 : noise);
    }
    return share;
}

/* What is born at a point of the shape's space becomes row `to` of the list, in the world. */
static void bear_parcel(const vt_simulation *s, const vt_parcels *p, const vt_pose *pose,
                        const float point[3], int inside, double volume, double time, int64_t to,
                        vt_parcel_list *list)
{
    vt_parcels_def now = vt_parcels_at(p, time);
    double place[3], world[3];
    for (int a = 0; a < 3; a++)
        place[a] = (double)point[a];
    vt_pose_point(pose, place, world);
    for (int a = 0; a < 3; a++)
        list->position[3 * to + a] = (float)world[a];
    list->core[to] = (float)(p->core * pose->scale);
    list->volume[to] = (float)(volume * pose->scale * pose->scale * pose->scale);
    for (int a = 0; a < 3; a++)
        list->strength[3 * to + a] = 0;
    if (inside && p->eddies)
        vt_find_swirl(p->eddies, pose, place, time - p->start, now.swirl, (double)list->volume[to],
                      list->strength + 3 * to);
    if (inside && now.fluid.fuel > 0)
        now.fluid.fuel *= vt_fuel_share(s, p, &now, pose, place, time);
    for (int c = 0; c < VT_CARRIED_COLUMNS; c++)
        list->carried[c][to] = inside ? (float)*vt_fluid_member(&now.fluid, c) : 0;
    list->lifetime[to] = (float)now.lifetime;
    list->time[to] = time;
}

static int64_t filling(const vt_parcels *p)
{
    const double count = p->around.volume / (p->spacing * p->spacing * p->spacing);
    return count < 1 ? 1 : (int64_t)(count + 0.5);
}

/* In a layer on a surface there is no ambient fluid. */
static int is_inside(const vt_region *shape, const float point[3])
{
    return shape->shape.layer > 0 || vt_region_contains(shape, point);
}

static void list_filling(const vt_simulation *s, const vt_parcels *p, int64_t count,
                         vt_parcel_list *list)
{
    const double time = fmax(p->start, s->time), volume = p->around.volume / (double)filling(p);
    const vt_pose pose = vt_pose_at(&s->transforms, p->parent, time);
    vt_fill_region(&p->around, p->seed, count, list->position);
    for (int64_t i = 0; i < count; i++) {
        const float point[3] = {list->position[3 * i], list->position[3 * i + 1],
                                list->position[3 * i + 2]};
        bear_parcel(s, p, &pose, point, is_inside(&p->shape, point), volume, time, i, list);
    }
    list->count = count;
}

static void list_stream(const vt_simulation *s, const vt_parcels *p, double from, double to,
                        int64_t room, vt_parcel_list *list)
{
    const vt_birth_stream births = {&p->around, p->seed, p->start,
                                    p->end,     p->rate, p->rate_sum.track ? &p->rate_sum : NULL};
    const int moves = vt_parent_moves(&s->transforms, p->parent);
    const double volume = p->spacing * p->spacing * p->spacing;
    const int64_t tries = vt_stream_births(&births, from, to, room, list->position, list->time);
    vt_pose pose = vt_pose_at(&s->transforms, p->parent, from);
    double up[3];
    find_up(s, &pose, up);
    for (int64_t i = 0; i < tries; i++) {
        const float point[3] = {list->position[3 * i], list->position[3 * i + 1],
                                list->position[3 * i + 2]};
        const double time = list->time[i];
        if (moves) {
            pose = vt_pose_at(&s->transforms, p->parent, time);
            find_up(s, &pose, up);
        }
        const vt_region shape = vt_region_at(&p->shape, time);
        const int inside = is_inside(&shape, point);
        if (inside || is_beside(&shape, up, point))
            bear_parcel(s, p, &pose, point, inside, volume, time, list->count++, list);
    }
}

vt_parcel_list vt_list_parcels(vt_simulation *s, const vt_parcels *p, double from, double to,
                               int64_t room)
{
    vt_parcel_list list = {0};
    if (p->points)
        return vt_list_points(s, p, from, to, room);
    const int fills = p->rate == 0 && p->start >= from && p->start < to;
    if (!fills && (p->rate == 0 || from >= p->end || to <= p->start))
        return list;
    const int64_t count = filling(p);
    const double expected = p->rate * (to - from);
    if (fills)
        room = count < room ? count : room;
    else if (2 * expected + 1e3 < (double)room)
        room = (int64_t)(2 * expected + 1e3);
    list = vt_new_parcel_list(&s->arena, room);
    if (fills)
        list_filling(s, p, room, &list);
    else
        list_stream(s, p, from, to, room, &list);
    return list;
}

/* ---- adding ---- */

static vt_status check_spacing(const vt_parcels_def *def)
{
    if (!(def->core >= VT_LEAST_LENGTH && def->core <= VT_MOST_LENGTH))
        return vt_fail(VT_INVALID_ARGUMENT, "core is %g m; allowed is %g to %g", def->core,
                       VT_LEAST_LENGTH, VT_MOST_LENGTH);
    if (!(def->spacing == 0 || (def->spacing >= 0.1 * def->core && def->spacing <= def->core)))
        return vt_fail(VT_INVALID_ARGUMENT, "spacing is %g m; allowed is .1 to 1 core, %g m",
                       def->spacing, def->core);
    return VT_OK;
}

static vt_status check_def(const vt_simulation *s, const vt_parcels_def *def)
{
    const vt_animations animations = {.count = def->animation_count,
                                      .items = (vt_animation *)def->animations};
    vt_status status = vt_check_parameters(parameters, def);
    if (!status)
        status = vt_check_animations(parameters, "parcels", def->animation_count, def->animations);
    if (!status)
        status = vt_check_fluid(&s->def.combustion, "parcels", &def->fluid, &animations);
    if (!status)
        status = check_spacing(def);
    if (!status)
        status = vt_check_times(def->start, def->end);
    return status ? status : vt_check_parent(&s->transforms, def->parent);
}

/* As fast as fluid that light rises, or that heavy sinks, out of its shape from rest: renewals a
 * second are 1/2 sqrt(g |rho'| / rho0 / height). With more, parcels crowd in the shape. */
static vt_status choose_rate(const vt_simulation *s, vt_parcels *p)
{
    const vt_fluid fluid = vt_fluid_of(&s->def);
    const vt_pose pose = vt_pose_at(&s->transforms, p->parent, p->start);
    double up[3], middle, reach, pull = 0, gravity = 0;
    find_up(s, &pose, up);
    find_extent(&p->shape, up, &middle, &reach);
    for (int a = 0; a < 3; a++)
        gravity += (double)fluid.gravity[a] * (double)fluid.gravity[a];
    for (int sign = -1; sign <= 1; sign += 2) {
        const double least =
            sign * vt_most_of_fluid(&p->fluid, &p->animations, VT_CARRIED_temperature, sign);
        const double own =
            sign * vt_most_of_fluid(&p->fluid, &p->animations, VT_CARRIED_density, sign);
        const float temperature = least > 0 ? (float)least : fluid.temperature;
        const double ambient = vt_density_at(&fluid, fluid.temperature);
        const double other = (double)vt_density_at(&fluid, temperature) + own - ambient;
        pull = fmax(pull, sqrt(gravity) * vt_abs(other) / ambient);
    }
    if (!(pull > 0 && reach > 0))
        return vt_fail(VT_INVALID_ARGUMENT,
                       "rate must be given (renew of an Emitter) where nothing rises: the fluid is "
                       "as heavy as the ambient one, or there is no gravity");
    const double height = 2 * reach * pose.scale;
    p->rate = 0.5 * sqrt(pull / height) * (double)filling(p);
    return VT_OK;
}

/* What is born, and the ambient fluid as high as it may be born, must have a density. */
static vt_status check_warmth(const vt_simulation *s, const vt_parcels *p)
{
    const vt_pose pose = vt_pose_at(&s->transforms, p->parent, p->start);
    double up[3], world[3], middle, reach;
    find_up(s, &pose, up);
    find_extent(&p->around, up, &middle, &reach);
    const vt_fluid fluid = vt_fluid_of(&s->def);
    for (int a = 0; a < 3; a++)
        up[a] *= middle + reach;
    vt_pose_point(&pose, up, world);
    const float top[3] = {(float)world[0], (float)world[1], (float)world[2]};
    vt_status status = vt_check_temperature(
        &s->def, "temperature of the parcels",
        vt_most_of_fluid(&p->fluid, &p->animations, VT_CARRIED_temperature, 1));
    if (!status && fluid.stratification > 0)
        status = vt_check_temperature(&s->def, "ambient fluid around the parcels",
                                      (double)vt_ambient_temperature(&fluid, top));
    return status;
}

static vt_status find_rate(const vt_simulation *s, const vt_parcels_def *def, vt_parcels *p)
{
    const vt_track *const rate = vt_find_animation(&p->animations, "rate");
    if (!(p->around.volume / (p->spacing * p->spacing * p->spacing) <= most_filling))
        return vt_fail(VT_INVALID_ARGUMENT,
                       "core is %g m: the shape, with its rim %g m^3, would hold more than 2^30 "
                       "vortons",
                       def->core, p->around.volume);
    if (rate) {
        double least;
        vt_track_extremes(rate, 0, &least, &p->rate);
        if (least < 0 || p->rate == 0)
            return vt_fail(VT_INVALID_ARGUMENT,
                           "rate has keys from %g to %g; allowed are >= 0, one of them > 0", least,
                           p->rate);
        return vt_create_rate_sum(rate, def->start, &p->rate_sum);
    }
    return p->rate < 0 ? choose_rate(s, p) : VT_OK;
}

static vt_status make(const vt_simulation *s, const vt_parcels_def *def, vt_parcels *p)
{
    *p = (vt_parcels){.rate = def->rate,
                      .start = def->start,
                      .end = def->end,
                      .core = def->core,
                      .spacing = def->spacing > 0 ? def->spacing : def->core / 2,
                      .lifetime = def->lifetime,
                      .swirl = def->swirl,
                      .taper = def->taper,
                      .flicker = def->flicker,
                      .fluid = def->fluid,
                      .parent = def->parent};
    vt_status status =
        vt_copy_animations(parameters, def->animation_count, def->animations, &p->animations);
    const int32_t count = def->animation_count;
    const double at = p->rate == 0 && !vt_find_track(count, def->animations, "rate")
                          ? fmax(p->start, s->time)
                          : (double)NAN;
    if (!status && def->around && def->shape.layer > 0)
        status = vt_fail(VT_INVALID_ARGUMENT,
                         "around is given; allowed with a layer on the surface of a shape is NULL");
    if (!status)
        status =
            vt_create_growing_region(&def->shape, "shape", count, def->animations, at, &p->shape);
    if (!status)
        status = vt_create_growing_region(def->around ? def->around : &def->shape,
                                          def->around ? "around" : "shape", count, def->animations,
                                          at, &p->around);
    if (!status)
        status = check_warmth(s, p);
    if (!status)
        status = find_rate(s, def, p);
    if (status)
        vt_destroy_parcels(p);
    return status;
}

/* Of its own seed; the eddies pass the shape as fast as it is filled anew, and turn over as fast as
 * they swirl, if that is faster. */
static vt_status choose_swirl(const vt_simulation *s, vt_parcels *p)
{
    if (!(p->swirl > 0) && !(p->flicker > 0) && !vt_find_animation(&p->animations, "swirl") &&
        !vt_find_animation(&p->animations, "flicker"))
        return VT_OK;
    const vt_pose pose = vt_pose_at(&s->transforms, p->parent, p->start);
    double up[3], sweep[3], middle, reach;
    find_up(s, &pose, up);
    find_extent(&p->shape, up, &middle, &reach);
    for (int a = 0; a < 3; a++)
        sweep[a] = up[a] * 2 * reach * p->rate / (double)filling(p);
    const vt_track *const track = vt_find_animation(&p->animations, "swirl");
    double least, swirl = p->swirl;
    if (track)
        vt_track_extremes(track, 0, &least, &swirl);
    const double turnover = fmax(swirl / pose.scale, vt_sqrt(vt_dot(sweep, sweep)));
    p->eddies = vt_create_swirl(p->seed, p->core, sweep, turnover);
    return check_swirl(p->eddies);
}

vt_status vt_keep_parcels(vt_simulation *s, vt_parcels *p)
{
    vt_sources *const sources = &s->sources;
    const int32_t n = sources->parcels_count;
    const uint32_t members = vt_fluid_members(&p->fluid, &p->animations);
    p->seed = vt_random_bits(s->def.seed, PARCEL_STREAM, (uint64_t)n);
    if (p->rate == 0) /* what was due is born now */
        p->start = fmax(p->start, s->time);
    vt_status status = vt_check_room_to_burn(s, members, "emitter of parcels", n);
    if (!status && !p->points)
        status = choose_swirl(s, p);
    if (status)
        return status;
    if (n == MOST_PARCELS || vt_grow((void **)&sources->parcels, n, sizeof *p))
        return vt_fail(VT_OUT_OF_MEMORY, "no memory for emitter %d of parcels", n);
    for (int c = 0; c < VT_CARRIED_COLUMNS; c++)
        if (members >> c & 1)
            vt_use_vorton_column(s, vt_carried_column[c]);
    if (isfinite(p->lifetime) || (p->points && p->points->lifetime) ||
        vt_find_animation(&p->animations, "lifetime"))
        vt_use_vorton_column(s, VT_VORTON_lifetime);
    sources->parcels[n] = *p;
    sources->parcels_count = n + 1;
    return VT_OK;
}

vt_status vt_add_parcels(vt_simulation *s, const vt_parcels_def *def, double *renew)
{
    vt_parcels parcels;
    vt_status status = vt_enter(s);
    if (status)
        return status;
    status = check_def(s, def);
    if (!status)
        status = make(s, def, &parcels);
    if (!status) {
        if (renew)
            *renew = parcels.rate / (double)filling(&parcels);
        status = vt_keep_parcels(s, &parcels);
        if (status)
            vt_destroy_parcels(&parcels);
    }
    vt_leave(s);
    return status;
}
