/* Bodies that somebody outside places, pushes or leads. */
#include <math.h>
#include <string.h>

#include "carrier.h"
#include "core/status.h"
#include "core/vec3.h"
#include "jumps.h"
#include "state/inertia.h"
#include "state/weigh.h"

static const double farthest = 1e9, fastest = 1e6, fastest_turn = 1e5; /* m, m/s, rad/s */

vt_body_change vt_default_body_change(void)
{
    return (vt_body_change){.position = NULL};
}

/* ---- checks ---- */

static vt_status check_numbers(const char *name, const double *values, int count, double most,
                               const char *unit)
{
    for (int c = 0; values && c < count; c++)
        if (!(vt_abs(values[c]) <= most))
            return vt_fail(VT_INVALID_ARGUMENT,
                           "%s[%d] is %g; allowed are finite numbers, at most "
                           "%g %s in size",
                           name, c, values[c], most, unit);
    return VT_OK;
}

static vt_status check_rotation(const double *rotation)
{
    const vt_status status = check_numbers("rotation", rotation, 4, 1e9, "");
    double q[4];
    if (status || !rotation)
        return status;
    memcpy(q, rotation, sizeof q);
    if (vt_normalise_quaternion(q))
        return VT_OK;
    return vt_fail(VT_INVALID_ARGUMENT,
                   "rotation is 0 0 0 0; allowed are quaternions w x y z of any length but 0");
}

static vt_status check_over(const vt_body *body, const vt_body_change *change)
{
    const double over = change->over;
    if (!(over >= 0 && over <= farthest))
        return vt_fail(VT_INVALID_ARGUMENT, "over is %g s; allowed is 0 to %g", over, farthest);
    if (over > 0 && (change->velocity || change->angular_velocity))
        return vt_fail(
            VT_INVALID_ARGUMENT,
            "over is %g s: its velocities follow from the way; allowed is velocity or over", over);
    if (over > 0 && body->rigid.free)
        return vt_fail(VT_INVALID_ARGUMENT,
                       "over is %g s, but it moves by itself; allowed is 0, or a body that is held",
                       over);
    return VT_OK;
}

static vt_status check_change(const vt_body *body, const vt_body_change *change)
{
    vt_status status = check_numbers("position", change->position, 3, farthest, "m");
    if (!status)
        status = check_rotation(change->rotation);
    if (!status)
        status = check_numbers("velocity", change->velocity, 3, fastest, "m/s");
    if (!status)
        status =
            check_numbers("angular_velocity", change->angular_velocity, 3, fastest_turn, "rad/s");
    if (!status)
        status = check_over(body, change);
    if (!status && !body->rigid.placed && body->moves)
        status = vt_fail(VT_INVALID_ARGUMENT,
                         "its parent moves it; allowed are bodies whose parent does not move");
    return status;
}

static vt_status name_body(const vt_body *body, vt_status status)
{
    char message[512];
    if (!status)
        return VT_OK;
    strncpy(message, vt_error_message(), sizeof message - 1);
    message[sizeof message - 1] = 0;
    return vt_fail(status, "body '%s': %s", body->name, message);
}

/* ---- changes ---- */

/* The rotation vector that leads from one unit quaternion to another, the shorter way. */
static void way_of_turn(const double from[4], const double to[4], double way[3])
{
    double real = 0, near[4], across[3];
    for (int c = 0; c < 4; c++)
        real += from[c] * to[c];
    for (int c = 0; c < 4; c++)
        near[c] = real < 0 ? -to[c] : to[c];
    vt_cross(from + 1, near + 1, across);
    for (int c = 0; c < 3; c++)
        way[c] = from[0] * near[c + 1] - near[0] * from[c + 1] + across[c];
    vt_normalise(way);
    const double angle = 2 * vt_quaternion_angle(from, near);
    for (int c = 0; c < 3; c++)
        way[c] *= angle;
}

/* Sets out for a place. */
static void set_out(vt_rigid *r, const vt_body_change *change, const vt_place *place)
{
    double turn[3];
    way_of_turn(r->now.rotation, place->rotation, turn);
    for (int c = 0; c < 3; c++) {
        r->velocity[c] = (place->position[c] - r->now.position[c]) / change->over;
        r->angular[c] = turn[c] / change->over;
    }
}

static void change_body(vt_simulation *s, vt_body *body, const vt_body_change *change)
{
    vt_rigid *const r = &body->rigid;
    vt_keep_place(s, body);
    vt_place place = r->now;
    if (change->position)
        memcpy(place.position, change->position, sizeof place.position);
    if (change->rotation)
        memcpy(place.rotation, change->rotation, sizeof place.rotation);
    vt_normalise_quaternion(place.rotation);
    if (change->over > 0) {
        set_out(r, change, &place);
        return;
    }
    double before[3];
    memcpy(before, r->velocity, sizeof before);
    if (change->velocity)
        memcpy(r->velocity, change->velocity, sizeof r->velocity);
    if (change->angular_velocity)
        memcpy(r->angular, change->angular_velocity, sizeof r->angular);
    const vt_pose from = vt_body_pose(&s->transforms, body, s->time);
    const double *const after = r->velocity;
    r->before = r->now = place;
    if (body != vt_find_carrier(s) || !(change->position || change->rotation))
        return;
    const vt_pose to = vt_body_pose(&s->transforms, body, s->time);
    vt_take_along(s, &from, &to, before, after);
}

vt_status vt_set_body(vt_simulation *s, int32_t id, const vt_body_change *change)
{
    vt_status status = vt_enter(s);
    if (status)
        return status;
    status = vt_check_body_id(s, id);
    if (!status) {
        vt_body *const body = &s->bodies.items[id];
        status = name_body(body, check_change(body, change));
        if (!status)
            change_body(s, body, change);
    }
    vt_leave(s);
    return status;
}

static vt_status push(vt_body *body, const double impulse[3], const double *point,
                      const double *angular)
{
    vt_status status = check_numbers("impulse", impulse, 3, 1e15, "N s");
    if (!status)
        status = check_numbers("point", point, 3, farthest, "m");
    if (!status)
        status = check_numbers("angular_impulse", angular, 3, 1e15, "N m s");
    if (!status && !body->rigid.free)
        status = vt_fail(
            VT_INVALID_ARGUMENT,
            "it does not move by itself; allowed are bodies with a density that are not held");
    if (status)
        return status;
    double both[6] = {impulse[0], impulse[1], impulse[2], 0, 0, 0};
    for (int c = 0; c < 3 && angular; c++)
        both[c + 3] = angular[c];
    if (point) {
        double arm[3], turning[3];
        for (int c = 0; c < 3; c++)
            arm[c] = point[c] - body->rigid.now.position[c];
        vt_cross(arm, impulse, turning);
        vt_add_scaled(both + 3, 1, turning);
    }
    double to_body[6];
    vt_kick_body(body, both, to_body);
    for (int c = 0; c < 3; c++) {
        body->rigid.from_flow.impulse[c] += to_body[c] - both[c];
        body->rigid.from_flow.angular[c] += to_body[c + 3] - both[c + 3];
    }
    return VT_OK;
}

vt_status vt_apply_impulse(vt_simulation *s, int32_t id, const double impulse[3],
                           const double *point, const double *angular_impulse)
{
    vt_status status = vt_enter(s);
    if (status)
        return status;
    status = vt_check_body_id(s, id);
    if (!status)
        status = name_body(&s->bodies.items[id],
                           push(&s->bodies.items[id], impulse, point, angular_impulse));
    vt_leave(s);
    return status;
}
