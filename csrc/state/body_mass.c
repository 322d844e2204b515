#include "state/body_mass.h"

#include "base/memory.h"
#include "base/status.h"
#include "state/rigid_body.h"
#include "state/simulation.h"

enum { BODY_POINTS = 256, MOST_WEIGHED = 1024 };

void vti_integrate_force(const vt_rigid *rigid, double from, double to, double impulse[6])
{
    static const char *const names[2] = {"force", "torque"};
    for (int n = 0; n < 2; n++) {
        const vt_track *const track = vti_find_animation(&rigid->animations, names[n]);
        const double *const constant = n ? rigid->torque : rigid->force;
        if (track)
            vt_integrate_track(track, from, to, impulse + 3 * n);
        for (int c = 0; c < 3 && !track; c++)
            impulse[3 * n + c] = (to - from) * constant[c];
    }
}

void vti_keep_place(const vt_simulation *s, vt_body *body)
{
    vt_rigid *const r = &body->rigid;
    const vt_pose pose = vti_body_pose(&s->transforms, body, s->time);
    if (r->placed)
        return;
    vti_pose_point(&pose, body->center, r->now.position);
    vti_pose_quaternion(&pose, r->now.rotation);
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
        all += vti_abs(def->velocity[c]) + vti_abs(def->angular_velocity[c]) +
               vti_abs(def->force[c]) + vti_abs(def->torque[c]);
    if (all == 0)
        return VT_OK;
    return vti_fail(
        VT_INVALID_ARGUMENT,
        "density is 0: it has no mass; held, velocity, angular_velocity, damping, force and torque "
        "are allowed with a density alone");
}

static vt_status check_massive(const vt_body_def *def, const vt_body *body)
{
    if (def->hole)
        return vti_fail(VT_INVALID_ARGUMENT,
                        "density is %g kg/m^3; a container has no mass, allowed is 0",
                        def->density);
    if (body->moves)
        return vti_fail(
            VT_INVALID_ARGUMENT,
            "density is %g kg/m^3 and its parent moves; a body with mass moves by itself, or "
            "is held: allowed is a parent that does not move, or no density",
            def->density);
    if (!isfinite(body->reach))
        return vti_fail(VT_INVALID_ARGUMENT,
                        "density is %g kg/m^3, but a plane has no size; allowed is 0",
                        def->density);
    if (body->solid_count > MOST_WEIGHED)
        return vti_fail(VT_INVALID_ARGUMENT, "it has mass and %d shapes; allowed are %d",
                        body->solid_count, MOST_WEIGHED);
    return VT_OK;
}

/* ---- making ---- */

static vt_status weigh(const vt_body_def *def, vt_body *body)
{
    vt_rigid *const r = &body->rigid;
    const double s = body->scale, s3 = s * s * s;
    body->bulk = vti_mass_properties_of_union(body->solids, body->solid_count);
    r->mass = def->density * s3 * body->bulk.volume;
    const double (*const spread)[3] = (const double (*)[3])body->bulk.spread;
    const double trace = spread[0][0] + spread[1][1] + spread[2][2];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            r->inertia[i][j] = def->density * s3 * s * s * ((i == j ? trace : 0) - spread[i][j]);
    if (!(r->mass > 0 && r->mass < 1e30 && trace > 0 && isfinite(trace)))
        return vti_fail(
            VT_INVALID_ARGUMENT,
            "its volume is %g m^3 and its mass %g kg; allowed are masses > 0 and < 1e30",
            s3 * body->bulk.volume, r->mass);
    memcpy(body->center, body->bulk.center, sizeof body->center);
    vti_bound_body(body);
    body->points = vti_allocate(sizeof *body->points * BODY_POINTS);
    if (!body->points)
        return vti_fail(VT_OUT_OF_MEMORY, "no memory for %d points", BODY_POINTS);
    body->point_count =
        vti_fill_union(body->solids, body->solid_count, &body->bulk, BODY_POINTS, body->points);
    return VT_OK;
}

vt_status vti_make_rigid(const vt_simulation *s, const vt_body_def *def, vt_body *body)
{
    vt_rigid *const r = &body->rigid;
    vt_status status = def->density > 0 ? check_massive(def, body) : check_massless(def);
    r->restitution = def->restitution;
    r->friction = def->friction;
    if (status || !(def->density > 0))
        return status;
    status = weigh(def, body);
    if (!status)
        status = vti_copy_animations(&vti_body_definition, def->animation_count, def->animations,
                                     &r->animations);
    if (status)
        return status;
    r->damping = def->damping;
    memcpy(r->force, def->force, sizeof r->force);
    memcpy(r->torque, def->torque, sizeof r->torque);
    memcpy(r->velocity, def->velocity, sizeof r->velocity);
    memcpy(r->angular, def->angular_velocity, sizeof r->angular);
    vti_keep_place(s, body);
    r->free = !def->held;
    const vt_fluid fluid = vti_fluid_of(&s->def);
    r->fluid_density = r->driven_density = vti_ambient_density(&fluid, r->now.position);
    return VT_OK;
}
