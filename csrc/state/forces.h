/* Force fields as they were defined, and as they act at a time. */
#ifndef VORTON_STATE_FORCES_H
#define VORTON_STATE_FORCES_H

#include "stages/force.h"
#include "state/animation.h"
#include "state/shapes.h"
#include "vorton.h"

typedef struct vt_force {
    vt_force_def def; /* its shape is in the region */
    vt_animations animations;
    int32_t has_region;
    vt_region region; /* acts inside of it alone */
} vt_force;

typedef struct vt_forces {
    vt_force *force; /* drags come last, the others in the order in which they were added */
    int32_t count;
} vt_forces;

void vt_destroy_forces(vt_forces *forces);

/* Fills `to` with copies; on failure it is to be destroyed all the same. */
vt_status vt_copy_forces(const vt_forces *from, vt_forces *to);

/* Adds all forces at `time` (s) to the velocity (count x 3, m/s, without the uniform wind) at
 * points (count x 3, m) + shift (m). */
void vt_add_forces(vt_simulation *simulation, double time, const double shift[3], int64_t count,
                   const float *points, float *velocity);

/* Bound of the gradient of all forces at a time, 1/s. */
double vt_force_gradient(const vt_simulation *simulation, double time);

#endif
