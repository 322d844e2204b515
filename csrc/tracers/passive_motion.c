/* The midpoint rule for particles that do not act on the flow, in the frame that moves with the
 * uniform wind: y = x - way of that wind since the beginning of the substep, u the velocity without
 * it. The velocity of a part of the way is that of three looks (kernels/particles/join_looks.h),
 * and at the end x = y + way of the wind. Tracers find the first, with which they set out, without
 * what walls add, and between nodes alone. */
#include "tracers/passive_motion.h"

#include <float.h>

#include "field/sample.h"
#include "state/predicates.h"
#include "state/simulation.h"
#include "state/wind_at_time.h"
#include "tracers/force_fields.h"
#include "tracers/scalars.h"

enum { PORTION = 1 << 20, BLOCK = 16384, MOST_PARTS = 256 };

/* Rows under way; all arrays begin at the first row of the portion. */
typedef struct flight {
    float *position, *velocity, *age; /* columns; velocity may be NULL */
    float *middle, *look[3];
    const float *along; /* the look that leads to the middle */
    float end, length;  /* of the part, since the beginning of the substep; s */
    float dt, wind[3];
} flight;

/* Less than the part for a particle that is born in it: its age was negative. */
static inline float time_lived(const flight *f, int64_t i, float end, float length)
{
    return fmaxf(fminf(f->age[i] + end, length), 0);
}

static void find_middle(void *data, int64_t begin, int64_t end)
{
    const flight *const f = data;
    for (int64_t i = begin; i < end; i++) {
        const float half = 0.5f * time_lived(f, i, f->end, f->length);
        for (int64_t n = 3 * i; n < 3 * i + 3; n++)
            f->middle[n] = f->position[n] + half * f->along[n];
    }
}

static void go_on(void *data, int64_t begin, int64_t end)
{
    const flight *const f = data;
    for (int64_t i = begin; i < end; i++) {
        const float step = time_lived(f, i, f->end, f->length);
        for (int64_t n = 3 * i; n < 3 * i + 3; n++)
            f->position[n] += step * f->look[2][n];
    }
}

/* Back into space. */
static void arrive(void *data, int64_t begin, int64_t end)
{
    const flight *const f = data;
    for (int64_t i = begin; i < end; i++) {
        const float step = time_lived(f, i, f->dt, f->dt);
        for (int64_t a = 0; a < 3; a++) {
            f->position[3 * i + a] += step * f->wind[a];
            if (f->velocity)
                f->velocity[3 * i + a] = f->look[2][3 * i + a] + f->wind[a];
        }
        f->age[i] += f->dt;
    }
}

/* Velocity at points of the frame, `since` seconds after the beginning of the substep, in a part
 * [from, to], or, where to = from, at its beginning: they set out with it. */
static void find_velocity(vt_simulation *s, const vt_passive *rows, const vt_far_lattice *lattice,
                          double since, double from, double to, int64_t count, const float *points,
                          float *u)
{
    const int sets_out = to == from;
    double way[3];
    vti_integrate_winds(s, s->time, s->time + since, way);
    if (rows->induced && sets_out) {
        vti_velocity_to_set_out(s, lattice, count, points, u);
    } else if (rows->induced) {
        vti_velocity_of_tracers(s, lattice, count, points, u);
    } else {
        vti_set_wind_grids(s, s->time + from, s->time + to, way);
        memset(u, 0, 12 * (size_t)count);
        vti_add_wind_grids(s, count, points, u, NULL);
    }
    if (rows->forced)
        vti_add_forces(s, s->time + since, way, count, points, u);
}

static int64_t count_parts(vt_simulation *s, double dt, const vt_passive *rows)
{
    static const double nowhere[3] = {0, 0, 0};
    double gradient = 0;
    if (rows->forced)
        gradient = fmax(vti_force_gradient(s, s->time), vti_force_gradient(s, s->time + dt));
    if (!rows->induced) {
        vti_set_wind_grids(s, s->time, s->time + dt, nowhere);
        gradient += vti_wind_gradient(s);
    }
    /* half the angle of a substep: parts are cheap */
    const double parts = ceil(2 * dt * gradient / s->def.method.turn);
    return parts > MOST_PARTS ? MOST_PARTS : parts > 1 ? (int64_t)parts : 1;
}

static void move_portion(vt_simulation *s, double dt, int64_t parts, const vt_passive *rows,
                         int64_t count, flight *f)
{
    const int threads = s->def.threads;
    const size_t mark = vti_arena_mark(&s->arena);
    const vt_far_lattice *const lattice =
        rows->induced ? vti_open_far_lattice(s, VT_LOOKS, count, f->position) : NULL;
    for (int64_t part = 0; part < parts; part++) {
        const double from = dt * (double)part / (double)parts;
        const double to = dt * (double)(part + 1) / (double)parts;
        f->end = (float)to;
        f->length = (float)(to - from);
        find_velocity(s, rows, lattice, from, from, from, count, f->position, f->look[0]);
        for (int look = 1; look < 3; look++) {
            f->along = f->look[look - 1];
            vti_parallel_for(threads, count, BLOCK, find_middle, f);
            find_velocity(s, rows, lattice, 0.5 * (from + to), from, to, count, f->middle,
                          f->look[look]);
        }
        s->stages->join_looks(count, f->look[0], f->look[1], f->look[2], threads);
        vti_parallel_for(threads, count, BLOCK, go_on, f);
    }
    vti_parallel_for(threads, count, BLOCK, arrive, f);
    vti_arena_pop(&s->arena, mark);
}

vt_passive vti_passive_tracers(const vt_simulation *s, int32_t induced)
{
    const vt_tracers *const t = &s->tracers;
    return (vt_passive){.count = t->set.count,
                        .position = t->position,
                        .velocity = t->set.used[VT_TRACER_velocity] ? t->velocity : NULL,
                        .age = t->age,
                        .induced = induced,
                        .forced = vti_has_forces_on(s, VT_FORCE_ON_TRACERS)};
}

void vti_move_passive(vt_simulation *s, double dt, const vt_passive *rows)
{
    const size_t mark = vti_arena_mark(&s->arena);
    const int64_t most = rows->count < PORTION ? rows->count : PORTION;
    const int64_t parts = count_parts(s, dt, rows);
    flight f = {.middle = vti_arena_push(&s->arena, 12 * (size_t)most), .dt = (float)dt};
    for (int look = 0; look < 3; look++)
        f.look[look] = vti_arena_push(&s->arena, 12 * (size_t)most);
    for (int a = 0; a < 3; a++)
        f.wind[a] = (float)s->winds.velocity[a];
    for (int64_t first = 0; first < rows->count; first += PORTION) {
        const int64_t left = rows->count - first;
        f.position = rows->position + 3 * first;
        f.velocity = rows->velocity ? rows->velocity + 3 * first : NULL;
        f.age = rows->age + first;
        move_portion(s, dt, parts, rows, left < PORTION ? left : PORTION, &f);
    }
    vti_arena_pop(&s->arena, mark);
}

/* ---- growth ---- */

typedef struct growth_job {
    const vt_tracers *tracers;
    float dt;
} growth_job;

static void grow_block(void *data, int64_t begin, int64_t end)
{
    const growth_job *const job = data;
    const float *const growth = job->tracers->growth, *const age = job->tracers->age;
    float *const size = job->tracers->size;
    for (int64_t i = begin; i < end; i++) {
        const float lived = fmaxf(fminf(age[i], job->dt), 0);
        size[i] = fminf(size[i] + growth[i] * lived, FLT_MAX);
    }
}

/* Smoke of age a has the share min(1, (lifetime - a) / (fade lifetime)) left of what it had: over a
 * step this falls by the quotient of two of them. */
static void fade_block(void *data, int64_t begin, int64_t end)
{
    const growth_job *const job = data;
    const vt_tracers *const t = job->tracers;
    for (int64_t i = begin; i < end; i++) {
        const float before = t->lifetime[i] - fmaxf(t->age[i] - job->dt, 0);
        const float window = fminf(t->fade[i] * t->lifetime[i], before);
        const float left = t->lifetime[i] - t->age[i];
        if (window > 0 && left < window)
            t->density[i] *= fmaxf(left, 0) / window;
    }
}

void vti_grow_tracers(vt_simulation *s, double dt)
{
    growth_job job = {&s->tracers, (float)dt};
    const int64_t count = s->tracers.set.count;
    if (s->tracers.set.used[VT_TRACER_growth])
        vti_use_tracer_column(s, VT_TRACER_size);
    if (s->tracers.set.used[VT_TRACER_fade])
        vti_use_tracer_column(s, VT_TRACER_density);
    if (s->tracers.set.used[VT_TRACER_growth])
        vti_parallel_for(s->def.threads, count, BLOCK, grow_block, &job);
    if (s->tracers.set.used[VT_TRACER_fade] && s->tracers.set.used[VT_TRACER_lifetime])
        vti_parallel_for(s->def.threads, count, BLOCK, fade_block, &job);
}
