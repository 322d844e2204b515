/* The fields of the particles as they are now, between steps and while tracers move. */
#pragma once

#include "field/far_lattice.h"
#include "kernels/grid/filter_taps.h"
#include "model/grid.h"

/* Records of the vortons of now, sorted by the rows of a grid, in arena memory. */
typedef struct vt_sorted_vortons {
    const vt_record *records;
    const uint32_t *row_start;
} vt_sorted_vortons;

vt_sorted_vortons vti_sort_vortons(vt_simulation *s, const vt_grid *grid);

/* Brings the fields up to the particles of now, without a trace in what the next step does. */
vt_status vti_solve_current(vt_simulation *s);

/* The vorticity of the vortons of now and of bodies at the inner nodes (in a room up to the walls;
 * 0 on other faces), times h^3 and a weight, laid out as s->grid.field: as it is, or as the source
 * of a potential from which such values follow. Fields must be up to date, and exist. */
void vti_find_source(vt_simulation *s, vt_node_values values, double weight,
                     float *const source[3]);

/* Room in the arena for nodes of a grid that will be sampled: on the far faces sampling looks, with
 * no weight, a plane and a row further, where there are zeros. */
f4 *vti_make_nodes(vt_simulation *s, const vt_grid *grid);

/* Velocity (m/s, without the uniform wind) at count points (m) from the fields of now, or by a sum.
 */
void vti_velocity_of_points(vt_simulation *s, int64_t count, const float *points, float *velocity);

/* The same for tracers on their way: outside the grid it is interpolated in a lattice (NULL: none).
 */
void vti_velocity_of_tracers(vt_simulation *s, const vt_far_lattice *lattice, int64_t count,
                             const float *points, float *velocity);

/* That with which tracers set out, which counts for little of their way: without what walls add,
 * and between the eight nodes around each. */
void vti_velocity_to_set_out(vt_simulation *s, const vt_far_lattice *lattice, int64_t count,
                             const float *points, float *velocity);

/* The velocity of tracers without what walls add; and adds that. Lists the points whose velocity
 * may have changed by it, in rising order, in `changed` (room for count; NULL: nobody asks), and
 * returns how many these are. */
void vti_velocity_without_walls(vt_simulation *s, const vt_far_lattice *lattice, int64_t count,
                                const float *points, float *velocity);
int64_t vti_add_walls(vt_simulation *s, int64_t count, const float *points, float *velocity,
                      uint32_t *changed);

/* The same at points that lie `apart` (m) from each other along all three axes: where that is much
 * finer than the grid, the velocity outside of it is interpolated, too. */
void vti_velocity_of_voxels(vt_simulation *s, double apart, int64_t count, const float *points,
                            float *velocity);

/* The velocity at 8 x 8 x 8 points from `first` on, m, `apart` from each other, x slowest, with the
 * uniform wind: returns 1 where the nodes of the grid alone give it, else 0. near_cell: what
 * vti_cells_near_panels says. */
int vti_velocity_of_leaf(const vt_simulation *s, const uint8_t *near_cell, const double first[3],
                         double apart, float *velocity);
