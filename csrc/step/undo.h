/* A substep that cannot be done leaves everything as it was before. What may still be refused
 * - no room for neutral vortons or for what bodies shed, a flow that has blown up - is known only
 * once vortons were born, split, merged, surrounded and soaked, and the flow was given to bodies:
 * all of that is put back. */
#pragma once

#include "state/simulation.h"

typedef struct vt_undo {
    int64_t next_id; /* of vortons */
    void *evolving;  /* the plain values of the simulation that evolve */
    vt_bodies bodies;
    vt_set vortons; /* without columns where births alone are to be undone */
    vt_set tracers; /* without columns where they do not change before it is sure */
} vt_undo;

/* Keeps the state before a substep in the arena; births and step (seconds) are those of the step
 * that it belongs to. Particles are kept where they may change or go before the substep is sure. */
vt_undo vti_keep_undo(vt_simulation *s, const vt_births *births, double step);

/* Goes back to the state before the substep. The grid is that of before, without fields. */
void vti_undo(vt_simulation *s, const vt_undo *beginning);
