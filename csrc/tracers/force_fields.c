#include "tracers/force_fields.h"

#include "state/placed_region.h"
#include "state/simulation.h"

enum { REGION_BLOCK = 4096 };

static vt_current_force force_at(const vt_simulation *s, const vt_force *force, const vt_pose *pose,
                                 double time)
{
    vt_force_def def = force->def;
    vti_animate(&force->animations, time, &def);
    vt_current_force now = {.kind = def.kind, .strength = def.strength};
    vti_normalise(def.axis); /* half way between opposite keys it has no direction: no vortex */
    vti_pose_point(pose, def.center, now.center);
    vti_pose_direction(pose, def.axis, now.axis);
    vti_pose_direction(pose, def.velocity, now.target);
    now.radius = def.radius * pose->scale;
    for (int a = 0; a < 3; a++)
        now.target[a] -= s->winds.velocity[a];
    return now;
}

typedef struct region_job {
    const vt_region *region;
    const vt_pose *pose;
    const double *shift;
    const float *points;
    uint8_t *inside;
} region_job;

static void look_inside(void *data, int64_t begin, int64_t end)
{
    const region_job *const job = data;
    for (int64_t i = begin; i < end; i++) {
        double point[3];
        for (int a = 0; a < 3; a++)
            point[a] = (double)job->points[3 * i + a] + job->shift[a];
        job->inside[i] = (uint8_t)vti_placed_contains(job->region, job->pose, point);
    }
}

void vti_add_forces(vt_simulation *s, double time, const double shift[3], int64_t count,
                    const float *points, float *velocity)
{
    const size_t mark = vti_arena_mark(&s->arena);
    uint8_t *const inside = vti_arena_push(&s->arena, (size_t)count);
    for (int32_t n = 0; n < s->forces.count; n++) {
        const vt_force *const force = &s->forces.force[n];
        const vt_pose pose = vti_pose_at(&s->transforms, force->def.parent, time);
        vt_current_force now = force_at(s, force, &pose, time);
        for (int a = 0; a < 3; a++)
            now.center[a] -= shift[a];
        const vt_region region = vti_region_at(&force->region, time);
        region_job job = {&region, &pose, shift, points, inside};
        if (force->has_region)
            vti_parallel_for(s->def.threads, count, REGION_BLOCK, look_inside, &job);
        s->stages->force(&now, force->has_region ? inside : NULL, count, points, velocity,
                         s->def.threads);
    }
    vti_arena_pop(&s->arena, mark);
}

/* Frobenius norms: of an attractor at its centre, of a vortex on its axis, where they are largest;
 * drag only weakens the others. */
double vti_force_gradient(const vt_simulation *s, double time)
{
    const double attractor = 1.7320508 * 1.6487213, vortex = 1.4142136 / 6.2831853;
    double sum = 0;
    for (int32_t n = 0; n < s->forces.count; n++) {
        const vt_force *const force = &s->forces.force[n];
        const vt_pose pose = vti_pose_at(&s->transforms, force->def.parent, time);
        const vt_current_force now = force_at(s, force, &pose, time);
        const double strength = fabs(now.strength);
        if (now.kind == VT_FORCE_ATTRACTOR)
            sum += attractor * strength / now.radius;
        else if (now.kind == VT_FORCE_VORTEX)
            sum += vortex * strength / (now.radius * now.radius);
    }
    return sum;
}
