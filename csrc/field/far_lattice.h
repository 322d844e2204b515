/* Velocity outside the grid, of the far field, of expansion and of walls there. For points that lie
 * close together, such as voxels and tracers, it is summed at the nodes of lattices, where there
 * are points, and interpolated by quadratic B-splines, whose coefficients are the velocities less
 * an eighth of their second differences: exact to the third order (Hockney and Eastwood, Computer
 * Simulation Using Particles, 1988, chapter 5). The field varies over the distance to what it comes
 * from: beside the grid the nodes are as far apart as its cells, and twice as far wherever that
 * distance has doubled. What comes from walls, at which it jumps, is interpolated where they are as
 * many nodes away, and elsewhere summed for each point. */
#pragma once

#include "state/simulation.h"

typedef struct vt_far_lattice vt_far_lattice;

/* The lattices for those of the points (count x 3, m) that lie outside the grid, at which there are
 * so many looks, and for places half a cell from them, in arena memory; they last until the next
 * solve. NULL where they would not pay: few points, or scattered ones. */
const vt_far_lattice *vti_open_far_lattice(vt_simulation *s, int looks, int64_t count,
                                           const float *points);

/* The same for points that lie `apart` (m) from each other along all three axes. */
const vt_far_lattice *vti_open_voxel_lattice(vt_simulation *s, double apart, int64_t count,
                                             const float *points);

/* Writes the velocity (m/s) at count points (m) outside the grid: of those that the lattice (NULL:
 * none) does not serve by their own sums. */
void vti_far_velocity(vt_simulation *s, const vt_far_lattice *lattice, int64_t count,
                      const float *points, float *velocity);
