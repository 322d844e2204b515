/* What a step leaves has no more digits than anyone can see (Method.rounding), so that archives,
 * which keep all of them, take half as many bytes. It is done to the state itself, whether anything
 * is saved or not: whoever goes on from an archive has what the run had. Where there is a grid.
 *
 *   positions of tracers    core / rounding, by chance to either side
 *                           (kernels/particles/lattice_rounding.h)
 *   positions of vortons    a 64th of it: the flow follows from them
 *   velocities of vortons   each to a quarter of 1 / rounding of its own size: a substep reads them
 *                           for the bend of its way (kernels/particles/vorton_way.h) and to find
 *                           where fluid was. As they
 *                           are where accelerations follow from them (method.buoyancy full)
 *   fuel, flame and smoke of tracers that burn by themselves: 1 / rounding, by chance
 *
 * Positions are rounded before the particles meet walls, for a multiple may lie behind one, and
 * those of vortons before impulse is balanced: the few that walls hold have all their digits. */
#pragma once

#include "state/simulation.h"

void vti_round_vortons(vt_simulation *simulation);
void vti_round_tracers(vt_simulation *simulation);

/* Once nothing changes them in the step any more. */
void vti_round_velocities(vt_simulation *simulation);
void vti_round_tracer_shares(vt_simulation *simulation);
