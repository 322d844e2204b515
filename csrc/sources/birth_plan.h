/* The births of a step, planned before anything moves. */
#pragma once

#include "state/sources.h"

/* All births with time in [from, to) for which the policy of the simulation has room. Changes
 * nothing but the arena; VT_OVER_CAPACITY when the policy refuses them. */
vt_status vti_plan_births(vt_simulation *simulation, double from, double to, vt_births *births);

/* The sources note where their vortons of the step are born. */
void vti_note_planned(vt_simulation *simulation, const vt_births *births);

/* Births of vortons or of tracers with time <= until join the columns; those later than the
 * simulation's time get an age below zero: minus the time still to go. */
void vti_emit(vt_simulation *simulation, int set, vt_births *births, double until);

/* How many of them are still to be born. */
int64_t vti_count_to_come(const vt_births *births, int set);

/* Time of the next vorton to be born, neutral ones included or not, or `otherwise`. */
double vti_next_vorton_time(const vt_births *births, int neutral, double otherwise);
