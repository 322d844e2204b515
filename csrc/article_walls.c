#include "article_walls.h"

#include <math.h>
#include <string.h>

#include "core/mathd.h"
#include "core/vec3.h"
#include "field.h"
#include "field_now.h"
#include "hits.h"
#include "state/ambient.h"
#include "wall_nodes.h"

/* Of a boundary, in radii of the vortons; how much of what is wanted a vorton takes at once, for
 * all of them see what all of them do. */
static const double thickness = 1.2, gain = 0.75;

int vt_has_article_walls(const vt_simulation *s)
{
    return s->bodies.count > 0 && vt_has_grid(s) && s->def.method.bodies == VT_BODIES_ARTICLE;
}

/* ---- walls ---- */

/* Room at a point beside a body at a time, m; the normal of the wall in the world. */
static double wall_at(const vt_body *body, const vt_pose *pose, const double point[3],
                      double normal[3])
{
    double local[3], away[3];
    vt_pose_point_back(pose, point, local);
    const double room = body->scale * vt_body_room(body, local, away);
    vt_pose_direction(pose, away, normal);
    return room;
}

/* The wall with the least room, of the bodies as they are at a time. */
static double nearest_wall(const vt_simulation *s, const vt_pose *pose, const double point[3],
                           double normal[3], int32_t *body)
{
    double least = INFINITY, candidate[3];
    memset(normal, 0, sizeof candidate);
    *body = 0;
    for (int32_t n = 0; n < s->bodies.count; n++) {
        const double room = wall_at(&s->bodies.items[n], &pose[n], point, candidate);
        if (room < least) {
            least = room;
            *body = n;
            memcpy(normal, candidate, sizeof candidate);
        }
    }
    return least;
}

static vt_pose *poses_at(vt_simulation *s, double time)
{
    vt_pose *const pose = vt_arena_push(&s->arena, sizeof *pose * (size_t)s->bodies.count);
    for (int32_t n = 0; n < s->bodies.count; n++)
        pose[n] = vt_body_pose(&s->transforms, &s->bodies.items[n], time);
    return pose;
}

static double radius_of(const vt_vortons *v, int64_t row)
{
    const double ball = 4.18879020478639; /* volume of one of radius 1 */
    return vt_cbrt((double)v->volume[row] / ball);
}

static void place_of(const vt_vortons *v, int64_t row, double place[3])
{
    for (int c = 0; c < 3; c++)
        place[c] = (double)v->position[3 * row + c];
}

/* ---- vorticity ---- */

/* Vortons that touch a wall. */
typedef struct touching {
    int64_t count;
    uint32_t *row;
    int32_t *body;
    float *normal, *point; /* x 3; of the wall */
} touching;

static touching find_touching(vt_simulation *s, const vt_pose *pose)
{
    const vt_vortons *const v = &s->vortons;
    const size_t rows = (size_t)v->set.count;
    touching t = {0, vt_arena_push(&s->arena, 4 * rows), vt_arena_push(&s->arena, 4 * rows),
                  vt_arena_push(&s->arena, 12 * rows), vt_arena_push(&s->arena, 12 * rows)};
    for (int64_t i = 0; i < v->set.count; i++) {
        double place[3], normal[3];
        place_of(v, i, place);
        const double room = nearest_wall(s, pose, place, normal, &t.body[t.count]);
        if (!(room < thickness * radius_of(v, i)))
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
    const vt_motion motion = vt_body_motion(&s->transforms, body, s->time);
    double center[3], arm[3], way[3], carried[3], turned[3];
    vt_pose_point(pose, body->center, center);
    for (int c = 0; c < 3; c++) {
        way[c] = center[c] - pose->position[c];
        arm[c] = (double)point[c] - center[c];
    }
    vt_cross(motion.angular, way, carried);
    vt_cross(motion.angular, arm, turned);
    for (int c = 0; c < 3; c++)
        slip[c] = (double)velocity[c] + s->winds.velocity[c] - motion.velocity[c] - carried[c] +
                  0.5 * turned[c];
}

/* The body turns by what of its angular momentum the vorton loses with `lost` of its strength. */
static void turn_body(vt_simulation *s, const vt_fluid *fluid, int32_t body, int64_t row,
                      const double lost[3])
{
    const double radius = radius_of(&s->vortons, row);
    double place[3];
    vt_hit_sum sum = {.body = body};
    place_of(&s->vortons, row, place);
    const double per_strength = 0.4 * vt_ambient_density(fluid, place) * radius * radius / 2;
    vt_add_scaled(sum.impulse + 3, per_strength, lost);
    vt_take_hits(s, &sum, place);
}

void vt_take_wall_vorticity(vt_simulation *s)
{
    const size_t mark = vt_arena_mark(&s->arena);
    const vt_vortons *const v = &s->vortons;
    const vt_fluid fluid = vt_fluid_of(&s->def);
    const vt_pose *const pose = poses_at(s, s->time);
    const touching t = find_touching(s, pose);
    float *const velocity = vt_arena_push(&s->arena, 12 * (size_t)t.count);
    vt_velocity_of_points(s, t.count, t.point, velocity);
    for (int64_t i = 0; i < t.count; i++) {
        const int64_t row = t.row[i];
        const double area = (double)v->volume[row] / (thickness * radius_of(v, row));
        double slip[3], sheet[3], normal[3], lost[3];
        for (int c = 0; c < 3; c++)
            normal[c] = (double)t.normal[3 * i + c];
        find_slip(s, &s->bodies.items[t.body[i]], &pose[t.body[i]], t.point + 3 * i,
                  velocity + 3 * i, slip);
        vt_cross(normal, slip, sheet);
        for (int c = 0; c < 3; c++) {
            float *const strength = v->strength + 3 * row + c;
            const double before = (double)*strength;
            *strength += (float)(gain * (2 * area * sheet[c] - before));
            lost[c] = before - (double)*strength;
        }
        turn_body(s, &fluid, t.body[i], row, lost);
    }
    vt_arena_pop(&s->arena, mark);
}

/* ---- poison ---- */

static f4 without(f4 slope, const double normal[3])
{
    const float n[3] = {(float)normal[0], (float)normal[1], (float)normal[2]};
    const float along = slope[0] * n[0] + slope[1] * n[1] + slope[2] * n[2];
    return (f4){slope[0] - along * n[0], slope[1] - along * n[1], slope[2] - along * n[2],
                slope[3]};
}

static void poison_nodes(vt_simulation *s, const vt_grid *grid, f4 *slopes, double time)
{
    const vt_pose *const pose = poses_at(s, time);
    vt_node_marks marks;
    vt_mark_wall_nodes(s, grid, time, &marks);
    for (int64_t k = 1; k < grid->cells[2]; k++)
        for (int64_t j = 1; j < grid->cells[1]; j++)
            for (int64_t i = 1; i < grid->cells[0]; i++) {
                const int64_t at = k * grid->node_plane + j * grid->node_row + i;
                const double node[3] = {(grid->base[0] + (double)i) * grid->spacing,
                                        (grid->base[1] + (double)j) * grid->spacing,
                                        (grid->base[2] + (double)k) * grid->spacing};
                double normal[3];
                int32_t body;
                if (!marks.open[at] && nearest_wall(s, pose, node, normal, &body) < INFINITY)
                    slopes[at] = without(slopes[at], normal);
            }
}

static void poison_around(const vt_grid *grid, f4 *slopes, const double place[3],
                          const double normal[3])
{
    int64_t low[3];
    for (int a = 0; a < 3; a++) {
        low[a] = (int64_t)floor(place[a] / grid->spacing - grid->base[a]);
        if (low[a] < 0 || low[a] >= grid->cells[a])
            return;
    }
    for (int n = 0; n < 8; n++) {
        f4 *const at = slopes + (low[2] + (n >> 2)) * grid->node_plane +
                       (low[1] + (n >> 1 & 1)) * grid->node_row + low[0] + (n & 1);
        *at = without(*at, normal);
    }
}

static void poison_hits(vt_simulation *s, const vt_grid *grid, f4 *slopes, double time)
{
    const vt_vortons *const v = &s->vortons;
    const vt_pose *const pose = poses_at(s, time);
    for (int64_t i = 0; i < v->set.count; i++) {
        double place[3], normal[3];
        int32_t body;
        place_of(v, i, place);
        if (nearest_wall(s, pose, place, normal, &body) < radius_of(v, i))
            poison_around(grid, slopes, place, normal);
    }
}

void vt_poison_slopes(vt_simulation *s, const vt_grid *grid, f4 *slopes, double time)
{
    const size_t mark = vt_arena_mark(&s->arena);
    if (s->bodies.count > 0 && s->def.method.walls == VT_WALLS_NODES)
        poison_nodes(s, grid, slopes, time);
    else if (s->bodies.count > 0 && s->def.method.walls == VT_WALLS_HITS)
        poison_hits(s, grid, slopes, time);
    vt_arena_pop(&s->arena, mark);
}
