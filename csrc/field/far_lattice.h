/* Velocity outside the grid at points that lie close together, such as voxels: the far field at the
 * nodes of a lattice as fine as it takes, and linear interpolation, as inside the grid. */
#pragma once

#include "state/simulation.h"

/* Writes the velocity of the far field, and of expansion there, at count points (m) that lie
 * `apart` (m) from each other, 0 where they may lie anywhere. Each velocity depends on its point
 * and the others of the call, on neither order nor threads. */
void vti_far_velocity(vt_simulation *s, double apart, int64_t count, const float *points,
                      float *velocity);
