/* What is born: vortex rings and emitters of tracers, kept as definitions, and the births of a step
 * planned before anything moves. */
#ifndef VORTON_STATE_SOURCES_H
#define VORTON_STATE_SOURCES_H

#include "core/arena.h"
#include "state/animation.h"
#include "state/births.h"
#include "state/shapes.h"
#include "vorton.h"

typedef struct vt_emitter {
    vt_emitter_def def; /* rate: of an animated one the largest */
    vt_animations animations;
    vt_rate_sum rate_sum; /* of an animated rate */
    vt_region region;     /* the shape, with a copy of its mesh */
    uint64_t seed;        /* key of its sequence */
    int32_t filled;       /* its `count` are born */
} vt_emitter;

typedef struct vt_sources {
    vt_ring_def *rings; /* those to be born in time */
    vt_emitter *emitters;
    int32_t ring_count, emitter_count;
} vt_sources;

/* Births of one source in one step: rows [next, end) of the arrays are still to come, in the order
 * of their times. */
typedef struct vt_birth_run {
    int64_t next, end;
    const vt_emitter *emitter; /* NULL: vortons of a ring */
} vt_birth_run;

/* Tracers to be born: where (count x 3, m), what each carries (kg), their spacing (m), s, m/s, s.
 */
typedef struct vt_tracer_list {
    float *position, *density, *size, *lifetime, *growth;
    double *time;
} vt_tracer_list;

/* Births of one step, in arena memory. */
typedef struct vt_births {
    int64_t vorton_count; /* of all rings */
    float *vorton_position, *vorton_strength, *vorton_core, *vorton_volume;
    double *vorton_time;  /* s */
    int64_t tracer_count; /* of all emitters */
    vt_tracer_list tracers;
    vt_birth_run *runs; /* rings, then emitters */
    int32_t run_count;
} vt_births;

void vt_destroy_sources(vt_sources *sources);

/* All births with time in [from, to) for which the policy of the simulation has room. Changes
 * nothing but the arena; VT_OVER_CAPACITY when the policy refuses them. */
vt_status vt_plan_births(vt_simulation *simulation, double from, double to, vt_births *births);

/* Births with time <= until join the columns; those later than the simulation's time get an age
 * below zero: minus the time still to go. */
void vt_bear(vt_simulation *simulation, vt_births *births, double until);

/* Time of the next vorton to be born, or `otherwise`. */
double vt_next_vorton_time(const vt_births *births, double otherwise);

#endif
