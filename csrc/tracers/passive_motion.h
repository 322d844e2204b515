/* Motion of particles that only follow: tracers under force fields, and everything where nothing
 * carries circulation. */
#pragma once

#include "vorton.h"

typedef struct vt_passive {
    int64_t count;
    float *position, *velocity, *age; /* velocity may be NULL */
    int32_t induced; /* they feel the fields of the simulation, those of the last stage of the
                        substep; 0: the winds alone */
    int32_t forced;  /* they feel the force fields */
} vt_passive;

/* The tracers. */
vt_passive vti_passive_tracers(const vt_simulation *simulation, int32_t induced);

/* Moves the rows from now to now + dt by the midpoint rule of tracers (passive_motion.c), in as
 * many equal parts as force fields and winds need, at most 256, and ages them by dt. Where they
 * feel the fields, s->winds is as the last stage of the substep has it, and stays so. */
void vti_move_passive(vt_simulation *simulation, double dt, const vt_passive *rows);

/* Adds to the size of tracers what they have grown in a step of dt that ends now. */
void vti_grow_tracers(vt_simulation *simulation, double dt);
