#include "preview/bodies.h"

#include "base/status.h"
#include "state/rigid_body.h"
#include "state/simulation.h"

/* How far bodies are seen, m: farther they fill less than a pixel, but for planes. */
static const double farthest = 1e5;

/* Share of the light that they send back, what is left of the key light in a shadow, and how far
 * off the surface shadows begin, of the distance from the eye. */
static const double grey = 0.26, shadow = 0.3, off_surface = 1e-5;

struct vt_staged_body {
    const vt_body *body;
    vt_pose pose;
    double center[3];
};

static f4 color_of(const double color[3])
{
    return (f4){(float)color[0], (float)color[1], (float)color[2], 0.0f};
}

static vt_status stage_bodies(vt_simulation *s, vt_stage *stage)
{
    stage->items = malloc(sizeof *stage->items * (size_t)(s->bodies.count + 1));
    if (!stage->items)
        return vti_fail(VT_OUT_OF_MEMORY, "no memory for %d bodies of a preview", s->bodies.count);
    for (int32_t n = 0; n < s->bodies.count; n++) {
        const vt_body *const body = &s->bodies.items[n];
        vt_staged_body *const staged = &stage->items[stage->count];
        if (body->hole)
            continue;
        *staged =
            (vt_staged_body){.body = body, .pose = vti_body_pose(&s->transforms, body, s->time)};
        vti_pose_point(&staged->pose, body->center, staged->center);
        stage->count++;
    }
    return VT_OK;
}

vt_status vti_create_stage(vt_simulation *simulation, const vt_preview_def *def, vt_stage *stage)
{
    *stage = (vt_stage){.key = color_of(def->key_color),
                        .sky = color_of(def->sky_color),
                        .ground = color_of(def->ground_color)};
    memcpy(stage->key_direction, def->key_direction, sizeof stage->key_direction);
    vti_normalise(stage->key_direction);
    const vt_status status = simulation ? vti_enter(simulation) : VT_OK;
    return status || !simulation ? status : vti_leave(simulation, stage_bodies(simulation, stage));
}

void vti_destroy_stage(vt_stage *stage)
{
    free(stage->items);
    *stage = (vt_stage){.items = NULL};
}

/* Whether the way passes the ball around a body. */
static int passes_near(const vt_staged_body *b, const double from[3], const double way[3])
{
    double arm[3];
    if (!isfinite(b->body->reach))
        return 1;
    for (int c = 0; c < 3; c++)
        arm[c] = b->center[c] - from[c];
    const double along = vti_dot(arm, way);
    vti_add_scaled(arm, -fmax(along, 0), way);
    return vti_dot(arm, arm) <= b->body->reach * b->body->reach;
}

/* Distance of the first wall along a way, and its normal in the world. */
static double trace(const vt_stage *stage, const double from[3], const double way[3],
                    double normal[3])
{
    double least = INFINITY, to[3];
    for (int c = 0; c < 3; c++)
        to[c] = from[c] + farthest * way[c];
    for (int32_t n = 0; n < stage->count; n++) {
        const vt_staged_body *const b = &stage->items[n];
        double start[3], end[3];
        if (!passes_near(b, from, way))
            continue;
        vti_pose_point_back(&b->pose, from, start);
        vti_pose_point_back(&b->pose, to, end);
        for (int32_t k = 0; k < b->body->solid_count; k++) {
            double share, outward[3];
            if (!vti_solid_enter(&b->body->solids[k], start, end, &share, outward) ||
                !(share * farthest < least))
                continue;
            least = share * farthest;
            vti_pose_direction(&b->pose, outward, normal);
        }
    }
    return least;
}

vt_sight vti_see_body(const vt_stage *stage, const double eye[3], const double way[3])
{
    vt_sight s = {.distance = 0};
    double unused[3];
    s.distance = trace(stage, eye, way, s.normal);
    if (!isfinite(s.distance))
        return s;
    for (int c = 0; c < 3; c++)
        s.point[c] = eye[c] + s.distance * way[c] + off_surface * s.distance * s.normal[c];
    double facing = fmax(0, vti_dot(s.normal, stage->key_direction));
    if (facing > 0 && isfinite(trace(stage, s.point, stage->key_direction, unused)))
        facing *= shadow;
    const float up = (float)(0.5 + 0.5 * s.normal[2]);
    const f4 sum = f4_set((float)facing) * stage->key + stage->ground +
                   f4_set(up) * (stage->sky - stage->ground);
    s.light = f4_set((float)grey) * sum;
    return s;
}

f4 vti_light_of_fire(const vt_stage *stage, const double point[3], const double normal[3])
{
    const vt_lamps *const lamps = stage->lamps;
    float seen[VT_MOST_LAMP_GROUPS];
    for (int32_t n = 0; n < lamps->group_count; n++) {
        double way[3], unused[3];
        for (int c = 0; c < 3; c++)
            way[c] = lamps->group[n][c] - point[c];
        const double distance = vti_normalise(way);
        seen[n] = trace(stage, point, way, unused) < distance ? 0.0f : 1.0f;
    }
    return f4_set((float)grey) * vti_lamp_light(lamps, point, normal, seen);
}
