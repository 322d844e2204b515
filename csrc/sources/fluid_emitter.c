#include "sources/fluid_emitter.h"

#include <stddef.h>
#include <stdio.h>

#include "base/growing_array.h"
#include "base/random.h"
#include "base/status.h"
#include "geometry/region_points.h"
#include "model/birth_sequence.h"
#include "model/fluid_composition.h"
#include "sources/parcel_list.h"
#include "sources/random_eddies.h"
#include "sources/room_lattice.h"
#include "state/closed_container.h"
#include "state/container_frame.h"
#include "state/particles.h"
#include "state/predicates.h"
#include "state/simulation.h"

enum { PARCEL_STREAM = 7, MOST_PARCELS = 1 << 20, LINE = 16 };

static const double most_filling = 0x1p30; /* vortons */

static vt_status check_swirl(const vt_random_eddies *eddies)
{
    return eddies ? VT_OK : vti_fail(VT_OUT_OF_MEMORY, "no memory for the swirl of an emitter");
}

vt_status vti_copy_fluid_emitter(const vt_fluid_emitter *from, vt_fluid_emitter *to)
{
    to->shape = (vt_region){0};
    to->eddies = NULL;
    to->points = NULL;
    to->fits = NULL;
    vt_status status =
        vti_copy_stream(from->points ? &vti_vorton_points_definition : &vti_emitter_definition,
                        &from->stream, &to->stream);
    if (!status && vti_copy_region(&from->shape, &to->shape))
        status = vti_fail(VT_OUT_OF_MEMORY, "no memory for the copy of a shape");
    if (!status && from->eddies)
        status = check_swirl(to->eddies = vti_copy_of(from->eddies, sizeof *from->eddies));
    if (!status)
        status = vti_copy_what_fits(from, to);
    if (!status && from->points && !(to->points = vti_copy_vorton_points(from->points)))
        status = vti_fail(VT_OUT_OF_MEMORY, "no memory for a copy of points");
    if (status)
        vti_destroy_fluid_emitter(to);
    return status;
}

/* ---- births ---- */

/* Against gravity, in the space of the pose; zero without gravity. */
static void find_up(const vt_simulation *s, const vt_pose *pose, double up[3])
{
    const vt_fluid fluid = vti_fluid_of(&s->def);
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
        *reach += 0.5 * (shape->upper[a] - shape->lower[a]) * vti_abs(up[a]);
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
    if (vti_abs(height - middle) > reach)
        return 0;
    for (int k = 0; k < LINE; k++) {
        const double way = middle - height + reach * ((2.0 * k + 1) / LINE - 1);
        float other[3];
        for (int a = 0; a < 3; a++)
            other[a] = (float)((double)point[a] + way * up[a]);
        if (vti_region_contains(shape, other))
            return 0;
    }
    return 1;
}

vt_emitter_def vti_parcels_at(const vt_fluid_emitter *p, double time)
{
    vt_emitter_def now = {.lifetime = p->stream.lifetime,
                          .rate = p->stream.rate,
                          .swirl = p->swirl,
                          .taper = p->taper,
                          .flicker = p->flicker,
                          .fluid = p->stream.fluid};
    vti_animate(&p->stream.animations, time, &now);
    return now;
}

int vti_is_heated_at_birth(const vt_simulation *s, const vt_fluid_emitter *p)
{
    const uint32_t members = vti_fluid_members(&p->stream.fluid, &p->stream.animations);
    return vti_may_expand(s) && p->stream.rate > 0 && members >> VT_CARRIED_temperature & 1;
}

int vti_fluid_follows_eddies(const vt_fluid_emitter *p)
{
    return p->eddies && !p->points && !(p->shape.shape.layer > 0) && p->stream.rate > 0;
}

double vti_share_at_birth(const vt_simulation *s, const vt_fluid_emitter *p,
                          const vt_emitter_def *now, const vt_pose *pose, const double place[3],
                          double time)
{
    const vt_region region = vti_region_at(&p->shape, time), *const r = &region;
    double up[3], way2 = 0, share = 1;
    find_up(s, pose, up);
    const double square = vti_dot(up, up);
    for (int a = 0; a < 3; a++) {
        const double middle = 0.5 * (r->lower[a] + r->upper[a]);
        const double off = (place[a] - middle) / (r->upper[a] - middle);
        way2 += (square > 0 ? 1 - up[a] * up[a] / square : 1) * off * off;
    }
    share -= now->taper * (way2 < 1 ? way2 : 1);
    if (now->flicker > 0) {
        const double noise =
            0.5 + vti_random_eddies_noise(p->eddies, place, time - p->stream.start);
        share *= 1 - now->flicker * (noise < 0 ? 0 : noise > 1 ? 1 : noise);
    }
    return share;
}

/* What is born at a point of the shape's space becomes row `to` of the list, in the world. */
static void emit_parcel(const vt_simulation *s, const vt_fluid_emitter *p, const vt_pose *pose,
                        const float point[3], int inside, double volume, double time, int64_t to,
                        vt_parcel_list *list)
{
    vt_emitter_def now = vti_parcels_at(p, time);
    double place[3], world[3];
    vti_widen(point, place);
    vti_pose_point(pose, place, world);
    for (int a = 0; a < 3; a++)
        list->position[3 * to + a] = (float)world[a];
    list->core[to] = (float)(p->core * pose->scale);
    list->volume[to] = (float)(volume * pose->scale * pose->scale * pose->scale);
    for (int a = 0; a < 3; a++)
        list->strength[3 * to + a] = 0;
    if (inside && p->eddies)
        vti_random_eddies_at(
            p->eddies, pose, place, time - p->stream.start, now.swirl, (double)list->volume[to],
            vti_filters_at_birth(s, (double)list->core[to]), list->strength + 3 * to);
    if (inside && now.fluid.fuel > 0)
        now.fluid.fuel *= vti_share_at_birth(s, p, &now, pose, place, time);
    for (int c = 0; c < VT_COMPOSITION_COLUMNS; c++)
        list->carried[c][to] = inside ? (float)*vti_fluid_member(&now.fluid, c) : 0;
    list->lifetime[to] = (float)now.lifetime;
    list->time[to] = time;
}

int64_t vti_filling(const vt_fluid_emitter *p)
{
    const double count = p->stream.region.volume / (p->spacing * p->spacing * p->spacing);
    return count < 1 ? 1 : (int64_t)(count + 0.5);
}

const vt_fluid_emitter *vti_emitter_of_id(const vt_simulation *s, int32_t id)
{
    const vt_sources *const all = &s->sources;
    const int32_t n = vti_find_id(all->parcels, all->fluid_emitter_count, sizeof *all->parcels,
                                  offsetof(vt_fluid_emitter, stream.id), id);
    return n < 0 ? NULL : &all->parcels[n];
}

/* In a layer on a surface there is no ambient fluid. */
static int is_inside(const vt_region *shape, const float point[3])
{
    return shape->shape.layer > 0 || vti_region_contains(shape, point);
}

static void list_filling(const vt_simulation *s, const vt_fluid_emitter *p, int64_t count,
                         vt_parcel_list *list)
{
    const double time = fmax(p->stream.start, s->time),
                 volume = p->stream.region.volume / (double)vti_filling(p);
    const vt_pose pose = vti_pose_at(&s->transforms, p->stream.parent, time);
    vti_fill_region(&p->stream.region, p->stream.seed, count, list->position);
    for (int64_t i = 0; i < count; i++) {
        const float point[3] = {list->position[3 * i], list->position[3 * i + 1],
                                list->position[3 * i + 2]};
        emit_parcel(s, p, &pose, point, is_inside(&p->shape, point), volume, time, i, list);
    }
    list->count = count;
}

static void list_stream(const vt_simulation *s, const vt_fluid_emitter *p, double from, double to,
                        int64_t room, vt_parcel_list *list)
{
    const int moves = vti_parent_moves(&s->transforms, p->stream.parent);
    const int has_rim = !(vti_is_lifted(s) && vti_has_shell(s)); /* else neutral vortons are that */
    const double volume = p->spacing * p->spacing * p->spacing;
    const int64_t tries = vti_stream_births(&p->stream, from, to, room, list->position, list->time);
    vt_pose pose = vti_pose_at(&s->transforms, p->stream.parent, from);
    vt_region shape = p->shape;
    double up[3];
    find_up(s, &pose, up);
    for (int64_t i = 0; i < tries; i++) {
        const float point[3] = {list->position[3 * i], list->position[3 * i + 1],
                                list->position[3 * i + 2]};
        const double time = list->time[i];
        if (moves) {
            pose = vti_pose_at(&s->transforms, p->stream.parent, time);
            find_up(s, &pose, up);
        }
        if (p->shape.growth.count > 0)
            shape = vti_region_at(&p->shape, time);
        const int inside = is_inside(&shape, point);
        if (inside || (has_rim && is_beside(&shape, up, point)))
            emit_parcel(s, p, &pose, point, inside, volume, time, list->count++, list);
    }
}

vt_parcel_list vti_list_parcels(vt_simulation *s, const vt_fluid_emitter *p, double from, double to,
                                int64_t room)
{
    vt_parcel_list list = {0};
    if (p->points)
        return vti_list_points(s, p, from, to, room);
    const int fills = p->stream.rate == 0 && p->stream.start >= from && p->stream.start < to;
    if (!fills && (p->stream.rate == 0 || from >= p->stream.end || to <= p->stream.start))
        return list;
    const int64_t count = vti_filling(p);
    const double expected = p->stream.rate * (to - from);
    if (fills)
        room = count < room ? count : room;
    else if (2 * expected + 1e3 < (double)room)
        room = (int64_t)(2 * expected + 1e3);
    list = vti_new_parcel_list(&s->arena, room);
    if (fills)
        list_filling(s, p, room, &list);
    else
        list_stream(s, p, from, to, room, &list);
    return list;
}

/* ---- adding ---- */

static vt_status check_spacing(const vt_emitter_def *def)
{
    if (!(def->spacing == 0 || (def->spacing >= 0.1 * def->core && def->spacing <= def->core)))
        return vti_fail(VT_INVALID_ARGUMENT, "spacing is %g m; allowed is .1 to 1 core, %g m",
                        def->spacing, def->core);
    return VT_OK;
}

vt_status vti_check_fluid_emitter(const vt_simulation *s, const vt_emitter_def *def)
{
    const vt_animations animations = {.count = def->animation_count,
                                      .items = (vt_animation *)def->animations};
    vt_status status = vti_check_fluid(&s->def.combustion, "parcels", &def->fluid, &animations);
    if (!status)
        status = check_spacing(def);
    return status;
}

static vt_status report_no_rate(const vt_simulation *s, const vt_fluid_emitter *p)
{
    const uint32_t members = vti_fluid_members(&p->stream.fluid, &p->stream.animations);
    char which[96] = "";
    if (members >> VT_CARRIED_fuel & 1)
        snprintf(which, sizeof which, " (for fuel above Combustion.ignition, %g K)",
                 s->def.combustion.ignition);
    else if (members >> VT_CARRIED_flame & 1)
        snprintf(which, sizeof which, " (flame glows, but heats nothing: fires have some 1200 K)");
    return vti_fail(VT_INVALID_ARGUMENT,
                    "how often it is renewed follows from how fast its fluid rises, and it does "
                    "not: it is as heavy as the ambient one, or there is no gravity, or "
                    "Method.buoyancy is \"none\"; give it a temperature%s, or say how often by "
                    "renew (1/s; in C rate)",
                    which);
}

/* As fast as fluid that light rises, or that heavy sinks, out of its shape from rest: renewals a
 * second are 1/2 sqrt(g |rho'| / rho0 / height). */
static vt_status choose_rate(const vt_simulation *s, vt_fluid_emitter *p)
{
    const vt_fluid fluid = vti_fluid_of(&s->def);
    const vt_pose pose = vti_pose_at(&s->transforms, p->stream.parent, p->stream.start);
    double up[3], middle, reach, pull = 0, gravity = 0;
    find_up(s, &pose, up);
    find_extent(&p->shape, up, &middle, &reach);
    for (int a = 0; a < 3; a++)
        gravity += (double)fluid.gravity[a] * (double)fluid.gravity[a];
    for (int sign = -1; sign <= 1; sign += 2) {
        const double least = sign * vti_most_of_fluid(&p->stream.fluid, &p->stream.animations,
                                                      VT_CARRIED_temperature, sign);
        const double own = sign * vti_most_of_fluid(&p->stream.fluid, &p->stream.animations,
                                                    VT_CARRIED_density, sign);
        const float temperature = least > 0 ? (float)least : fluid.temperature;
        const double ambient = vti_density_at(&fluid, fluid.temperature);
        const double other = (double)vti_density_at(&fluid, temperature) + own - ambient;
        pull = fmax(pull, sqrt(gravity) * vti_abs(other) / ambient);
    }
    if (!(pull > 0 && reach > 0))
        return report_no_rate(s, p);
    const double height = 2 * reach * pose.scale;
    p->stream.rate = 0.5 * sqrt(pull / height) * (double)vti_filling(p);
    return VT_OK;
}

/* What is born, and the ambient fluid as high as it may be born, must have a density. */
static vt_status check_warmth(const vt_simulation *s, const vt_fluid_emitter *p)
{
    const vt_pose pose = vti_pose_at(&s->transforms, p->stream.parent, p->stream.start);
    double up[3], world[3], middle, reach;
    find_up(s, &pose, up);
    find_extent(&p->stream.region, up, &middle, &reach);
    const vt_fluid fluid = vti_fluid_of(&s->def);
    for (int a = 0; a < 3; a++)
        up[a] *= middle + reach;
    vti_pose_point(&pose, up, world);
    const float top[3] = {(float)world[0], (float)world[1], (float)world[2]};
    vt_status status = vti_check_temperature(
        &s->def, "temperature of the parcels",
        vti_most_of_fluid(&p->stream.fluid, &p->stream.animations, VT_CARRIED_temperature, 1));
    if (!status && fluid.stratification > 0)
        status = vti_check_temperature(&s->def, "ambient fluid around the parcels",
                                       (double)vti_ambient_temperature(&fluid, top));
    return status;
}

static vt_status find_rate(const vt_simulation *s, const vt_emitter_def *def, vt_fluid_emitter *p)
{
    if (!(p->stream.region.volume / (p->spacing * p->spacing * p->spacing) <= most_filling))
        return vti_fail(VT_INVALID_ARGUMENT,
                        "core is %g m: the shape, with its rim %g m^3, would hold more than 2^30 "
                        "vortons",
                        def->core, p->stream.region.volume);
    if (vti_find_animation(&p->stream.animations, "rate") && p->stream.rate == 0)
        return vti_fail(VT_INVALID_ARGUMENT,
                        "rate has keys (of an Emitter renew) that are all 0; allowed are >= 0, "
                        "one of them > 0");
    return p->stream.rate < 0 ? choose_rate(s, p) : VT_OK;
}

vt_status vti_make_fluid_emitter(const vt_simulation *s, const vt_emitter_def *def,
                                 vt_fluid_emitter *p)
{
    const int32_t count = def->animation_count;
    *p = (vt_fluid_emitter){.stream = {.fluid = def->fluid,
                                       .lifetime = def->lifetime,
                                       .rate = def->rate,
                                       .start = def->start,
                                       .end = def->end,
                                       .parent = def->parent},
                            .core = def->core,
                            .spacing = def->spacing > 0 ? def->spacing : def->core / 2,
                            .swirl = def->swirl,
                            .taper = def->taper,
                            .flicker = def->flicker};
    vt_status status =
        vti_animate_stream(&vti_emitter_definition, count, def->animations, &p->stream);
    const double at = def->rate == 0 && !vti_find_track(count, def->animations, "rate")
                          ? fmax(p->stream.start, s->time)
                          : (double)NAN;
    if (!status && def->around && def->shape.layer > 0)
        status =
            vti_fail(VT_INVALID_ARGUMENT,
                     "around is given; allowed with a layer on the surface of a shape is NULL");
    if (!status)
        status =
            vti_create_growing_region(&def->shape, "shape", count, def->animations, at, &p->shape);
    if (!status)
        status = vti_create_growing_region(def->around ? def->around : &def->shape,
                                           def->around ? "around" : "shape", count, def->animations,
                                           at, &p->stream.region);
    if (!status)
        status = check_warmth(s, p);
    if (!status)
        status = find_rate(s, def, p);
    if (status)
        vti_destroy_fluid_emitter(p);
    return status;
}

/* Of its own seed; the eddies pass the shape as fast as it is filled anew, and turn over as fast as
 * they swirl, if that is faster. */
static vt_status choose_swirl(const vt_simulation *s, vt_fluid_emitter *p)
{
    if (!(p->swirl > 0) && !(p->flicker > 0) &&
        !vti_find_animation(&p->stream.animations, "swirl") &&
        !vti_find_animation(&p->stream.animations, "flicker"))
        return VT_OK;
    const vt_pose pose = vti_pose_at(&s->transforms, p->stream.parent, p->stream.start);
    double up[3], sweep[3], middle, reach;
    find_up(s, &pose, up);
    find_extent(&p->shape, up, &middle, &reach);
    for (int a = 0; a < 3; a++)
        sweep[a] = up[a] * 2 * reach * p->stream.rate / (double)vti_filling(p);
    const vt_track *const track = vti_find_animation(&p->stream.animations, "swirl");
    double least, swirl = p->swirl;
    if (track)
        vti_track_extremes(track, 0, &least, &swirl);
    const double turnover = fmax(swirl / pose.scale, vti_sqrt(vti_dot(sweep, sweep)));
    p->eddies =
        vti_create_random_eddies(p->stream.seed, vti_least_eddy(p->core), p->core, sweep, turnover);
    return check_swirl(p->eddies);
}

vt_status vti_keep_fluid_emitter(vt_simulation *s, vt_fluid_emitter *p,
                                 const vt_predecessor *before)
{
    vt_sources *const sources = &s->sources;
    const int32_t n = sources->fluid_emitter_count;
    const uint32_t members = vti_fluid_members(&p->stream.fluid, &p->stream.animations);
    p->stream.id = sources->made;
    p->stream.seed = before && before->has_seed ? before->seed
                                                : vti_random_bits(s->def.seed, PARCEL_STREAM,
                                                                  (uint64_t)sources->parcels_made);
    if (p->stream.rate == 0) /* what was due is born now, but once */
        p->stream.start =
            before && before->has_filled ? before->start : fmax(p->stream.start, s->time);
    vt_status status = vti_check_space_to_burn(s, members, "emitter of parcels", n);
    if (!status && !p->points)
        status = choose_swirl(s, p);
    if (!status)
        status = vti_keep_what_fits(p, vti_filling(p), &s->arena);
    if (status)
        return status;
    if (n == MOST_PARCELS || vti_grow((void **)&sources->parcels, n, sizeof *p))
        return vti_fail(VT_OUT_OF_MEMORY, "no memory for emitter %d of parcels", n);
    for (int c = 0; c < VT_COMPOSITION_COLUMNS; c++)
        if (members >> c & 1)
            vti_use_vorton_column(s, vti_composition_column[c]);
    if (isfinite(p->stream.lifetime) || (p->points && p->points->lifetime) ||
        vti_find_animation(&p->stream.animations, "lifetime"))
        vti_use_vorton_column(s, VT_VORTON_lifetime);
    sources->parcels[n] = *p;
    sources->fluid_emitter_count = n + 1;
    sources->parcels_made += !(before && before->has_seed);
    return VT_OK;
}
