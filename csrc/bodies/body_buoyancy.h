/* The fluid that bodies displace: what their buoyancy comes from. */
#pragma once

#include "model/columns.h"
#include "state/body.h"

enum { VT_MOST_LEVELS = 64 };

/* What the vortons around a body say of the density beside it, by height: the deviation from the
 * ambient one, linear across. */
typedef struct vt_surroundings {
    int32_t levels;                        /* 0: ambient fluid */
    double up[3], across[2][3], center[3]; /* m; heights and ways across count from there */
    double lowest, spacing;                /* heights of the levels, m */
    double mean[VT_MOST_LEVELS], slope[VT_MOST_LEVELS][2]; /* kg/m^3, kg/m^4 */
    double least[VT_MOST_LEVELS], most[VT_MOST_LEVELS];    /* range of the deviation, kg/m^3 */
} vt_surroundings;

typedef struct vt_body_buoyancy {
    double mass;                 /* kg */
    double moment[3];            /* integral of density x way from the centre of the body, kg m */
    double more, more_moment[3]; /* the same integrals of the deviation from the ambient density */
} vt_body_buoyancy;

/* Looks around the bodies with mass, where they are now (rigid.now), for as far as they may go in
 * dt: one entry for each body, in arena memory. has_field: the density field of this substep is
 * solved; else all is ambient. */
vt_surroundings *vti_look_around(vt_simulation *s, int has_field, double dt);

/* Fluid that a body with mass displaces where it is now. */
vt_body_buoyancy vti_find_body_buoyancy(const vt_simulation *s, const vt_body *body,
                                        const vt_surroundings *around);
