/* What is born: vortex rings and emitters of tracers, kept as definitions, and the births of a step
 * planned before anything moves. */
#ifndef VORTON_STATE_SOURCES_H
#define VORTON_STATE_SOURCES_H

#include "core/arena.h"
#include "vorton.h"

typedef struct vt_emitter {
    vt_emitter_def def; /* the shape is a copy of our own */
    double volume;      /* of the shape, m^3 */
    uint64_t seed;      /* key of its sequence */
} vt_emitter;

typedef struct vt_sources {
    vt_ring_def *rings;     /* those still to be born, in the order of their addition */
    vt_emitter *emitters;
    int32_t ring_count, emitter_count;
    int32_t ring_room, emitter_room;
} vt_sources;

/* Births of one step in arena memory, in the order in which ids are given. */
typedef struct vt_births {
    int64_t vorton_count, tracer_count;
    float *vorton_position, *vorton_strength, *vorton_core, *vorton_volume;
    double *vorton_time; /* s */
    float *tracer_position, *tracer_density, *tracer_size, *tracer_lifetime;
    double *tracer_time;
    int64_t vortons_done, tracers_done; /* taken so far: times do not fall */
} vt_births;

void vt_destroy_sources(vt_sources *sources);

/* All births with time in [from, to), sorted by time. Only the arena changes. */
vt_status vt_plan_births(const vt_simulation *simulation, double from, double to, vt_arena *arena,
                         vt_births *births);

/* Births with time <= until join the columns; those after the time of the simulation get an age below
 * zero, the time still to go. */
void vt_bear(vt_simulation *simulation, vt_births *births, double until);

#endif
