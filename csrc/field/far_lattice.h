/* Velocity outside the grid, of the far field, of expansion and of walls there. For points that lie
 * close together, such as voxels and tracers, all but that of walls is summed at the nodes of a
 * lattice as wide as the cells of the grid, where there are points, and interpolated by quadratic
 * B-splines, whose coefficients are the velocities less an eighth of their second differences:
 * exact to the third order (Hockney and Eastwood, Computer Simulation Using Particles, 1988,
 * chapter 5). */
#pragma once

#include "state/simulation.h"

typedef struct vt_far_lattice vt_far_lattice;

/* The lattice for those of the points (count x 3, m) that lie outside the grid, and for places half
 * a cell from them, in arena memory; it lasts until the next solve. NULL where it would not pay:
 * few points, or scattered ones. */
const vt_far_lattice *vti_open_far_lattice(vt_simulation *s, int64_t count, const float *points);

/* The same for points that lie `apart` (m) from each other along all three axes. */
const vt_far_lattice *vti_open_voxel_lattice(vt_simulation *s, double apart, int64_t count,
                                             const float *points);

/* Writes the velocity (m/s) at count points (m) outside the grid: of those that the lattice (NULL:
 * none) does not serve by their own sums. */
void vti_far_velocity(vt_simulation *s, const vt_far_lattice *lattice, int64_t count,
                      const float *points, float *velocity);
