/* The fluid that bodies displace: what their buoyancy comes from. */
#ifndef VORTON_DISPLACED_H
#define VORTON_DISPLACED_H

#include "state/simulation.h"

typedef struct vt_displaced {
    double mass;      /* kg */
    double moment[3]; /* integral of density x way from the centre of the body, kg m */
} vt_displaced;

/* Of a body with mass, where it is now (rigid.now). */
vt_displaced vt_find_displaced(const vt_simulation *s, const vt_body *body);

#endif
