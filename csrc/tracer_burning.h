/* The fire of the tracers themselves: see tracer_burning.c. */
#ifndef VORTON_TRACER_BURNING_H
#define VORTON_TRACER_BURNING_H

#include "heat.h"

/* What the tracers take for it from the vortons around them, in arena memory: count values each. */
typedef struct vt_own_fire {
    float *mean[VT_TAKEN_COLUMNS]; /* fuel, flame and smoke there; of temperature NULL */
    float *mixture;                /* share of the mass there that came as fuel */
} vt_own_fire;

/* Whether tracers burn by themselves. */
static inline int vt_tracers_burn(const vt_simulation *s)
{
    return vt_burns(s) && s->def.method.flames == VT_FLAMES_OWN;
}

void vt_make_own_fire(vt_simulation *s, vt_own_fire *own);

/* Burns to the time of now with what has been taken; temperatures are those of the columns. */
void vt_burn_tracers(vt_simulation *s, const vt_own_fire *own);

#endif
