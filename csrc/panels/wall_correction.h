/* Velocities of particles beside walls: the part that flows into a wall is taken away. */
#pragma once

#include "vorton.h"

/* Takes away what flows into walls at points (count x 3, m) with these velocities (m/s), both in
 * the frame of the grid. */
void vti_cancel_normal_velocities(vt_simulation *s, int64_t count, const float *points,
                                  float *velocity);
