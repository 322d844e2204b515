/* The births of a step, planned before anything moves. */
#ifndef VORTON_STATE_PLAN_H
#define VORTON_STATE_PLAN_H

#include "state/emission.h"
#include "state/parcels.h"
#include "state/structures.h"

/* Births of one source in one step: rows [next, end) of the list are still to come, in the order of
 * their times. */
typedef struct vt_birth_run {
    int64_t next, end;
    int32_t set;       /* VT_VORTONS or VT_TRACERS */
    int32_t neutral;   /* vortons without strength */
    int32_t is_vortex; /* vortons of a structure that brings no fluid */
} vt_birth_run;

/* Births of one step, in arena memory. */
typedef struct vt_births {
    int64_t vorton_count; /* of all structures and parcels */
    float *vorton_position, *vorton_strength, *vorton_core, *vorton_volume;
    float *vorton_carried[VT_CARRIED_COLUMNS]; /* temperature 0: ambient; these and the next NULL
                                                  where none are parcels */
    float *vorton_lifetime;
    double *vorton_time;  /* s */
    int64_t tracer_count; /* of all emitters */
    vt_tracer_list tracers;
    vt_structure_birth *structures; /* those due */
    int64_t structure_count;
    vt_parcel_list *parcels; /* of each emitter of parcels */
    vt_birth_run *runs;      /* structures, parcels, emitters */
    int32_t run_count;
    double until; /* who was due by then is born, s */
} vt_births;

/* All births with time in [from, to) for which the policy of the simulation has room. Changes
 * nothing but the arena; VT_OVER_CAPACITY when the policy refuses them. */
vt_status vt_plan_births(vt_simulation *simulation, double from, double to, vt_births *births);

/* Births of vortons or of tracers with time <= until join the columns; those later than the
 * simulation's time get an age below zero: minus the time still to go. */
void vt_bear(vt_simulation *simulation, int set, vt_births *births, double until);

/* How many of them are still to be born. */
int64_t vt_count_to_come(const vt_births *births, int set);

/* Time of the next vorton to be born, neutral ones included or not, or `otherwise`. */
double vt_next_vorton_time(const vt_births *births, int neutral, double otherwise);

#endif
