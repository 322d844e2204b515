#include "state/rigid_body.h"

/* Between `before` and `now`, the state before and after. */
static vt_place place_at(const vt_rigid *rigid, double time)
{
    if (!(time < rigid->to))
        return rigid->now;
    if (!(time > rigid->from))
        return rigid->before;
    const double share = (time - rigid->from) / (rigid->to - rigid->from);
    const double *const a = rigid->before.rotation, *const b = rigid->now.rotation;
    const double sign = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] < 0 ? -1 : 1;
    vt_place place;
    for (int c = 0; c < 3; c++)
        place.position[c] = rigid->before.position[c] +
                            share * (rigid->now.position[c] - rigid->before.position[c]);
    for (int c = 0; c < 4; c++)
        place.rotation[c] = (1 - share) * a[c] + sign * share * b[c];
    vti_normalise_quaternion(place.rotation);
    return place;
}

vt_pose vti_pose_of_place(const vt_place *place, const double center[3], double scale)
{
    vt_pose pose = {.scale = scale};
    double arm[3];
    vti_quaternion_matrix(place->rotation, pose.matrix);
    vti_pose_direction(&pose, center, arm);
    memcpy(pose.position, place->position, sizeof pose.position);
    vti_add_scaled(pose.position, -scale, arm);
    return pose;
}

void vti_turn(double rotation[4], const double by[3])
{
    double axis[3], turned[3], q[4];
    memcpy(axis, by, sizeof axis);
    const double half = 0.5 * vti_normalise(axis), sine = vti_sin(half), cosine = vti_cos(half);
    const double real = rotation[0], *const vector = rotation + 1;
    vti_cross(axis, vector, turned);
    q[0] = cosine * real - sine * vti_dot(axis, vector);
    for (int c = 0; c < 3; c++)
        q[c + 1] = cosine * vector[c] + sine * (real * axis[c] + turned[c]);
    vti_normalise_quaternion(q);
    memcpy(rotation, q, sizeof q);
}

vt_pose vti_body_pose(const vt_transforms *transforms, const vt_body *body, double time)
{
    if (!body->rigid.placed)
        return vti_pose_at(transforms, body->parent, fmin(fmax(time, body->since), body->until));
    const vt_place place = place_at(&body->rigid, time);
    return vti_pose_of_place(&place, body->center, body->scale);
}

vt_pose vti_pose_now(const vt_transforms *transforms, const vt_body *body, double time)
{
    return body->rigid.placed ? vti_pose_of_place(&body->rigid.now, body->center, body->scale)
                              : vti_body_pose(transforms, body, time);
}

vt_motion vti_body_motion(const vt_transforms *transforms, const vt_body *body, double time)
{
    const vt_rigid *const r = &body->rigid;
    vt_motion motion = {{0}, {0}};
    double arm[3], carried[3];
    if (!r->placed && time > body->until)
        return motion;
    if (!r->placed)
        return vti_motion_at(transforms, body->parent, fmax(time, body->since));
    const int on_its_way = time >= r->from && time < r->to;
    const vt_place place = place_at(r, time);
    const vt_pose pose = vti_pose_of_place(&place, body->center, body->scale);
    for (int c = 0; c < 3; c++) {
        motion.velocity[c] = on_its_way
                                 ? (r->now.position[c] - r->before.position[c]) / (r->to - r->from)
                                 : r->velocity[c];
        motion.angular[c] = on_its_way ? r->turned[c] : r->angular[c];
        arm[c] = pose.position[c] - place.position[c];
    }
    vti_cross(motion.angular, arm, carried);
    vti_add_scaled(motion.velocity, 1, carried);
    return motion;
}

int vti_body_jumps(const vt_transforms *transforms, const vt_body *body, double from, double to)
{
    /* one that was put elsewhere has been there since before the substep */
    const double since = body->since > from ? body->since : from;
    return !body->rigid.placed && vti_next_jump(transforms, body->parent, since, to) <= to;
}
