/* Velocities of particles beside walls: the part that flows into a wall is taken away. */
#pragma once

#include "vorton.h"

/* Takes away what flows into walls at points (count x 3, m) with these velocities (m/s), both in
 * the frame of the grid. Lists the points whose velocity may have changed, in rising order, in
 * `changed` (room for count; NULL: nobody asks), and returns how many these are. */
int64_t vti_cancel_normal_velocities(vt_simulation *s, int64_t count, const float *points,
                                     float *velocity, uint32_t *changed);
