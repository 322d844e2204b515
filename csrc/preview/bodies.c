#include "preview/bodies.h"

#include <string.h>

#include "base/decay.h"
#include "base/memory.h"
#include "base/status.h"
#include "state/rigid_body.h"
#include "state/simulation.h"

/* How far bodies are seen, m: farther they fill less than a pixel, but for planes. */
static const double farthest = 1e5;

/* Share of the light that they send back (the grey card of photographers), and how far off the
 * surface shadows begin, of the distance from the eye. */
static const double grey = 0.18, off_surface = 1e-5;

/* Distance at which 1 / e of a plane is seen through the haze, of that from the eye to the target:
 * nearer, what is looked at is veiled; farther, the horizon is a hard edge. */
static const double haze = 3;

/* Around a solid, in the world, m. */
typedef struct world_box {
    double low[3], high[3];
} world_box;

struct vt_staged_body {
    const vt_body *body;
    vt_pose pose;
    double center[3];
    world_box *boxes; /* of its solids */
};

/* Whether a text has a line that is this name; a body without one is not among no names. */
static int has_line(const char *text, const char *name)
{
    const size_t length = strlen(name);
    while (text && length > 0) {
        const char *const end = strchr(text, '\n');
        const size_t line = end ? (size_t)(end - text) : strlen(text);
        if (line == length && memcmp(text, name, length) == 0)
            return 1;
        text = end ? end + 1 : NULL;
    }
    return 0;
}

/* A box wider than the solid by more than rounding. */
static world_box box_around(const vt_pose *pose, const vt_solid *solid)
{
    const double beyond = solid->circumscribed * pose->scale;
    const int round = solid->kind != VT_SHAPE_POLYTOPE;
    world_box box;
    double at[3];
    vti_empty_box(box.low, box.high);
    vti_pose_point(pose, solid->center, at);
    if (round)
        vti_add_to_box(at, box.low, box.high);
    for (int32_t v = 0; v < solid->polytope.vertex_count && !round; v++) {
        vti_pose_point(pose, solid->polytope.vertex[v], at);
        vti_add_to_box(at, box.low, box.high);
    }
    for (int c = 0; c < 3; c++) {
        const double more = (round ? beyond : 0) + 1e-6 * beyond + 1e-9 * vti_abs(at[c]);
        box.low[c] -= more;
        box.high[c] += more;
    }
    return box;
}

static vt_status stage_bodies(vt_simulation *s, const char *hidden, vt_stage *stage)
{
    size_t solids = 0;
    for (int32_t n = 0; n < s->bodies.count; n++)
        solids += (size_t)s->bodies.items[n].solid_count;
    stage->items = vti_allocate(sizeof *stage->items * (size_t)(s->bodies.count + 1));
    world_box *boxes = stage->boxes = vti_allocate(sizeof *boxes * (solids + 1));
    if (!stage->items || !boxes) {
        vti_destroy_stage(stage);
        return vti_fail(VT_OUT_OF_MEMORY, "no memory for %d bodies of a preview", s->bodies.count);
    }
    for (int32_t n = 0; n < s->bodies.count; n++) {
        const vt_body *const body = &s->bodies.items[n];
        vt_staged_body *const staged = &stage->items[stage->count];
        if (has_line(hidden, body->name))
            continue;
        *staged =
            (vt_staged_body){.body = body, .pose = vti_body_pose(&s->transforms, body, s->time)};
        vti_pose_point(&staged->pose, body->center, staged->center);
        staged->boxes = boxes;
        for (int32_t k = 0; k < body->solid_count; k++)
            *boxes++ = box_around(&staged->pose, &body->solids[k]);
        stage->count++;
    }
    return VT_OK;
}

vt_status vti_create_stage(vt_simulation *simulation, const vt_preview_def *def, vt_stage *stage)
{
    *stage =
        (vt_stage){.key = vti_color(def->key_color, 1.0), .surroundings = vti_surroundings_of(def)};
    double view[3];
    vti_subtract(def->target, def->eye, view);
    stage->haze = haze * vti_sqrt(vti_dot(view, view));
    const vt_status status = simulation ? vti_enter(simulation) : VT_OK;
    return status || !simulation
               ? status
               : vti_leave(simulation, stage_bodies(simulation, def->hidden, stage));
}

void vti_destroy_stage(vt_stage *stage)
{
    vti_free(stage->items);
    vti_free(stage->boxes);
    *stage = (vt_stage){.items = NULL};
}

/* Whether the way, of so many m, passes the ball around a body, or comes within `off` of it, m. */
static int passes_near(const vt_staged_body *b, const double from[3], const double way[3],
                       double length, double off)
{
    double arm[3];
    const double reach = b->body->reach + off;
    if (!isfinite(reach))
        return 1;
    vti_subtract(b->center, from, arm);
    const double along = vti_dot(arm, way);
    vti_add_scaled(arm, -fmin(fmax(along, 0), length), way);
    return vti_dot(arm, arm) <= reach * reach;
}

/* What a way meets first: INFINITY: nothing. The normal is in the world. */
typedef struct hit {
    double distance, normal[3];
    const vt_staged_body *body;
} hit;

/* A way of length 1. */
typedef struct ray {
    const double *from, *way;
    double inverse[3]; /* of the way along each axis */
} ray;

static ray ray_along(const double from[3], const double way[3])
{
    ray r = {.from = from, .way = way};
    for (int c = 0; c < 3; c++)
        r.inverse[c] = way[c] != 0 ? 1 / way[c] : 1e300;
    return r;
}

/* Whether a ray passes a box nearer than that, m. */
static int passes_box(const ray *r, const world_box *box, double nearer)
{
    double enter = 0, leave = nearer;
    for (int c = 0; c < 3; c++) {
        const double low = (box->low[c] - r->from[c]) * r->inverse[c];
        const double high = (box->high[c] - r->from[c]) * r->inverse[c];
        const double first = low < high ? low : high, last = low < high ? high : low;
        enter = first > enter ? first : enter;
        leave = last < leave ? last : leave;
    }
    return enter <= leave;
}

/* A way as far as bodies are seen, in the space of one of them. */
typedef struct local_way {
    double start[3], end[3];
} local_way;

static local_way into_body(const vt_staged_body *b, const ray *r)
{
    local_way local;
    double to[3];
    for (int c = 0; c < 3; c++)
        to[c] = r->from[c] + farthest * r->way[c];
    vti_pose_point_back(&b->pose, r->from, local.start);
    vti_pose_point_back(&b->pose, to, local.end);
    return local;
}

/* Makes a body the first on a way if this solid of it is nearer. */
static void meet_solid(const vt_staged_body *b, const vt_solid *solid, const local_way *local,
                       hit *first)
{
    double share, outward[3];
    if (!vti_solid_enter(solid, local->start, local->end, &share, outward) ||
        !(share * farthest < first->distance))
        return;
    first->distance = share * farthest;
    first->body = b;
    vti_pose_direction(&b->pose, outward, first->normal);
}

static void meet(const vt_staged_body *b, const ray *r, hit *first)
{
    local_way local;
    int needed = 0;
    if (b->body->hole || !passes_near(b, r->from, r->way, INFINITY, 0))
        return;
    for (int32_t k = 0; k < b->body->solid_count; k++) {
        if (!passes_box(r, &b->boxes[k], first->distance))
            continue;
        if (!needed)
            local = into_body(b, r);
        needed = 1;
        meet_solid(b, &b->body->solids[k], &local, first);
    }
}

/* The first solid along a way. */
static hit trace(const vt_stage *stage, const double from[3], const double way[3])
{
    const ray r = ray_along(from, way);
    hit first = {.distance = INFINITY};
    for (int32_t n = 0; n < stage->count; n++)
        meet(&stage->items[n], &r, &first);
    return first;
}

/* Whether any solid stands in the way of the key light. */
static int is_shaded(const vt_stage *stage, const double from[3])
{
    const ray r = ray_along(from, stage->surroundings.key_direction);
    hit first = {.distance = INFINITY};
    for (int32_t n = 0; n < stage->count && !first.body; n++)
        meet(&stage->items[n], &r, &first);
    return first.body != NULL;
}

/* The part of a way in the room of a container, in which all its solids have a part, as shares of
 * the farthest; 0: it does not pass the room. */
static int cut_room(const vt_staged_body *room, const double from[3], const double way[3],
                    double *enter, double *leave)
{
    double start[3], to[3], end[3];
    *enter = 0;
    *leave = INFINITY;
    for (int c = 0; c < 3; c++)
        to[c] = from[c] + farthest * way[c];
    vti_pose_point_back(&room->pose, from, start);
    vti_pose_point_back(&room->pose, to, end);
    for (int32_t k = 0; k < room->body->solid_count; k++) {
        double from_here, to_here;
        if (!vti_solid_cut(&room->body->solids[k], 0, start, end, &from_here, &to_here))
            return 0;
        *enter = fmax(*enter, from_here);
        *leave = fmin(*leave, to_here);
    }
    return *enter < *leave;
}

/* Distance of the wall at which a way leaves the room of a container; INFINITY: it does not pass
 * the room. The walls that it comes in through are not seen. */
static double leave_room(const vt_staged_body *room, const double from[3], const double way[3],
                         double normal[3])
{
    double enter, leave, end[3], local[3];
    if (!cut_room(room, from, way, &enter, &leave) || !(leave < 1))
        return INFINITY;
    for (int c = 0; c < 3; c++)
        end[c] = from[c] + leave * farthest * way[c];
    vti_pose_point_back(&room->pose, end, local);
    vti_distance_to_body(room->body, local, end);
    vti_pose_direction(&room->pose, end, normal);
    return leave * farthest;
}

/* The nearest of a body's walls and of the far walls of rooms. */
static hit look_along(const vt_stage *stage, const double from[3], const double way[3])
{
    hit first = trace(stage, from, way);
    for (int32_t n = 0; n < stage->count; n++) {
        const vt_staged_body *const room = &stage->items[n];
        double inwards[3];
        if (!room->body->hole || !passes_near(room, from, way, INFINITY, 0))
            continue;
        const double distance = leave_room(room, from, way, inwards);
        if (!(distance < first.distance))
            continue;
        first.distance = distance;
        first.body = room;
        memcpy(first.normal, inwards, sizeof inwards);
    }
    return first;
}

/* Share of the light of a plane at a distance that comes through the haze. */
static float through_haze(const vt_stage *stage, double distance)
{
    const float share = (float)(distance / stage->haze);
    return share < 9.0f ? vti_decay(-share * share) : 0.0f;
}

/* Share of the key light that comes to a point of a surface that no body shades. It is taken a cell
 * before the surface: nearer, the lattice of the light mixes it with that behind a wall of two
 * cells. */
static float key_through_smoke(const vt_stage *stage, const double point[3], const double normal[3])
{
    double before[3];
    if (!stage->smoke)
        return 1.0f;
    memcpy(before, point, sizeof before);
    vti_add_scaled(before, stage->smoke->cell, normal);
    return vti_key_through_smoke(stage->smoke, before, stage->surroundings.key_direction);
}

_Bool vti_key_comes_to(const vt_stage *stage, const double point[3], double off)
{
    double at[3];
    memcpy(at, point, sizeof at);
    for (int32_t n = 0; n < stage->count; n++) {
        const vt_staged_body *const b = &stage->items[n];
        double local[3], outwards[3];
        if (b->body->hole || vti_square_between(b->center, at) > b->body->reach * b->body->reach)
            continue;
        vti_pose_point_back(&b->pose, at, local);
        const double distance = vti_distance_to_body(b->body, local, outwards);
        vti_pose_direction(&b->pose, outwards, local);
        if (distance < 0)
            vti_add_scaled(at, off - distance, local);
    }
    return !is_shaded(stage, at);
}

vt_stretch vti_part_in_rooms(const vt_stage *stage, const double eye[3], const double way[3])
{
    vt_stretch part = {0, INFINITY};
    for (int32_t n = 0; n < stage->count; n++) {
        double enter, leave;
        if (!stage->items[n].body->hole)
            continue;
        if (!passes_near(&stage->items[n], eye, way, INFINITY, 0) ||
            !cut_room(&stage->items[n], eye, way, &enter, &leave))
            return (vt_stretch){0, 0};
        part.from = fmax(part.from, enter * farthest);
        part.to = leave < 1 ? fmin(part.to, leave * farthest) : part.to;
    }
    return part;
}

vt_sight vti_see_body(const vt_stage *stage, const double eye[3], const double way[3])
{
    const hit first = look_along(stage, eye, way);
    vt_sight s = {.distance = first.distance, .clear = 1.0f};
    if (!isfinite(s.distance))
        return s;
    memcpy(s.normal, first.normal, sizeof s.normal);
    if (!isfinite(first.body->body->reach))
        s.clear = through_haze(stage, s.distance);
    for (int c = 0; c < 3; c++)
        s.point[c] = eye[c] + s.distance * way[c] + off_surface * s.distance * s.normal[c];
    const double *const key_direction = stage->surroundings.key_direction;
    const float facing = (float)vti_dot(s.normal, key_direction);
    s.shaded = !(facing > 0.0f) || is_shaded(stage, s.point);
    const float key = s.shaded ? 0.0f : facing * key_through_smoke(stage, s.point, s.normal);
    s.light = f4_set((float)grey) *
              (f4_set(key) * stage->key + vti_surrounding_light(&stage->surroundings, s.normal));
    return s;
}

/* A point in the light of lamps, and the ways to the centres of their groups. */
typedef struct lit_point {
    const vt_lamps *lamps;
    ray rays[VT_MOST_LAMP_GROUPS];
    double way[VT_MOST_LAMP_GROUPS][3], distance[VT_MOST_LAMP_GROUPS];
    float seen[VT_MOST_LAMP_GROUPS];
} lit_point;

/* Hides the groups that a body stands before. */
static void hide_groups(lit_point *p, const vt_staged_body *b)
{
    for (int32_t k = 0; k < b->body->solid_count; k++) {
        const vt_solid *const solid = &b->body->solids[k];
        for (int32_t n = 0; n < p->lamps->group_count; n++) {
            if (!(p->seen[n] > 0.0f) || !passes_box(&p->rays[n], &b->boxes[k], p->distance[n]))
                continue;
            const local_way local = into_body(b, &p->rays[n]);
            hit first = {.distance = p->distance[n]};
            meet_solid(b, solid, &local, &first);
            p->seen[n] = first.body ? 0.0f : 1.0f;
        }
    }
}

f4 vti_light_of_fire(const vt_stage *stage, const double point[3], const double normal[3])
{
    const vt_lamps *const lamps = stage->lamps;
    lit_point p = {.lamps = lamps};
    double middle[3];
    for (int32_t n = 0; n < lamps->group_count; n++) {
        vti_subtract(lamps->group[n], point, p.way[n]);
        p.distance[n] = vti_normalise(p.way[n]);
        p.rays[n] = ray_along(point, p.way[n]);
        p.seen[n] = 1.0f;
    }
    vti_subtract(lamps->center, point, middle);
    const double length = vti_normalise(middle);
    for (int32_t b = 0; b < stage->count; b++)
        if (!stage->items[b].body->hole &&
            passes_near(&stage->items[b], point, middle, length, lamps->reach))
            hide_groups(&p, &stage->items[b]);
    return f4_set((float)grey) * vti_lamp_light(lamps, point, normal, p.seen);
}
