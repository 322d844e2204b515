/* Force fields as they were defined, and as they act at a time. */
#pragma once

#include "kernels/grid/wind_grid.h"
#include "state/sources.h"

typedef struct vt_force {
    vt_force_def def; /* its shape is in the region */
    vt_animations animations;
    int32_t has_region;
    int32_t id;
    vt_region region;         /* acts inside of it alone */
    vt_wind_grid grid;        /* of a grid or points; its values, which are owned, NULL: none */
    double largest;           /* of its values, m/s^2 */
    vt_random_eddies *eddies; /* of turbulence and gusts, of size 1 in lengths of the radius; NULL:
                                 none; owned */
} vt_force;

void vti_destroy_force(vt_force *force);

typedef struct vt_forces {
    vt_force *force; /* drags come last, the others in the order in which they were added */
    int32_t count;
    int32_t made; /* ids in use so far */
} vt_forces;

void vti_destroy_forces(vt_forces *forces);

/* Fills `to` with copies; on failure it is to be destroyed all the same. */
vt_status vti_copy_forces(const vt_forces *from, vt_forces *to);
