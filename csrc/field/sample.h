/* The fields of the particles as they are now, between steps and while tracers move. */
#pragma once

#include "model/grid.h"

/* Brings the fields up to the particles of now, without a trace in what the next step does. */
vt_status vti_solve_current(vt_simulation *s);

/* spacing^2 x vorticity (m^2/s) at the inner nodes, laid out as s->grid.field, in arena memory:
 * what the potential of now was solved for, which took its place. Fields must be up to date, and
 * exist. */
void vti_find_source(vt_simulation *s, float *source[3]);

/* Room in the arena for nodes of a grid that will be sampled: on the far faces sampling looks, with
 * no weight, a plane and a row further, where there are zeros. */
f4 *vti_make_nodes(vt_simulation *s, const vt_grid *grid);

/* Velocity (m/s, without the uniform wind) at count points (m) from the fields of now, or by a sum.
 */
void vti_velocity_of_points(vt_simulation *s, int64_t count, const float *points, float *velocity);

/* The same at points that lie `apart` (m) from each other along all three axes: where that is much
 * finer than the grid, the velocity outside of it is interpolated, too. */
void vti_velocity_of_voxels(vt_simulation *s, double apart, int64_t count, const float *points,
                            float *velocity);
