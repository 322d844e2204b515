#include "state/weigh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/status.h"
#include "core/vec3.h"
#include "state/ambient.h"

enum { BODY_POINTS = 256, MOST_WEIGHED = 1024 };

#define MEMBER(member) offsetof(vt_body_def, member)
static const vt_parameter parameters[] = {
    {"density", MEMBER(density), {1, 0, 1e9, 0, "kg/m^3"}},
    {"velocity", MEMBER(velocity), {3, -1e6, 1e6, 0, "m/s"}},
    {"angular_velocity", MEMBER(angular_velocity), {3, -1e5, 1e5, 0, "rad/s"}},
    {"restitution", MEMBER(restitution), {1, 0, 1, 0, ""}},
    {"friction", MEMBER(friction), {1, 0, 100, 0, ""}},
    {"damping", MEMBER(damping), {1, 0, 1e6, 0, "1/s"}},
    {"force", MEMBER(force), {3, -1e12, 1e12, 0, "N"}},
    {"torque", MEMBER(torque), {3, -1e12, 1e12, 0, "N m"}},
    {0}};

/* Those of them that may be animated are the last two. */
static const vt_parameter *const animatable = parameters + 6;

int vt_copy_force(const vt_rigid *from, vt_rigid *to)
{
    return vt_copy_animations(animatable, from->animations.count, from->animations.items,
                              &to->animations)
               ? -1
               : 0;
}

void vt_integrate_force(const vt_rigid *rigid, double from, double to, double impulse[6])
{
    static const char *const names[2] = {"force", "torque"};
    for (int n = 0; n < 2; n++) {
        const vt_track *const track = vt_find_animation(&rigid->animations, names[n]);
        const double *const constant = n ? rigid->torque : rigid->force;
        if (track)
            vt_integrate_track(track, from, to, impulse + 3 * n);
        for (int c = 0; c < 3 && !track; c++)
            impulse[3 * n + c] = (to - from) * constant[c];
    }
}

void vt_keep_place(const vt_simulation *s, vt_body *body)
{
    vt_rigid *const r = &body->rigid;
    const vt_pose pose = vt_body_pose(&s->transforms, body, s->time);
    if (r->placed)
        return;
    vt_pose_point(&pose, body->center, r->now.position);
    vt_pose_quaternion(&pose, r->now.rotation);
    r->before = r->now;
    r->from = r->to = s->time;
    r->placed = 1;
    body->moves = 1;
}

/* ---- checks ---- */

/* What a body without mass cannot have. */
static vt_status check_massless(const vt_body_def *def)
{
    double all = def->held + def->damping + def->animation_count;
    for (int c = 0; c < 3; c++)
        all += vt_abs(def->velocity[c]) + vt_abs(def->angular_velocity[c]) + vt_abs(def->force[c]) +
               vt_abs(def->torque[c]);
    if (all == 0)
        return VT_OK;
    return vt_fail(
        VT_INVALID_ARGUMENT,
        "density is 0: it has no mass; held, velocity, angular_velocity, damping, force and torque "
        "are allowed with a density alone");
}

static vt_status check_massive(const vt_body_def *def, const vt_body *body)
{
    if (def->hole)
        return vt_fail(VT_INVALID_ARGUMENT,
                       "density is %g kg/m^3; a container has no mass, allowed is 0", def->density);
    if (def->held != 0 && def->held != 1)
        return vt_fail(VT_INVALID_ARGUMENT, "held is %d; allowed are 0 and 1", def->held);
    if (body->moves)
        return vt_fail(
            VT_INVALID_ARGUMENT,
            "density is %g kg/m^3 and its parent moves; a body with mass moves by itself, or "
            "is held: allowed is a parent that does not move, or no density",
            def->density);
    if (!isfinite(body->reach))
        return vt_fail(VT_INVALID_ARGUMENT,
                       "density is %g kg/m^3, but a plane has no size; allowed is 0", def->density);
    if (body->solid_count > MOST_WEIGHED)
        return vt_fail(VT_INVALID_ARGUMENT, "it has mass and %d shapes; allowed are %d",
                       body->solid_count, MOST_WEIGHED);
    return VT_OK;
}

static vt_status check_rigid(const vt_body_def *def, const vt_body *body)
{
    vt_status status = vt_check_parameters(parameters, def);
    if (!status)
        status = vt_check_animations(animatable, "a body", def->animation_count, def->animations);
    if (!status)
        status = def->density > 0 ? check_massive(def, body) : check_massless(def);
    return status;
}

/* ---- making ---- */

static vt_status weigh(const vt_body_def *def, vt_body *body)
{
    vt_rigid *const r = &body->rigid;
    const double s = body->scale, s3 = s * s * s;
    body->bulk = vt_bulk_of_union(body->solids, body->solid_count);
    r->mass = def->density * s3 * body->bulk.volume;
    const double (*const spread)[3] = (const double (*)[3])body->bulk.spread;
    const double trace = spread[0][0] + spread[1][1] + spread[2][2];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            r->inertia[i][j] = def->density * s3 * s * s * ((i == j ? trace : 0) - spread[i][j]);
    if (!(r->mass > 0 && r->mass < 1e30 && trace > 0 && isfinite(trace)))
        return vt_fail(VT_INVALID_ARGUMENT,
                       "its volume is %g m^3 and its mass %g kg; allowed are masses > 0 and < 1e30",
                       s3 * body->bulk.volume, r->mass);
    memcpy(body->center, body->bulk.center, sizeof body->center);
    vt_reach_body(body);
    body->points = malloc(sizeof *body->points * BODY_POINTS);
    if (!body->points)
        return vt_fail(VT_OUT_OF_MEMORY, "no memory for %d points", BODY_POINTS);
    body->point_count =
        vt_fill_union(body->solids, body->solid_count, &body->bulk, BODY_POINTS, body->points);
    return VT_OK;
}

vt_status vt_make_rigid(const vt_simulation *s, const vt_body_def *def, vt_body *body)
{
    vt_rigid *const r = &body->rigid;
    vt_status status = check_rigid(def, body);
    r->restitution = def->restitution;
    r->friction = def->friction;
    if (status || !(def->density > 0))
        return status;
    status = weigh(def, body);
    if (!status)
        status =
            vt_copy_animations(animatable, def->animation_count, def->animations, &r->animations);
    if (status)
        return status;
    r->damping = def->damping;
    memcpy(r->force, def->force, sizeof r->force);
    memcpy(r->torque, def->torque, sizeof r->torque);
    memcpy(r->velocity, def->velocity, sizeof r->velocity);
    memcpy(r->angular, def->angular_velocity, sizeof r->angular);
    vt_keep_place(s, body);
    r->free = !def->held;
    const vt_fluid fluid = vt_fluid_of(&s->def);
    r->fluid_density = r->driven_density = vt_ambient_density(&fluid, r->now.position);
    return VT_OK;
}
