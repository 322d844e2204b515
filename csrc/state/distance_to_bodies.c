#include "state/distance_to_bodies.h"

#include "state/rigid_body.h"
#include "state/simulation.h"

/* Distance of a body, or `within` where the sphere around it is no nearer. */
static double distance_of(const vt_body *body, const vt_pose *pose, const double point[3],
                          double within)
{
    double local[3];
    vti_pose_point_back(pose, point, local);
    const double limit = (body->reach + within) / body->scale;
    if (!body->hole && limit > 0 && vti_square_between(local, body->center) > limit * limit)
        return within;
    return body->scale * vti_distance_to_body(body, local, NULL);
}

double vti_distance_to_one(const vt_simulation *s, int32_t n, const double point[3])
{
    const vt_body *const body = &s->bodies.items[n];
    const vt_pose pose = vti_body_pose(&s->transforms, body, s->time);
    return distance_of(body, &pose, point, INFINITY);
}

double vti_distance_at(const vt_simulation *s, const double point[3])
{
    double room = INFINITY;
    for (int32_t n = 0; n < s->bodies.count; n++)
        room = fmin(room, vti_distance_to_one(s, n, point));
    return room;
}

const vt_pose *vti_poses_at(vt_simulation *s, double time)
{
    vt_pose *const pose = vti_arena_push(&s->arena, sizeof *pose * (size_t)s->bodies.count);
    for (int32_t n = 0; n < s->bodies.count; n++)
        pose[n] = vti_body_pose(&s->transforms, &s->bodies.items[n], time);
    return pose;
}

double vti_distance_near(const vt_simulation *s, const vt_pose *pose, const double point[3])
{
    double room = INFINITY;
    for (int32_t n = 0; n < s->bodies.count; n++)
        room = fmin(room, distance_of(&s->bodies.items[n], &pose[n], point, room));
    return room;
}
