/* An emitter fills the space that the flow has left since it was filled last, not the space that
 * earlier fluid still holds: else the volumes of vortons would sum to many times the space that
 * they lie in, and buoyancy, which goes by volume, would move the same fluid as many times over.
 *
 * On a lattice in the space of the emitter a filling of the shape says how much fits around each
 * node, and the fluid that lies there how much of that is left. Ambient fluid makes way: its
 * vortons get smaller by what is born among them. */
#pragma once

#include "state/sources.h"

/* Of the births of the run up to row `end` of the list, those for which there is room come first;
 * returns where they end. Where nothing is buoyant, there is room for all. */
int64_t vti_strike_crowded(vt_simulation *simulation, vt_births *births, vt_birth_run *run,
                           int64_t end);

/* The births of the run that are due, up to row `end`, are made in parts where the source moves:
 * the end of the first, in which it goes no farther than from node to node. */
int64_t vti_end_of_place(const vt_simulation *simulation, const vt_births *births,
                         const vt_birth_run *run, int64_t end);
