#include "sources/removal.h"

#include "base/status.h"
#include "state/particles.h"
#include "state/placed_region.h"
#include "state/simulation.h"
#include "tracers/scalars.h"

enum { BLOCK = 4096 };

/* What owns memory in it is copied below: whoever adds a member looks there, too. */
_Static_assert(sizeof(vt_kill) ==
                   sizeof(vt_kill_def) + sizeof(vt_animations) + sizeof(vt_region) + 16,
               "vti_copy_kills copies every member");

/* ---- adding ---- */

static vt_status check_interval(const char *name, const char *unit, double least, double most)
{
    if (most >= least)
        return VT_OK;
    return vti_fail(VT_INVALID_ARGUMENT,
                    "least_%s is %g, most_%s %g %s; allowed is a most that is not less", name,
                    least, name, most, unit);
}

static int is_whole(double least, double most)
{
    return least == 0 && most == INFINITY;
}

/* Whether any of the parameters, one of them by its end, is animated. */
static int is_animated(const vt_kill_def *def, const char *ending)
{
    const size_t length = strlen(ending);
    for (int32_t a = 0; a < def->animation_count; a++) {
        const char *const name = def->animations[a].parameter;
        if (strlen(name) >= length && strcmp(name + strlen(name) - length, ending) == 0)
            return 1;
    }
    return 0;
}

vt_status vti_check_kill(const vt_kill_def *def)
{
    vt_status status = check_interval("distance", "m", def->least_distance, def->most_distance);
    if (!status)
        status = check_interval("speed", "m/s", def->least_speed, def->most_speed);
    if (!status)
        status = vti_check_shape_is_there(def->shape, def->animation_count, def->animations);
    const int any = !status && (is_animated(def, "age") || is_animated(def, "distance") ||
                                is_animated(def, "speed"));
    if (!status && !any && !def->shape && def->age == 0 &&
        is_whole(def->least_distance, def->most_distance) &&
        is_whole(def->least_speed, def->most_speed))
        status =
            vti_fail(VT_INVALID_ARGUMENT,
                     "a kill without a condition would remove everything; give at least one of "
                     "shape, age, distance and speed");
    return status;
}

vt_status vti_make_kill(const vt_kill_def *def, vt_kill *made)
{
    vt_kill kill = {.def = *def,
                    .by_distance = !is_whole(def->least_distance, def->most_distance) ||
                                   is_animated(def, "distance"),
                    .by_speed =
                        !is_whole(def->least_speed, def->most_speed) || is_animated(def, "speed")};
    kill.def.shape = NULL;
    kill.def.animations = NULL;
    vt_status status = VT_OK;
    if (def->shape) {
        status = vti_create_growing_region(def->shape, "shape", def->animation_count,
                                           def->animations, (double)NAN, &kill.region);
        kill.has_region = status == VT_OK;
    }
    if (!status)
        status = vti_copy_animations(&vti_kill_definition, def->animation_count, def->animations,
                                     &kill.animations);
    if (status) {
        vti_destroy_kill(&kill);
        return status;
    }
    *made = kill;
    return VT_OK;
}

void vti_use_kill_columns(vt_simulation *s, const vt_kill *kill)
{
    if (kill->by_speed && kill->def.what != VT_KILL_VORTONS)
        vti_use_tracer_column(s, VT_TRACER_velocity);
}

/* ---- removing ---- */

/* The columns of a set that conditions look at. */
typedef struct mask_job {
    const vt_kill *kill;
    vt_kill_def now;
    vt_region region; /* as it is now */
    vt_pose pose;     /* of its parent, now */
    const float *position, *velocity, *age, *lifetime;
    uint8_t *mask;
} mask_job;

static int is_within(double least, double most, const double v[3])
{
    const double square = vti_dot(v, v);
    return square >= least * least && square <= most * most;
}

static int is_at_distance(const vt_kill_def *def, const vt_pose *pose, const double place[3])
{
    double way[3];
    vti_pose_point_back(pose, place, way);
    vti_add_scaled(way, -1, def->point);
    return is_within(def->least_distance, def->most_distance, way);
}

/* All conditions at once; who has not moved yet has no speed. */
static int is_meant(const mask_job *job, int64_t i)
{
    const vt_kill_def *const def = &job->now;
    double place[3], velocity[3];
    vti_widen(job->position + 3 * i, place);
    if ((double)job->age[i] < def->age)
        return 0;
    if (job->kill->by_distance && !is_at_distance(def, &job->pose, place))
        return 0;
    if (job->kill->by_speed) {
        vti_widen(job->velocity + 3 * i, velocity);
        if (!(job->age[i] > 0) || !is_within(def->least_speed, def->most_speed, velocity))
            return 0;
    }
    return !job->kill->has_region ||
           vti_placed_contains(&job->region, &job->pose, place) != def->outside;
}

static void mark_killed(void *data, int64_t begin, int64_t end)
{
    const mask_job *const job = data;
    for (int64_t i = begin; i < end; i++)
        if (!job->mask[i])
            job->mask[i] = (uint8_t)is_meant(job, i);
}

static void mark_old(void *data, int64_t begin, int64_t end)
{
    const mask_job *const job = data;
    for (int64_t i = begin; i < end; i++)
        job->mask[i] = job->age[i] > job->lifetime[i];
}

static int acts_on(const vt_simulation *s, const vt_kill *kill, int set)
{
    return kill->def.what != (set == VT_TRACERS ? VT_KILL_VORTONS : VT_KILL_TRACERS) &&
           s->time >= kill->def.start && s->time <= kill->def.end;
}

static void remove_from(vt_simulation *s, int set, int64_t count, mask_job job)
{
    int any = job.lifetime != NULL;
    const size_t mark = vti_arena_mark(&s->arena);
    job.mask = vti_arena_push(&s->arena, (size_t)count);
    memset(job.mask, 0, (size_t)count);
    if (job.lifetime)
        vti_parallel_for(s->def.threads, count, BLOCK, mark_old, &job);
    for (int32_t n = 0; n < s->kills.count; n++) {
        job.kill = &s->kills.kill[n];
        if (!acts_on(s, job.kill, set))
            continue;
        any = 1;
        job.pose = vti_pose_at(&s->transforms, job.kill->def.parent, s->time);
        job.now = job.kill->def;
        vti_animate(&job.kill->animations, s->time, &job.now);
        if (job.kill->has_region)
            job.region = vti_region_at(&job.kill->region, s->time);
        vti_parallel_for(s->def.threads, count, BLOCK, mark_killed, &job);
    }
    if (any)
        vti_cut_rows(s, set, job.mask);
    vti_arena_pop(&s->arena, mark);
}

void vti_remove_dead(vt_simulation *s)
{
    const vt_vortons *const v = &s->vortons;
    const vt_tracers *const t = &s->tracers;
    const int tracers_end = t->set.used[VT_TRACER_lifetime],
              vortons_end = v->set.used[VT_VORTON_lifetime];
    if (tracers_end || s->kills.count)
        remove_from(s, VT_TRACERS, t->set.count,
                    (mask_job){.position = t->position,
                               .velocity = t->velocity,
                               .age = t->age,
                               .lifetime = tracers_end ? t->lifetime : NULL});
    if (vortons_end || s->kills.count)
        remove_from(s, VT_VORTONS, v->set.count,
                    (mask_job){.position = v->position,
                               .velocity = v->velocity,
                               .age = v->age,
                               .lifetime = vortons_end ? v->lifetime : NULL});
}
