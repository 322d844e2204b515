#include "state/container_frame.h"

#include "state/predicates.h"
#include "state/rigid_body.h"

const vt_body *vti_find_frame_body(const vt_simulation *s)
{
    const vt_body *smallest = NULL;
    double least = INFINITY;
    for (int32_t n = 0; n < s->bodies.count; n++) {
        const vt_body *const body = &s->bodies.items[n];
        const double volume = body->volume * body->scale * body->scale * body->scale;
        if (!body->hole || !isfinite(body->reach) || (smallest && !(volume < least)))
            continue;
        smallest = body;
        least = volume;
    }
    return smallest;
}

static void center_at(const vt_simulation *s, const vt_body *body, double time, double center[3])
{
    const vt_pose pose = vti_body_pose(&s->transforms, body, time);
    vti_pose_point(&pose, body->center, center);
}

void vti_find_frame_velocity(const vt_simulation *s, const vt_body *body, double time,
                             double velocity[3])
{
    const vt_pose pose = vti_body_pose(&s->transforms, body, time);
    const vt_motion motion = vti_body_motion(&s->transforms, body, time);
    double arm[3];
    vti_pose_point(&pose, body->center, arm);
    vti_add_scaled(arm, -1, pose.position);
    vti_cross(motion.angular, arm, velocity);
    vti_add_scaled(velocity, 1, motion.velocity);
}

/* The mean of just before and just after: at a key both count, whichever the time is rounded to. */
static void velocity_around(const vt_simulation *s, const vt_body *body, double time, double apart,
                            double velocity[3])
{
    double before[3], after[3];
    vti_find_frame_velocity(s, body, time - apart, before);
    vti_find_frame_velocity(s, body, time + apart, after);
    for (int c = 0; c < 3; c++)
        velocity[c] = 0.5 * (before[c] + after[c]);
}

void vti_begin_frame(vt_simulation *s, double dt)
{
    const double apart = 1e-3 * dt;
    vt_container_frame *const carried = &s->carried;
    const vt_body *const body = vti_find_frame_body(s);
    const int32_t number = body ? (int32_t)(body - s->bodies.items) + 1 : 0;
    memset(carried->acceleration, 0, sizeof carried->acceleration);
    if (number != carried->by && body)
        vti_find_frame_velocity(s, body, s->time + apart, carried->velocity);
    if (number != carried->by)
        carried->jumped_until = s->time;
    carried->by = number;
    if (!body || !vti_wants_panels(s, number - 1))
        return;
    velocity_around(s, body, s->time + dt, apart, carried->next);
    for (int c = 0; c < 3; c++)
        carried->acceleration[c] = (carried->next[c] - carried->velocity[c]) / dt;
}

void vti_end_frame(vt_simulation *s)
{
    memcpy(s->carried.velocity, s->carried.next, sizeof s->carried.velocity);
}

void vti_stop_frame(vt_simulation *s, const vt_container_frame *before, double done)
{
    if (done > 0)
        vti_add_scaled(s->carried.velocity, done, s->carried.acceleration);
    else
        s->carried = *before;
}

vt_fluid vti_fluid_in_container(const vt_simulation *s)
{
    vt_simulation_def def = s->def;
    vti_subtract(def.gravity, s->carried.acceleration, def.gravity);
    vt_fluid fluid = vti_fluid_of(&s->def);
    memcpy(fluid.gravity, vti_fluid_of(&def).gravity, sizeof fluid.gravity);
    return fluid;
}

int vti_is_lifted(const vt_simulation *s)
{
    const vt_fluid fluid = vti_fluid_in_container(s);
    return vti_is_buoyant(s) &&
           (fluid.gravity[0] != 0 || fluid.gravity[1] != 0 || fluid.gravity[2] != 0);
}

/* Of one that is placed the velocity is constant while it is on its way; where it has been is not
 * kept. */
static void find_way(const vt_simulation *s, const vt_body *body, double from, double to,
                     double way[3])
{
    if (body->rigid.placed || vti_body_jumps(&s->transforms, body, from, to)) {
        vti_find_frame_velocity(s, body, 0.5 * (from + to), way);
        for (int c = 0; c < 3; c++)
            way[c] *= to - from;
        return;
    }
    double start[3];
    center_at(s, body, from, start);
    center_at(s, body, to, way);
    vti_add_scaled(way, -1, start);
}

int vti_carry(const vt_simulation *s, double from, double to, double way[3])
{
    const vt_body *const body = vti_find_frame_body(s);
    if (!body || !vti_wants_panels(s, (int32_t)(body - s->bodies.items)))
        return 0;
    if (to > from)
        find_way(s, body, from, to, way);
    else
        vti_find_frame_velocity(s, body, from, way);
    return 1;
}

void vti_find_frame_change(vt_simulation *s, double change[3])
{
    vt_container_frame *const carried = &s->carried;
    double unused[3];
    const int moved = vti_carry(s, s->time, s->time, unused);
    for (int c = 0; c < 3; c++) {
        const double now = s->winds.velocity[c];
        change[c] = moved && carried->moved ? now - carried->moved_with[c] : 0;
        carried->moved_with[c] = now;
    }
    carried->moved = moved;
}
