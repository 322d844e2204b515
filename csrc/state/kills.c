#include "state/kills.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/grow.h"
#include "core/parallel.h"
#include "core/status.h"
#include "core/vec3.h"
#include "state/placed.h"
#include "state/simulation.h"

enum { MOST_KILLS = 1024, BLOCK = 4096 };

vt_kill_def vt_default_kill(void)
{
    return (vt_kill_def){.distance = {0, INFINITY}, .speed = {0, INFINITY}, .end = INFINITY};
}

#define MEMBER(member) offsetof(vt_kill_def, member)
static const vt_parameter parameters[] = {
    {"age", MEMBER(age), {1, 0, DBL_MAX, 0, "s"}},
    {"point", MEMBER(point), {3, -1e9, 1e9, 0, "m"}},
    {"least_distance", MEMBER(distance[0]), {1, 0, DBL_MAX, 0, "m"}},
    {"most_distance", MEMBER(distance[1]), {1, 0, INFINITY, 0, "m"}},
    {"least_speed", MEMBER(speed[0]), {1, 0, DBL_MAX, 0, "m/s"}},
    {"most_speed", MEMBER(speed[1]), {1, 0, INFINITY, 0, "m/s"}},
    VT_SHAPE_PARAMETERS("shape"),
    {0}};

static void destroy_kill(vt_kill *kill)
{
    vt_destroy_animations(&kill->animations);
    if (kill->has_region)
        vt_destroy_region(&kill->region);
}

void vt_destroy_kills(vt_kills *kills)
{
    for (int32_t n = 0; n < kills->count; n++)
        destroy_kill(&kills->kill[n]);
    free(kills->kill);
    *kills = (vt_kills){0};
}

/* What owns memory in it is copied below: whoever adds a member looks there, too. */
_Static_assert(sizeof(vt_kill) ==
                   sizeof(vt_kill_def) + sizeof(vt_animations) + sizeof(vt_region) + 16,
               "vt_copy_kills copies every member");

vt_status vt_copy_kills(const vt_kills *from, vt_kills *to)
{
    *to = (vt_kills){.kill = vt_copy_grown(from->kill, from->count, sizeof *from->kill)};
    if (!to->kill)
        return vt_fail(VT_OUT_OF_MEMORY, "no memory for %d kills", from->count);
    for (int32_t n = 0; n < from->count; n++) {
        const vt_kill *const kill = &from->kill[n];
        const vt_status status = vt_copy_animations(
            parameters, kill->animations.count, kill->animations.items, &to->kill[n].animations);
        if (status)
            return status;
        if (kill->has_region && vt_copy_region(&kill->region, &to->kill[n].region)) {
            vt_destroy_animations(&to->kill[n].animations);
            return vt_fail(VT_OUT_OF_MEMORY, "no memory for the copy of a shape");
        }
        to->count = n + 1;
    }
    return VT_OK;
}

/* ---- adding ---- */

static vt_status check_interval(const char *name, const char *unit, const double range[2])
{
    if (range[0] >= 0 && isfinite(range[0]) && range[1] >= range[0])
        return VT_OK;
    return vt_fail(VT_INVALID_ARGUMENT,
                   "least_%s is %g, most_%s %g %s; allowed is a finite least >= 0 and a most that "
                   "is not less",
                   name, range[0], name, range[1], unit);
}

static int is_whole(const double range[2])
{
    return range[0] == 0 && range[1] == INFINITY;
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

static vt_status check_kill(const vt_kill_def *def)
{
    vt_status status = VT_OK;
    if (def->what < VT_KILL_TRACERS || def->what > VT_KILL_BOTH)
        return vt_fail(VT_INVALID_ARGUMENT,
                       "what is %d; allowed are VT_KILL_TRACERS, _VORTONS and _BOTH", def->what);
    if (def->outside != 0 && def->outside != 1)
        return vt_fail(VT_INVALID_ARGUMENT, "outside is %d; allowed are 0 and 1", def->outside);
    if (!(def->age >= 0 && isfinite(def->age)))
        return vt_fail(VT_INVALID_ARGUMENT, "age is %g s; allowed is a finite time >= 0", def->age);
    for (int a = 0; a < 3; a++)
        if (!(fabs(def->point[a]) <= 1e9))
            return vt_fail(VT_INVALID_ARGUMENT, "point[%d] is %g m; allowed is -1e9 to 1e9", a,
                           def->point[a]);
    status = check_interval("distance", "m", def->distance);
    if (!status)
        status = check_interval("speed", "m/s", def->speed);
    if (!status)
        status = vt_check_times(def->start, def->end);
    if (!status)
        status = vt_check_animations(parameters, "a kill", def->animation_count, def->animations);
    if (!status)
        status = vt_check_shape_is_there(def->shape, def->animation_count, def->animations);
    const int any = !status && (is_animated(def, "age") || is_animated(def, "distance") ||
                                is_animated(def, "speed"));
    if (!status && !any && !def->shape && def->age == 0 && is_whole(def->distance) &&
        is_whole(def->speed))
        status = vt_fail(VT_INVALID_ARGUMENT,
                         "a kill without a condition would remove everything; give at least one of "
                         "shape, age, distance and speed");
    return status;
}

static vt_status keep_kill(vt_simulation *s, const vt_kill_def *def)
{
    vt_kills *const kills = &s->kills;
    vt_kill kill = {.def = *def,
                    .by_distance = !is_whole(def->distance) || is_animated(def, "distance"),
                    .by_speed = !is_whole(def->speed) || is_animated(def, "speed")};
    kill.def.shape = NULL;
    kill.def.animations = NULL;
    vt_status status = vt_check_parent(&s->transforms, def->parent);
    if (status)
        return status;
    if (kills->count == MOST_KILLS || vt_grow((void **)&kills->kill, kills->count, sizeof kill))
        return vt_fail(VT_OUT_OF_MEMORY, "no memory for kill %d; allowed are %d", kills->count,
                       MOST_KILLS);
    if (def->shape) {
        status = vt_create_growing_region(def->shape, "shape", def->animation_count,
                                          def->animations, (double)NAN, &kill.region);
        kill.has_region = status == VT_OK;
    }
    if (!status)
        status =
            vt_copy_animations(parameters, def->animation_count, def->animations, &kill.animations);
    if (status) {
        destroy_kill(&kill);
        return status;
    }
    if (kill.by_speed && def->what != VT_KILL_VORTONS)
        vt_use_tracer_column(s, VT_TRACER_velocity);
    kills->kill[kills->count++] = kill;
    return VT_OK;
}

vt_status vt_add_kill(vt_simulation *s, const vt_kill_def *def)
{
    vt_status status = check_kill(def);
    if (!status)
        status = vt_enter(s);
    if (status)
        return status;
    status = keep_kill(s, def);
    vt_leave(s);
    return status;
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

static int is_within(const double range[2], const double v[3])
{
    const double square = vt_dot(v, v);
    return square >= range[0] * range[0] && square <= range[1] * range[1];
}

static void to_doubles(const float from[3], double to[3])
{
    for (int a = 0; a < 3; a++)
        to[a] = (double)from[a];
}

static int is_at_distance(const vt_kill_def *def, const vt_pose *pose, const double place[3])
{
    double way[3];
    vt_pose_point_back(pose, place, way);
    vt_add_scaled(way, -1, def->point);
    return is_within(def->distance, way);
}

/* All conditions at once; who has not moved yet has no speed. */
static int is_meant(const mask_job *job, int64_t i)
{
    const vt_kill_def *const def = &job->now;
    double place[3], velocity[3];
    to_doubles(job->position + 3 * i, place);
    if ((double)job->age[i] < def->age)
        return 0;
    if (job->kill->by_distance && !is_at_distance(def, &job->pose, place))
        return 0;
    if (job->kill->by_speed) {
        to_doubles(job->velocity + 3 * i, velocity);
        if (!(job->age[i] > 0) || !is_within(def->speed, velocity))
            return 0;
    }
    return !job->kill->has_region ||
           vt_placed_contains(&job->region, &job->pose, place) != def->outside;
}

static void mark_killed(void *data, int64_t begin, int64_t end, int thread)
{
    (void)thread;
    const mask_job *const job = data;
    for (int64_t i = begin; i < end; i++)
        if (!job->mask[i])
            job->mask[i] = (uint8_t)is_meant(job, i);
}

static void mark_old(void *data, int64_t begin, int64_t end, int thread)
{
    (void)thread;
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
    const size_t mark = vt_arena_mark(&s->arena);
    job.mask = vt_arena_push(&s->arena, (size_t)count);
    memset(job.mask, 0, (size_t)count);
    if (job.lifetime)
        vt_parallel_for(s->def.threads, count, BLOCK, mark_old, &job);
    for (int32_t n = 0; n < s->kills.count; n++) {
        job.kill = &s->kills.kill[n];
        if (!acts_on(s, job.kill, set))
            continue;
        any = 1;
        job.pose = vt_pose_at(&s->transforms, job.kill->def.parent, s->time);
        job.now = job.kill->def;
        vt_animate(&job.kill->animations, s->time, &job.now);
        if (job.kill->has_region)
            job.region = vt_region_at(&job.kill->region, s->time);
        vt_parallel_for(s->def.threads, count, BLOCK, mark_killed, &job);
    }
    if (any)
        vt_cut_rows(s, set, job.mask);
    vt_arena_pop(&s->arena, mark);
}

void vt_remove_dead(vt_simulation *s)
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
