/* The fire of the tracers themselves: see tracers/combustion.c. */
#pragma once

#include "model/columns.h"

/* What the tracers take for it from the vortons around them, in arena memory: count values each. */
typedef struct vt_own_fire {
    float *mean[VT_TAKEN_COLUMNS]; /* fuel, flame and smoke there; of temperature NULL */
    float *mixture;                /* share of the mass there that came as fuel */
} vt_own_fire;

void vti_make_own_fire(vt_simulation *s, vt_own_fire *own);

/* Burns to the time of now with what has been taken; temperatures are those of the columns. */
void vti_burn_tracers(vt_simulation *s, const vt_own_fire *own);
