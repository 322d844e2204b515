/* Velocities of vortons with no more digits than they are good for: each to 2^-10 of the power of 2
 * below its largest component, of halves to the even multiple, so that archives, which store them
 * exactly, take fewer bytes. A substep reads them for the bend of its way alone
 * (kernels/particles/stretching.c): half a multiple moves it by less than the way / 4096.
 *
 * It is done to the state itself, at the end of each step, whether anything is saved or not: whoever
 * goes on from an archive has what the run had. Where there is a grid; as they are where
 * accelerations follow from velocities (method.buoyancy full). Positions keep their digits: a
 * multiple may lie behind a wall. So do shares that burn: what burns in a substep may be less. */
#pragma once

#include "state/simulation.h"

void vti_round_velocities(vt_simulation *simulation);
