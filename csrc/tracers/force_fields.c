#include "tracers/force_fields.h"

#include "state/force_at_time.h"
#include "state/simulation.h"

enum { REGION_BLOCK = 4096 };

typedef struct region_job {
    const vt_acting_force *acting;
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
        job->inside[i] = (uint8_t)vti_acts_at(job->acting, point);
    }
}

static void add_force(vt_simulation *s, const vt_acting_force *acting, const double shift[3],
                      int64_t count, const float *points, uint8_t *inside, float *velocity)
{
    const int32_t has_region = acting->force->has_region;
    vt_current_force now = acting->now;
    region_job job = {acting, shift, points, inside};
    for (int a = 0; a < 3; a++)
        now.center[a] -= shift[a];
    if (has_region)
        vti_parallel_for(s->def.threads, count, REGION_BLOCK, look_inside, &job);
    s->stages->force(&now, has_region ? inside : NULL, count, points, velocity, s->def.threads);
}

void vti_add_forces(vt_simulation *s, double time, const double shift[3], int64_t count,
                    const float *points, float *velocity)
{
    const size_t mark = vti_arena_mark(&s->arena);
    uint8_t *const inside = vti_arena_push(&s->arena, (size_t)count);
    for (int32_t n = 0; n < s->forces.count; n++) {
        if (s->forces.force[n].def.acts_on != VT_FORCE_ON_TRACERS)
            continue;
        const vt_acting_force acting = vti_force_at(s, &s->forces.force[n], time);
        add_force(s, &acting, shift, count, points, inside, velocity);
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
        if (s->forces.force[n].def.acts_on != VT_FORCE_ON_TRACERS)
            continue;
        const vt_current_force now = vti_force_at(s, &s->forces.force[n], time).now;
        const double strength = fabs(now.strength);
        if (now.kind == VT_FORCE_ATTRACTOR)
            sum += attractor * strength / now.radius;
        else if (now.kind == VT_FORCE_VORTEX)
            sum += vortex * strength / (now.radius * now.radius);
    }
    return sum;
}
