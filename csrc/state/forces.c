#include "state/forces.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/grow.h"
#include "core/parallel.h"
#include "core/status.h"
#include "core/vec3.h"
#include "state/placed.h"
#include "state/simulation.h"

enum { MOST_FORCES = 1024, REGION_BLOCK = 4096 };

vt_force_def vt_default_force(void)
{
    return (vt_force_def){.axis = {0, 0, 1}, .strength = 1, .radius = 1};
}

#define MEMBER(member) offsetof(vt_force_def, member)
#define PARAMETERS(least_strength, most_strength)                                                  \
    {{"center", MEMBER(center), {3, -1e9, 1e9, 0, "m"}},                                           \
     {"axis", MEMBER(axis), {3, -1e9, 1e9, 0, ""}},                                                \
     {"strength", MEMBER(strength), {1, least_strength, most_strength, 0, ""}},                    \
     {"radius", MEMBER(radius), {1, 1e-6, 1e9, 0, "m"}},                                           \
     {"velocity", MEMBER(velocity), {3, -1e9, 1e9, 0, "m/s"}},                                     \
     VT_SHAPE_PARAMETERS("shape"),                                                                 \
     {0}}
static const vt_parameter drive_parameters[] = PARAMETERS(-1e9, 1e9);
static const vt_parameter drag_parameters[] = PARAMETERS(0, 1);

static void destroy_force(vt_force *force)
{
    vt_destroy_animations(&force->animations);
    if (force->has_region)
        vt_destroy_region(&force->region);
}

void vt_destroy_forces(vt_forces *forces)
{
    for (int32_t n = 0; n < forces->count; n++)
        destroy_force(&forces->force[n]);
    free(forces->force);
    *forces = (vt_forces){0};
}

/* ---- adding ---- */

static const vt_parameter *parameters_of(const vt_force_def *def)
{
    return def->kind == VT_FORCE_DRAG ? drag_parameters : drive_parameters;
}

static vt_status check_force(const vt_simulation *s, const vt_force_def *def)
{
    const vt_parameter *const parameters = parameters_of(def);
    if (def->kind < VT_FORCE_ATTRACTOR || def->kind > VT_FORCE_DRAG)
        return vt_fail(VT_INVALID_ARGUMENT,
                       "kind is %d; allowed are VT_FORCE_ATTRACTOR, _VORTEX and _DRAG", def->kind);
    vt_status status = vt_check_parameters(parameters, def);
    if (!status)
        status = vt_check_animations(parameters, "a force", def->animation_count, def->animations);
    if (!status)
        status = vt_check_directions("axis", 1, def->axis);
    if (!status)
        status = vt_check_animated_direction("axis", def->animation_count, def->animations);
    if (!status)
        status = vt_check_shape_is_there(def->shape, def->animation_count, def->animations);
    return status ? status : vt_check_parent(&s->transforms, def->parent);
}

static vt_status make_force(const vt_force_def *def, vt_force *force)
{
    vt_status status = VT_OK;
    *force = (vt_force){.def = *def};
    force->def.shape = NULL;
    force->def.animations = NULL;
    if (def->shape) {
        status = vt_create_growing_region(def->shape, "shape", def->animation_count,
                                          def->animations, (double)NAN, &force->region);
        force->has_region = status == VT_OK;
    }
    if (!status)
        status = vt_copy_animations(parameters_of(def), def->animation_count, def->animations,
                                    &force->animations);
    if (status)
        destroy_force(force);
    return status;
}

/* `to` has the plain values of `from` already; on failure there is nothing to destroy. */
static vt_status copy_force(const vt_force *from, vt_force *to)
{
    vt_status status = VT_OK;
    to->has_region = 0;
    if (from->has_region) {
        if (vt_copy_region(&from->region, &to->region))
            status = vt_fail(VT_OUT_OF_MEMORY, "no memory for the copy of a shape");
        to->has_region = status == VT_OK;
    }
    to->animations = (vt_animations){0};
    if (!status)
        status = vt_copy_animations(parameters_of(&from->def), from->animations.count,
                                    from->animations.items, &to->animations);
    if (status)
        destroy_force(to);
    return status;
}

/* What owns memory in it is copied above: whoever adds a member looks there, too. */
_Static_assert(sizeof(vt_force) ==
                   sizeof(vt_force_def) + sizeof(vt_animations) + sizeof(vt_region) + 8,
               "copy_force copies every member");

vt_status vt_copy_forces(const vt_forces *from, vt_forces *to)
{
    vt_status status = VT_OK;
    *to = (vt_forces){.force = vt_copy_grown(from->force, from->count, sizeof *from->force)};
    if (!to->force)
        return vt_fail(VT_OUT_OF_MEMORY, "no memory for %d forces", from->count);
    for (int32_t n = 0; n < from->count && !status; n++) {
        status = copy_force(&from->force[n], &to->force[n]);
        to->count = n + !status;
    }
    return status;
}

/* Drags slow down what all others drive. */
static vt_status keep_force(vt_simulation *s, const vt_force *force)
{
    vt_forces *const forces = &s->forces;
    if (forces->count == MOST_FORCES ||
        vt_grow((void **)&forces->force, forces->count, sizeof *force))
        return vt_fail(VT_OUT_OF_MEMORY, "no memory for force %d; allowed are %d", forces->count,
                       MOST_FORCES);
    int32_t at = forces->count++;
    for (; force->def.kind != VT_FORCE_DRAG && at > 0 &&
           forces->force[at - 1].def.kind == VT_FORCE_DRAG;
         at--)
        forces->force[at] = forces->force[at - 1];
    forces->force[at] = *force;
    return VT_OK;
}

static vt_status add_force(vt_simulation *s, const vt_force_def *def)
{
    vt_force force;
    vt_status status = check_force(s, def);
    if (!status)
        status = make_force(def, &force);
    if (status)
        return status;
    status = keep_force(s, &force);
    if (status)
        destroy_force(&force);
    return status;
}

vt_status vt_add_force(vt_simulation *s, const vt_force_def *def)
{
    vt_status status = vt_enter(s);
    if (status)
        return status;
    status = add_force(s, def);
    vt_leave(s);
    return status;
}

/* ---- acting ---- */

static vt_force_now force_at(const vt_simulation *s, const vt_force *force, const vt_pose *pose,
                             double time)
{
    vt_force_def def = force->def;
    vt_animate(&force->animations, time, &def);
    vt_force_now now = {.kind = def.kind, .strength = def.strength};
    vt_normalise(def.axis); /* half way between opposite keys it has no direction: no vortex */
    vt_pose_point(pose, def.center, now.center);
    vt_pose_direction(pose, def.axis, now.axis);
    vt_pose_direction(pose, def.velocity, now.target);
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

static void look_inside(void *data, int64_t begin, int64_t end, int thread)
{
    (void)thread;
    const region_job *const job = data;
    for (int64_t i = begin; i < end; i++) {
        double point[3];
        for (int a = 0; a < 3; a++)
            point[a] = (double)job->points[3 * i + a] + job->shift[a];
        job->inside[i] = (uint8_t)vt_placed_contains(job->region, job->pose, point);
    }
}

void vt_add_forces(vt_simulation *s, double time, const double shift[3], int64_t count,
                   const float *points, float *velocity)
{
    const size_t mark = vt_arena_mark(&s->arena);
    uint8_t *const inside = vt_arena_push(&s->arena, (size_t)count);
    for (int32_t n = 0; n < s->forces.count; n++) {
        const vt_force *const force = &s->forces.force[n];
        const vt_pose pose = vt_pose_at(&s->transforms, force->def.parent, time);
        vt_force_now now = force_at(s, force, &pose, time);
        for (int a = 0; a < 3; a++)
            now.center[a] -= shift[a];
        const vt_region region = vt_region_at(&force->region, time);
        region_job job = {&region, &pose, shift, points, inside};
        if (force->has_region)
            vt_parallel_for(s->def.threads, count, REGION_BLOCK, look_inside, &job);
        s->stages->force(&now, force->has_region ? inside : NULL, count, points, velocity,
                         s->def.threads);
    }
    vt_arena_pop(&s->arena, mark);
}

/* Frobenius norms: of an attractor at its centre, of a vortex on its axis, where they are largest;
 * drag only weakens the others. */
double vt_force_gradient(const vt_simulation *s, double time)
{
    const double attractor = 1.7320508 * 1.6487213, vortex = 1.4142136 / 6.2831853;
    double sum = 0;
    for (int32_t n = 0; n < s->forces.count; n++) {
        const vt_force *const force = &s->forces.force[n];
        const vt_pose pose = vt_pose_at(&s->transforms, force->def.parent, time);
        const vt_force_now now = force_at(s, force, &pose, time);
        const double strength = fabs(now.strength);
        if (now.kind == VT_FORCE_ATTRACTOR)
            sum += attractor * strength / now.radius;
        else if (now.kind == VT_FORCE_VORTEX)
            sum += vortex * strength / (now.radius * now.radius);
    }
    return sum;
}
