/* Force fields, as tracers feel them. */
#pragma once

#include "vorton.h"

/* Adds all forces at `time` (s) to the velocity (count x 3, m/s, without the uniform wind) at
 * points (count x 3, m) + shift (m). */
void vti_add_forces(vt_simulation *simulation, double time, const double shift[3], int64_t count,
                    const float *points, float *velocity);

/* Bound of the gradient of all forces at a time, 1/s. */
double vti_force_gradient(const vt_simulation *simulation, double time);
