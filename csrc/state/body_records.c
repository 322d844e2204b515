/* What others are told of a body: where it is and how it moves, and how far from it points are. */
#include <math.h>
#include <string.h>

#include "core/status.h"
#include "core/vec3.h"
#include "state/inertia.h"
#include "state/simulation.h"
#include "state/weigh.h"

/* ---- records ---- */

int32_t vt_body_count(const vt_simulation *s)
{
    return s->bodies.count;
}

vt_status vt_check_body_id(const vt_simulation *s, int32_t id)
{
    if (id >= 0 && id < s->bodies.count)
        return VT_OK;
    return vt_fail(VT_INVALID_ARGUMENT, "id is %d; there are %d bodies, from 0 on", id,
                   s->bodies.count);
}

/* What only bodies with mass have. */
static void fill_weighty(const vt_body *body, vt_body_state *state)
{
    const vt_rigid *const r = &body->rigid;
    double inertia[6][6];
    vt_inertia_of(body, state->rotation, 0, inertia);
    state->free = r->free;
    state->mass = r->mass;
    state->fluid_density = r->fluid_density;
    for (int i = 0; i < 3; i++)
        memcpy(state->inertia[i], inertia[i + 3] + 3, sizeof state->inertia[i]);
    memcpy(state->weight_impulse, r->from_weight.impulse, sizeof state->weight_impulse);
    memcpy(state->weight_angular_impulse, r->from_weight.angular, sizeof state->weight_impulse);
    memcpy(state->contact_impulse, r->from_contacts.impulse, sizeof state->contact_impulse);
    memcpy(state->contact_angular_impulse, r->from_contacts.angular, sizeof state->contact_impulse);
}

static void fill_state(const vt_simulation *s, const vt_body *body, vt_body_state *state)
{
    const vt_pose pose = vt_body_pose(&s->transforms, body, s->time);
    const vt_motion motion = vt_body_motion(&s->transforms, body, s->time);
    double arm[3], carried[3];
    *state = (vt_body_state){
        .hole = body->hole, .temperature = body->heat.temperature, .heat_given = body->heat.given};
    memcpy(state->name, body->name, sizeof state->name);
    vt_pose_point(&pose, body->center, state->position);
    vt_pose_quaternion(&pose, state->rotation);
    memcpy(state->velocity, motion.velocity, sizeof motion.velocity);
    memcpy(state->flow_impulse, body->rigid.from_flow.impulse, sizeof state->flow_impulse);
    memcpy(state->flow_angular_impulse, body->rigid.from_flow.angular, sizeof state->flow_impulse);
    memcpy(state->angular_velocity, motion.angular, sizeof motion.angular);
    memcpy(state->shed_strength, body->shed_strength, sizeof state->shed_strength);
    memcpy(arm, state->position, sizeof arm);
    vt_add_scaled(arm, -1, pose.position);
    vt_cross(motion.angular, arm, carried);
    vt_add_scaled(state->velocity, 1, carried);
    if (body->rigid.mass > 0)
        fill_weighty(body, state);
}

vt_status vt_get_body(vt_simulation *s, int32_t id, vt_body_state *state)
{
    vt_status status = vt_enter(s);
    if (status)
        return status;
    status = vt_check_body_id(s, id);
    if (!status && !state)
        status = vt_fail(VT_INVALID_ARGUMENT, "state is NULL; allowed is a vt_body_state");
    if (!status)
        fill_state(s, &s->bodies.items[id], state);
    vt_leave(s);
    return status;
}

/* ---- distances ---- */

/* The exact version of vt_body_room. */
static double exact_room(const vt_body *body, const double point[3], double nearest[3],
                         double normal[3])
{
    double least = INFINITY;
    for (int32_t n = 0; n < body->solid_count; n++) {
        double candidate[3], outward[3];
        double room = vt_solid_nearest(&body->solids[n], point, candidate, outward);
        room = body->hole ? -room : room;
        if (room < least) {
            least = room;
            memcpy(nearest, candidate, sizeof candidate);
            memcpy(normal, outward, sizeof outward);
        }
    }
    for (int c = 0; c < 3 && body->hole; c++)
        normal[c] = -normal[c];
    return least;
}

static void measure_points(const vt_simulation *s, const vt_body *body, int64_t count,
                           const double *points, double *distance, double *nearest, double *normal)
{
    const vt_pose pose = vt_body_pose(&s->transforms, body, s->time);
    for (int64_t i = 0; i < count; i++) {
        double local[3], wall[3], away[3];
        vt_pose_point_back(&pose, points + 3 * i, local);
        distance[i] = pose.scale * exact_room(body, local, wall, away);
        if (nearest)
            vt_pose_point(&pose, wall, nearest + 3 * i);
        if (normal)
            vt_pose_direction(&pose, away, normal + 3 * i);
    }
}

vt_status vt_body_distance(vt_simulation *s, int32_t id, int64_t count, const double *points,
                           double *distance, double *nearest, double *normal)
{
    vt_status status = vt_enter(s);
    if (status)
        return status;
    status = vt_check_body_id(s, id);
    if (!status && (count < 0 || (count > 0 && (!points || !distance))))
        status = vt_fail(VT_INVALID_ARGUMENT, "count is %lld; allowed is >= 0, with arrays",
                         (long long)count);
    for (int64_t i = 0; i < 3 * count && !status; i++)
        if (!vt_is_finite(points[i]))
            status = vt_fail(VT_INVALID_ARGUMENT, "points: row %lld holds %g; allowed are finite m",
                             (long long)(i / 3), points[i]);
    if (!status)
        measure_points(s, &s->bodies.items[id], count, points, distance, nearest, normal);
    vt_leave(s);
    return status;
}
