#include "bodies/article_wall_vorticity.h"

#include "contact/article_impulse.h"
#include "field/sample.h"
#include "field/solid_nodes.h"
#include "state/distance_to_bodies.h"
#include "state/rigid_body.h"
#include "state/simulation.h"

/* Thickness of the boundary layer, in radii of the vortons, and the share of the missing vorticity
 * that a vorton takes at once: all vortons see what all of them take, and together would take too
 * much. */
static const double thickness = 1.2, gain = 0.75;

/* ---- vorticity ---- */

/* Vortons that touch a wall. */
typedef struct touching {
    int64_t count;
    uint32_t *row;
    int32_t *body;
    float *normal, *point; /* normal and nearest point of the wall, x 3 */
} touching;

static touching find_touching(vt_simulation *s, const vt_pose *pose)
{
    const vt_vortons *const v = &s->vortons;
    const size_t rows = (size_t)v->set.count;
    touching t = {0, vti_arena_push(&s->arena, 4 * rows), vti_arena_push(&s->arena, 4 * rows),
                  vti_arena_push(&s->arena, 12 * rows), vti_arena_push(&s->arena, 12 * rows)};
    for (int64_t i = 0; i < v->set.count; i++) {
        double place[3], normal[3];
        vti_widen(v->position + 3 * i, place);
        const double room = vti_nearest_solid(s, pose, place, normal, &t.body[t.count]);
        if (!(room < thickness * vti_hit_radius(v, i)))
            continue;
        for (int c = 0; c < 3; c++) {
            t.normal[3 * t.count + c] = (float)normal[c];
            t.point[3 * t.count + c] = (float)(place[c] - room * normal[c]);
        }
        t.row[t.count++] = (uint32_t)i;
    }
    return t;
}

/* Half the jump of the velocity from a wall to the fluid before it, where the sheet is to make it,
 * m/s: the fluid behind it goes with the centre of the body, and what is before it turns with it.
 */
static void find_slip(const vt_simulation *s, const vt_body *body, const vt_pose *pose,
                      const float point[3], const float velocity[3], double slip[3])
{
    const vt_motion motion = vti_body_motion(&s->transforms, body, s->time);
    double center[3], arm[3], way[3], carried[3], turned[3];
    vti_pose_point(pose, body->center, center);
    vti_subtract(center, pose->position, way);
    vti_widen(point, arm);
    vti_subtract(arm, center, arm);
    vti_cross(motion.angular, way, carried);
    vti_cross(motion.angular, arm, turned);
    for (int c = 0; c < 3; c++)
        slip[c] = (double)velocity[c] + s->winds.velocity[c] - motion.velocity[c] - carried[c] +
                  0.5 * turned[c];
}

/* The body turns by what of its angular momentum the vorton loses with `lost` of its strength. */
static void turn_body(vt_simulation *s, const vt_fluid *fluid, int32_t body, int64_t row,
                      const double lost[3])
{
    const double radius = vti_hit_radius(&s->vortons, row);
    double place[3];
    vt_hit_sum sum = {.body = body};
    vti_widen(s->vortons.position + 3 * row, place);
    const double per_strength = 0.4 * vti_ambient_density(fluid, place) * radius * radius / 2;
    vti_add_scaled(sum.impulse + 3, per_strength, lost);
    vti_take_article_impulse(s, &sum, place);
}

void vti_take_wall_vorticity(vt_simulation *s)
{
    const size_t mark = vti_arena_mark(&s->arena);
    const vt_vortons *const v = &s->vortons;
    const vt_fluid fluid = vti_fluid_of(&s->def);
    const vt_pose *const pose = vti_poses_at(s, s->time);
    const touching t = find_touching(s, pose);
    float *const velocity = vti_arena_push(&s->arena, 12 * (size_t)t.count);
    vti_velocity_of_points(s, t.count, t.point, velocity);
    for (int64_t i = 0; i < t.count; i++) {
        const int64_t row = t.row[i];
        const double area = (double)v->volume[row] / (thickness * vti_hit_radius(v, row));
        double slip[3], sheet[3], normal[3], lost[3];
        vti_widen(t.normal + 3 * i, normal);
        find_slip(s, &s->bodies.items[t.body[i]], &pose[t.body[i]], t.point + 3 * i,
                  velocity + 3 * i, slip);
        vti_cross(normal, slip, sheet);
        for (int c = 0; c < 3; c++) {
            float *const strength = v->strength + 3 * row + c;
            const double before = (double)*strength;
            *strength += (float)(gain * (2 * area * sheet[c] - before));
            lost[c] = before - (double)*strength;
        }
        turn_body(s, &fluid, t.body[i], row, lost);
    }
    vti_arena_pop(&s->arena, mark);
}
