#include "step/advice.h"

#include <math.h>
#include <stdio.h>

#include "base/status.h"
#include "conservation/layer_points.h"
#include "model/fluid_composition.h"
#include "panels/panel_choice.h"
#include "panels/panels.h"
#include "panels/touching_bodies.h"
#include "sources/fluid_emitter.h"
#include "sources/source_list.h"
#include "state/distance_to_bodies.h"
#include "state/particles.h"
#include "state/predicates.h"
#include "state/simulation.h"
#include "state/wind_at_time.h"

/* Of one source, after a second, more than anyone means: a jet that looks smooth makes some
 * thousand vortons a second, a dense plume ten thousand, and a step with a million of them takes
 * seconds. */
static const double many_vortons = 1e5;

/* Alive at once while a source goes on: a frame takes seconds, and nothing ends that. A smoking tip
 * of 8 mm in a wind bears 10 000 vortons a second and keeps 225 000 after 1.2 s, for nine of ten
 * are the neutral ones around its thread, which gets long and wide. The finest plume of the
 * examples, whose vortons live 3 s, has 240 000. */
static const int64_t crowd = 400000;

/* The default takes some ten substeps for the flow itself in a frame of 1/24 s. */
static const double many_substeps = 100;

/* Share of the room for vortons or tracers from which on there is little left. */
static const double full = 0.75;

/* Share of the fluid that an emitter says below which its trail is not what is meant. */
static const double thin_trail = 0.2;

/* How long fuel may wait for what lights it. */
static const double unlit_time = 0.5; /* s */

/* ---- births ---- */

/* Vortons that a structure makes in a second while it pulses: with a rate that changes, at its
 * largest. */
static double structure_rate(const vt_structure_birth *birth)
{
    return birth->structure->period > 0 ? (double)birth->count / birth->structure->period : 0;
}

/* Whether a rate leaves that many: a burst, or what soon dies, does not. */
static int are_too_many(double rate, double start, double end, double lifetime)
{
    return rate * fmin(fmin(end - start, lifetime), 1) > many_vortons;
}

void vti_look_for_many_vortons(vt_simulation *s, const vt_births *births, double dt)
{
    if (vti_is_warned(&s->warnings, VT_WARN_MANY_VORTONS))
        return;
    for (int64_t n = 0; n < births->structure_count; n++) {
        const vt_structure_birth *const birth = &births->structures[n];
        const double rate = structure_rate(birth);
        const int32_t id = birth->structure->id;
        if (are_too_many(rate, birth->structure->start, birth->structure->end, INFINITY))
            vti_warn(&s->warnings, VT_WARN_MANY_VORTONS, id,
                     "source %d (%s) makes %.3g vortons a second, %lld in each of its rings, which "
                     "is slow and may fill max_vortons: give it a larger core, vorton_core or "
                     "radius, or layers=0, or pulses farther apart",
                     id, vti_name_of_source(&s->sources, id), rate, (long long)birth->count);
    }
    for (int32_t p = 0; p < s->sources.fluid_emitter_count; p++) {
        /* one birth in a very short step is no great rate */
        const vt_birth_stream *const stream = &s->sources.parcels[p].stream;
        const double rate = fmin((double)births->parcels[p].count / dt, stream->rate);
        const int32_t id = stream->id;
        if (are_too_many(rate, stream->start, stream->end, stream->lifetime))
            vti_warn(
                &s->warnings, VT_WARN_MANY_VORTONS, id,
                "source %d (%s) makes %.3g vortons a second, which is slow and may fill "
                "max_vortons: give it a larger core or a smaller shape, or renew it less often",
                id, vti_name_of_source(&s->sources, id), rate);
    }
}

static int64_t count_flagged(const vt_vortons *v, uint32_t flag)
{
    int64_t count = 0;
    for (int64_t i = 0; i < v->set.count; i++)
        count += (v->flags[i] & flag) != 0;
    return count;
}

/* ---- room ---- */

/* What vortons grow by that no source bears: what most of them are. */
static const char *name_others(const vt_simulation *s)
{
    const vt_vortons *const v = &s->vortons;
    if (2 * count_flagged(v, VT_FLAG_NEUTRAL) > v->set.count)
        return "neutral ones around others (wider cores, a smaller method.halo or forces of a "
               "smaller shape need fewer)";
    return 2 * count_flagged(v, VT_FLAG_SHED) > v->set.count
               ? "what bodies shed (fewer panels shed less)"
               : "those that split, or are kept around others";
}

static void name_growth(const vt_simulation *s, int set, const vt_most_births *most, int64_t grown,
                        char text[160])
{
    if (set == VT_TRACERS || 2 * most->count > grown)
        snprintf(text, 160, "source %d (%s)", most->source,
                 vti_name_of_source(&s->sources, most->source));
    else
        snprintf(text, 160, "%s", name_others(s));
}

void vti_look_for_little_room(vt_simulation *s, const vt_births *births, const vt_alive *before,
                              double dt)
{
    for (int set = 0; set < 2; set++) {
        const vt_set *const rows = vti_set_of(s, set);
        const int64_t count = rows->count, grown = count - before->rows[set];
        const int fills = grown > 0 && (double)before->rows[set] > full * (double)rows->capacity;
        const char *const name = vti_name_of_set(set);
        char growth[160];
        if (!fills || s->def.at_capacity != VT_AT_CAPACITY_ERROR ||
            vti_is_warned(&s->warnings, VT_WARN_LITTLE_ROOM))
            continue;
        name_growth(s, set, &births->most[set], grown, growth);
        vti_warn(
            &s->warnings, VT_WARN_LITTLE_ROOM, -1,
            "%lld %s are alive, and %lld more every second, most of them %s: in %.2g s that is "
            "more than max_%s %lld%s. Let them live shorter (lifetime, Kill), make fewer, or "
            "raise max_%s",
            (long long)count, name, (long long)((double)grown / dt), growth,
            (double)(rows->capacity - count) / (double)grown * dt, name, (long long)rows->capacity,
            vti_whose_room(s, set), name);
    }
}

/* ---- wakes ---- */

/* The body that sheds whose walls are the nearest. The ball around a long one holds the wakes of
 * others, and says only what need not be looked at. */
static int32_t nearest_of(const vt_simulation *s, const vt_pose *poses, const float position[3])
{
    double least = INFINITY, place[3], center[3];
    int32_t nearest = -1;
    vti_widen(position, place);
    for (int32_t n = 0; n < s->bodies.count; n++) {
        const vt_body *const body = &s->bodies.items[n];
        vti_pose_point(&poses[n], body->center, center);
        if (!vti_sheds(body) || vti_sqrt(vti_square_between(place, center)) - body->reach >= least)
            continue;
        const double room = vti_distance_to_one(s, n, place);
        if (room < least) {
            least = room;
            nearest = n;
        }
    }
    return nearest;
}

/* The body that most of what was shed is nearest to; NULL: those that shed it are gone. */
static const vt_body *find_longest_wake(vt_simulation *s)
{
    const vt_vortons *const v = &s->vortons;
    const size_t mark = vti_arena_mark(&s->arena), bodies = (size_t)s->bodies.count;
    const vt_pose *const poses = vti_poses_at(s, s->time);
    int64_t *const count = vti_arena_push(&s->arena, sizeof *count * bodies);
    const vt_body *most = NULL;
    int64_t largest = 0;
    memset(count, 0, sizeof *count * bodies);
    for (int64_t i = 0; i < v->set.count; i++) {
        const int shed = (v->flags[i] & VT_FLAG_SHED) != 0;
        const int32_t n = shed ? nearest_of(s, poses, v->position + 3 * i) : -1;
        if (n >= 0 && ++count[n] > largest) {
            largest = count[n];
            most = &s->bodies.items[n];
        }
    }
    vti_arena_pop(&s->arena, mark);
    return most;
}

void vti_look_for_long_wakes(vt_simulation *s)
{
    const vt_vortons *const v = &s->vortons;
    if ((double)v->set.count <= many_vortons || vti_is_warned(&s->warnings, VT_WARN_LONG_WAKE))
        return;
    const int64_t shed = count_flagged(v, VT_FLAG_SHED);
    const vt_body *const body = (double)shed > many_vortons ? find_longest_wake(s) : NULL;
    if (!body)
        return;
    vti_warn(
        &s->warnings, VT_WARN_LONG_WAKE, -1,
        "bodies have shed %lld vortons that are still there, most of them body '%s', and the more "
        "there are the longer a step takes: remove them where nobody looks, by "
        "Kill(outside=Box(...), what=\"both\") or Kill(older_than=..., what=\"vortons\"); fewer "
        "panels (%d now) shed less, shedding=0 nothing",
        (long long)shed, body->name, body->panels->count);
}

/* ---- crowds ---- */

static int is_on(const vt_simulation *s, double start, double end)
{
    return s->time >= start && s->time < end;
}

/* A source that goes on, -1: none. Neutral vortons are as close as the narrowest emitter asks for;
 * else jets bear more. */
static int32_t find_lasting(const vt_simulation *s, int by_emitter)
{
    int32_t jet = -1, emitter = -1;
    double least = INFINITY;
    for (int32_t n = s->sources.structures.count - 1; n >= 0; n--) {
        const vt_structure *const item = &s->sources.structures.item[n];
        if (item->period > 0 && is_on(s, item->start, item->end))
            jet = item->id;
    }
    for (int32_t n = 0; n < s->sources.fluid_emitter_count; n++) {
        const vt_fluid_emitter *const p = &s->sources.parcels[n];
        const double core = p->core * vti_pose_at(&s->transforms, p->stream.parent, s->time).scale;
        if (p->stream.rate > 0 && is_on(s, p->stream.start, p->stream.end) && core < least) {
            least = core;
            emitter = p->stream.id;
        }
    }
    return emitter >= 0 && (by_emitter || jet < 0) ? emitter : jet;
}

void vti_look_for_crowds(vt_simulation *s)
{
    const vt_vortons *const v = &s->vortons;
    if (v->set.count <= crowd || vti_is_warned(&s->warnings, VT_WARN_MANY_VORTONS) ||
        vti_is_warned(&s->warnings, VT_WARN_LONG_WAKE))
        return;
    const int64_t neutral = count_flagged(v, VT_FLAG_NEUTRAL);
    const int most_neutral = 2 * neutral > v->set.count;
    const int32_t id = find_lasting(s, most_neutral);
    if (id < 0 || (most_neutral && vti_has_forces_on(s, VT_FORCE_ON_FLUID)))
        return; /* of shapes that they fill population/neutral_in_forces.c tells */
    vti_warn(&s->warnings, VT_WARN_MANY_VORTONS, id,
             "there are %lld vortons, %lld of them neutral around others, and source %d (%s) goes "
             "on: the more there are the longer a step takes. Give it wider cores, of twice the "
             "width an eighth as many, or remove what nobody looks at, by "
             "Kill(outside=Box(...), what=\"both\") or Kill(older_than=..., what=\"both\")",
             (long long)v->set.count, (long long)neutral, id, vti_name_of_source(&s->sources, id));
}

/* ---- trails ---- */

/* How fast an emitter goes through fluid that goes `flow` (m) in dt, m/s, and its length along that
 * way in the world. */
static double find_way(const vt_simulation *s, const vt_fluid_emitter *p, const double flow[3],
                       double dt, double *length)
{
    const vt_region *const r = &p->stream.region;
    const vt_pose from = vti_pose_at(&s->transforms, p->stream.parent, s->time),
                  to = vti_pose_at(&s->transforms, p->stream.parent, s->time + dt);
    double middle[3], way[3], along[3];
    for (int a = 0; a < 3; a++)
        middle[a] = 0.5 * (r->lower[a] + r->upper[a]);
    vti_pose_point(&to, middle, way);
    vti_pose_point(&from, middle, along);
    vti_subtract(way, along, way);
    vti_subtract(way, flow, way);
    const double far = vti_sqrt(vti_dot(way, way));
    vti_pose_direction_back(&from, way, along);
    *length = 0;
    for (int a = 0; a < 3 && far > 0; a++)
        *length += vti_abs(along[a]) / far * (p->shape.upper[a] - p->shape.lower[a]) * from.scale;
    return far / dt;
}

/* How far the fluid in the box around an emitter goes in dt, m, by the mean of the vortons there
 * that have moved; returns how many these are. */
static int64_t find_flow_inside(const vt_simulation *s, const vt_fluid_emitter *p, double dt,
                                double flow[3])
{
    const vt_vortons *const v = &s->vortons;
    const vt_region *const r = &p->stream.region;
    const vt_pose pose = vti_pose_at(&s->transforms, p->stream.parent, s->time);
    int64_t count = 0;
    memset(flow, 0, 3 * sizeof *flow);
    for (int64_t i = 0; i < v->set.count; i++) {
        double place[3], velocity[3];
        vti_widen(v->position + 3 * i, place);
        vti_widen(v->velocity + 3 * i, velocity);
        vti_pose_point_back(&pose, place, place);
        int inside = v->age[i] > 0;
        for (int a = 0; a < 3; a++)
            inside &= place[a] >= r->lower[a] && place[a] <= r->upper[a];
        vti_add_scaled(flow, inside, velocity);
        count += inside;
    }
    for (int a = 0; a < 3 && count > 0; a++)
        flow[a] *= dt / (double)count;
    return count;
}

/* Walls may keep the wind from an emitter, as those of a chimney do: what counts is the fluid in
 * it, once there is some, or should be. */
void vti_look_for_thin_trails(vt_simulation *s, double dt)
{
    double wind[3];
    vti_integrate_winds(s, s->time, s->time + dt, wind);
    for (int32_t n = 0; n < s->sources.fluid_emitter_count; n++) {
        const vt_fluid_emitter *const p = &s->sources.parcels[n];
        const vt_birth_stream *const stream = &p->stream;
        if (vti_is_warned(&s->warnings, VT_WARN_THIN_TRAIL))
            return;
        const int fills = !p->points && !(p->shape.shape.layer > 0) && stream->rate > 0;
        if (!fills || s->time < stream->start || s->time >= stream->end)
            continue;
        const double renew = vti_parcels_at(p, s->time).rate / (double)vti_filling(p);
        double length, flow[3];
        double speed = find_way(s, p, wind, dt, &length);
        if (!(renew > 0 && renew * length < thin_trail * speed))
            continue;
        if (find_flow_inside(s, p, dt, flow) > 0)
            speed = find_way(s, p, flow, dt, &length);
        else if ((s->time - stream->start) * speed < length)
            continue;
        const double filled = speed > 0 ? renew * length / speed : 1;
        if (filled < thin_trail)
            vti_warn(
                &s->warnings, VT_WARN_THIN_TRAIL, stream->id,
                "source %d (%s) goes its own length of %.2g m through the fluid in %.2g s, but "
                "is filled only %.2g times a second: its trail has %.2g of the fluid and "
                "smoke that it says. Give it renew = %.2g, or a slower way",
                stream->id, vti_name_of_source(&s->sources, stream->id), length, length / speed,
                renew, filled, speed / length);
    }
}

/* ---- diffusion ---- */

void vti_look_at_diffusion(vt_simulation *s, double count, double step)
{
    const int by_heat = vti_conducts(s) && s->def.thermal_diffusivity > s->def.viscosity;
    if (count <= many_substeps || vti_is_warned(&s->warnings, VT_WARN_SLOW_DIFFUSION))
        return;
    vti_warn(&s->warnings, VT_WARN_SLOW_DIFFUSION, -1,
             "a step of %.3g s takes %.0f substeps, for %s = %g m^2/s alone, where vortons are "
             "%.2g m apart (air has 1.5e-5 and 2e-5): lower it to %.2g, or take larger cores%s",
             step, count, by_heat ? "thermal_diffusivity" : "viscosity",
             by_heat ? s->def.thermal_diffusivity : s->def.viscosity, s->vorton_spacing,
             (by_heat ? s->def.thermal_diffusivity : s->def.viscosity) * 10 / count,
             vti_diffuses_by_exchange(s) ? ", or Method(diffusion=\"automatic\")" : "");
}

/* ---- panels ---- */

/* Of a body that has coarse ones: what cells have the fine ones. */
static void warn_of_coarse(vt_simulation *s, const vt_paneled_body *b)
{
    const double a_bit_less = 0.99; /* than is rounded to three digits */
    const vt_body *const body = b->body;
    vti_warn(
        &s->warnings, VT_WARN_FEWER_PANELS, -1,
        "body '%s' was to have panels=%d, and has %d: cells of %.3g m resolve no more where it "
        "sheds nothing. Scene(spacing=%.3g), or a core as narrow, would have them; "
        "panels=%d are what there is now",
        body->name, body->aimed_panels, b->count, s->grid.spacing,
        a_bit_less * vti_resolving_cells(body), body->aimed_panels / VT_COARSER_PANELS);
}

static void warn_of_shared(vt_simulation *s, const vt_body *body)
{
    vti_warn(&s->warnings, VT_WARN_FEWER_PANELS, -1,
             "body '%s' was to have panels=%d, and has half as many: with those that it touches it "
             "may have %d in all. Give these fewer, or make all of them shapes of one Body([...])",
             body->name, body->aimed_panels, VT_MOST_TOGETHER);
}

void vti_look_for_fewer_panels(vt_simulation *s)
{
    const vt_panels *const p = &s->panels;
    vt_body_def usual;
    vt_default_body(&usual);
    for (int32_t n = 0; p->exist && n < p->body_count; n++) {
        const vt_body *const body = p->bodies[n].body;
        if (vti_is_warned(&s->warnings, VT_WARN_FEWER_PANELS))
            return;
        if (body->aimed_panels == usual.panels || body->hidden)
            continue;
        if (p->bodies[n].set == body->coarse)
            warn_of_coarse(s, &p->bodies[n]);
        else if (body->panels->whole && body->panels->whole->divided > 1)
            warn_of_shared(s, body);
    }
}

/* ---- layers ---- */

void vti_look_for_lost_layers(vt_simulation *s)
{
    const double widest = vti_widest_point(s);
    for (int32_t n = 0; s->panels.exist && n < s->bodies.count; n++) {
        const vt_body *const body = &s->bodies.items[n];
        if (vti_is_warned(&s->warnings, VT_WARN_LOST_LAYER))
            return;
        if (!vti_sheds(body))
            continue;
        const double parts = vti_area_of_points(s, n);
        if (isfinite(parts) && parts > widest)
            vti_warn(&s->warnings, VT_WARN_LOST_LAYER, -1,
                     "body '%s' is too large for cores of %.3g m: its layer would be more than %d "
                     "vortons, and %s of it is not shed: the fluid slips along it. Give cores of "
                     "%.2g m or more, or shedding=0, which says that this is meant",
                     body->name, s->grid.core, VT_PANEL_NUMBERS - 1,
                     parts < 2 * widest ? "a part" : "most", s->grid.core * sqrt(parts / widest));
    }
}

/* ---- speed ---- */

/* Radii that the fluid passes a body which sheds in a frame: it takes some three substeps for each.
 */
static const double long_way = 16;

/* Radii of a body that sheds, and cores, that it goes through the wind in a frame: more of both
 * take some hundred substeps, which are the longer the more it has shed. A ball of 320 panels takes
 * 155 for 33 radii, 176 cores, in 4 s, and in the next frame 172 in 15 s; with 208 radii its first
 * frame has not ended after minutes. What is narrower than cores goes more radii in few substeps.
 */
static const double most_radii = 32, most_cores = 128;

/* What makes a way shorter. */
#define SHORTER_WAYS                                                                               \
    "Is it m/s? Take more frames a second, or shedding=0; where keys make it jump give the one "   \
    "before interpolation \"constant\""

static void warn_of_long_way(vt_simulation *s, const vt_paneled_body *b, double time)
{
    const double radii = b->stream * time / b->reach;
    if (isfinite(b->reach) && radii > long_way)
        vti_warn(&s->warnings, VT_WARN_LONG_WAY, -1,
                 "body '%s' passes the fluid at %.3g m/s, %.0f times its radius in %.3g s: "
                 "its wake takes ever more substeps. " SHORTER_WAYS,
                 b->body->name, b->stream, radii, time);
}

vt_status vti_check_ways(vt_simulation *s, double step)
{
    const vt_panels *const p = &s->panels;
    const double time = fmin(step, 1.0 / 24); /* who asks for more at once may wait */
    for (int32_t n = 0; p->exist && n < p->body_count; n++) {
        const vt_paneled_body *const b = &p->bodies[n];
        if (!vti_sheds(b->body))
            continue;
        const double speed = vti_speed_through_wind(b), reach = b->reach;
        const double most = fmax(most_radii * reach, most_cores * s->grid.core) / time;
        if (speed > most)
            return vti_fail(
                VT_INVALID_ARGUMENT,
                "body '%s' passes the fluid at %.4g m/s, %.0f times its radius in %.3g s: one that "
                "sheds may do so at %.3g m/s. " SHORTER_WAYS,
                b->body->name, speed, speed * time / reach, time, most);
        warn_of_long_way(s, b, time);
    }
    return VT_OK;
}

/* ---- fire ---- */

/* Whether any vorton has fuel; *lit: whether any burns, or is hot enough to. */
static int find_fuel(const vt_simulation *s, int *lit, double *hottest)
{
    const vt_set *const set = &s->vortons.set;
    const float *const fuel = vti_used_column(set, VT_VORTON_fuel);
    const float *const flame = vti_used_column(set, VT_VORTON_flame);
    const float *const temperature = vti_used_column(set, VT_VORTON_temperature);
    int some = 0;
    float most = 0;
    for (int64_t i = 0; fuel && i < set->count; i++) {
        some |= fuel[i] > 0;
        *lit |= flame && flame[i] > 0;
        most = temperature && temperature[i] > most ? temperature[i] : most;
    }
    *hottest = (double)most;
    *lit |= *hottest > s->def.combustion.ignition;
    return some;
}

static int32_t source_of_fuel(const vt_simulation *s)
{
    const uint32_t bit = 1u << VT_CARRIED_fuel;
    for (int32_t p = 0; p < s->sources.fluid_emitter_count; p++) {
        const vt_birth_stream *const stream = &s->sources.parcels[p].stream;
        if (vti_fluid_members(&stream->fluid, &stream->animations) & bit)
            return stream->id;
    }
    for (int32_t n = 0; n < s->sources.structures.count; n++)
        if (s->sources.structures.item[n].members & bit)
            return s->sources.structures.item[n].id;
    return -1;
}

void vti_look_for_unlit_fuel(vt_simulation *s, double dt)
{
    double hottest = 0;
    int lit = 0;
    if (s->def.combustion.law != VT_BURN_SIMPLE || s->unlit < 0)
        return;
    if (find_fuel(s, &lit, &hottest))
        s->unlit += dt;
    if (lit || s->heat.released > 0) {
        s->unlit = -1;
        return;
    }
    if (s->unlit < unlit_time)
        return;
    s->unlit = -1;
    const int32_t id = source_of_fuel(s);
    char name[64] = "there are vortons with";
    if (id >= 0)
        snprintf(name, sizeof name, "source %d (%s) gives", id,
                 vti_name_of_source(&s->sources, id));
    vti_warn(
        &s->warnings, VT_WARN_UNLIT_FUEL, id,
        "%s fuel, but nothing has set it on fire for %.2g s: the hottest fluid has %.4g K, and "
        "fuel burns above Combustion.ignition = %g K. Give it a temperature above that, or a "
        "hot source beside it",
        name, unlit_time, fmax(hottest, s->def.ambient.temperature), s->def.combustion.ignition);
}
