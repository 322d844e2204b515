/* Impulse of the flow at a body: see body_flow.h. */
#ifndef VORTON_STATE_FLOW_H
#define VORTON_STATE_FLOW_H

#include "core/vec3.h"

#include <stdint.h>

/* Linear, and about a point: over the density of the fluid, m^4/s and m^5/s. */
typedef struct vt_impulse {
    double linear[3], angular[3];
} vt_impulse;

/* What strength adds that lies at r from the point. */
static inline void vt_add_strength(const double r[3], const double strength[3], vt_impulse *sum)
{
    double moment[3];
    vt_cross(r, strength, moment);
    vt_add_scaled(sum->linear, 0.5, moment);
    vt_add_scaled(sum->angular, -0.5 * vt_dot(r, r), strength);
}

/* What a body knows of the flow at the beginning of a substep; moments are about its centre then.
 */
typedef struct vt_flow {
    int32_t known;
    double time;      /* s */
    double center[3]; /* m */
    double wind[3];   /* m/s */
    vt_impulse bound; /* the part of its surface, less that of its own motion if it is free */
    vt_impulse pull;  /* what pulls at it, m^4/s^2 */
    vt_impulse late;  /* what pulled at it in the substep before, over what the vortons lost then */
    vt_impulse shed;  /* of what it has shed since */
} vt_flow;

#endif
