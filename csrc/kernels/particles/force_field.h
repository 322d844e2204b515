/* A force field as it acts at one moment. Tracers have no mass: it gives a velocity, which is added
 * to the fluid's. With d the way from the centre:
 *
 *   attractor  -strength d / R exp((1 - d^2 / R^2) / 2)     largest, |strength|, at the distance R
 *   vortex     strength / (2 pi r) (1 - exp(-r^2 / R^2))    around the axis, r from it: Lamb-Oseen
 *   drag       strength (target - u)                        u: of the fluid and of the others
 */
#pragma once

#include <stdint.h>

#include "base/kernel.h"

typedef struct vt_current_force {
    int32_t kind;     /* VT_FORCE_... */
    double center[3]; /* m */
    double axis[3];   /* unit vector */
    double strength;  /* attractor: m/s; vortex: circulation, m^2/s; drag: 0 .. 1 */
    double radius;    /* R, m, > 0 */
    double target[3]; /* drag: m/s, less the uniform wind */
} vt_current_force;

/* Adds a force field at points (count x 3, m) to velocity (count x 3, m/s), where inside (count
 * bytes; NULL: everywhere) is not 0. */
typedef void vt_force_kernel(const vt_current_force *force, const uint8_t *inside, int64_t count,
                             const float *points, float *velocity, int threads);
VT_DECLARE_KERNEL(force);
