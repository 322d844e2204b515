/* Fluid that flows through a fire burns. */
#ifndef VORTON_SOAK_H
#define VORTON_SOAK_H

#include "state/simulation.h"

/* Ambient fluid that the flow has carried into the shape of an emitter with fuel, while that goes
 * on, takes what that gives. */
void vt_soak_fluid(vt_simulation *s);

/* Whether such an emitter may be among the sources. */
static inline int vt_may_soak(const vt_simulation *s)
{
    return s->sources.parcels_count > 0;
}

#endif
