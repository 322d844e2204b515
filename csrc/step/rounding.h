/* What a step leaves has no more digits than it means: two columns are rounded to multiples of a
 * power of 2, so that archives, which store the multiples exactly, take fewer bytes. It is done to
 * the state itself, at the end of each step, whether anything is saved or not: whoever goes on from
 * an archive has what the run had. To the nearest multiple, of halves to the even one: on the mean
 * nothing moves.
 *
 *   velocity of vortons at most a 512th of what it changes over a core, core x gradient. A substep
 *                       reads it for the bend of its way alone (kernels/particles/stretching.c),
 *                       which half a multiple moves by .4 method.turn / 1024 of a core at most.
 *                       Where there is a grid; as it is where accelerations follow from it
 *                       (method.buoyancy full)
 *   fuel, flame and smoke of tracers that burn by themselves: 2^-21. Each is the difference of two
 *                       rounded sums: together they stay at most 1
 *
 * Positions keep their digits: a multiple may lie behind a wall. */
#pragma once

#include "state/simulation.h"

void vti_round_velocities(vt_simulation *simulation);

/* Once they have burnt to the end of the step. */
void vti_round_tracer_shares(vt_simulation *simulation);
