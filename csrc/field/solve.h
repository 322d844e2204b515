/* The fields of a simulation: the grid that follows the vortons, and the velocity on it. */
#pragma once

#include "state/simulation.h"

/* Distance between the nodes at the finest level, m; 0: nothing says it yet. */
double vti_base_spacing(const vt_simulation *s);

/* Distance between the nodes of the grid as it is placed now, or would be around the first vortons
 * beside warm bodies, m. */
double vti_grid_spacing(const vt_simulation *s);

/* Radius of the finest cores that the method sees, m: on the grid those at its finest level. */
double vti_finest_core(const vt_simulation *s);

/* Places the grid around the content, starting from placement. */
vt_status vti_place_grid(const vt_simulation *s, const vt_extent *content, vt_placement *placement);

/* The arrays of s->grid for the placement. */
void vti_lay_out_grid(vt_simulation *s, const vt_placement *placement);

/* Records of the rows from `first` on, positions in cells of the grid. */
void vti_collect_records(const vt_simulation *s, const vt_grid *grid, int64_t first, int64_t count,
                         vt_record *records);

/* Of how many Gaussians the cores on the grid are made: more than one where they are sharp, as many
 * as the taps of the filter have room for. */
int vti_count_core_filters(const vt_simulation *s);

/* The fields from what was deposited at the nodes, with the cores of the method, and of that
 * weight: what the fields are to hold is what `values` says. */
void vti_give_cores(vt_simulation *s, vt_node_values values, double weight);

/* Velocity at the nodes from records in any order; leaves them sorted by grid row. sorted has room
 * for count, row_start for cells[1] x cells[2] + 1. newborn: whose least vorticity the rates that
 * come next need; NULL: there are none. */
void vti_solve_field(vt_simulation *s, int64_t count, const vt_record *records, vt_record *sorted,
                     uint32_t *row_start, const vt_newborn *newborn);

/* Means of what the vortons carry (kernels/grid/scalar_means.c), in means->nodes, from records that
 * are sorted by the rows of that grid. Without a fourth lane the nodes have 1 there, or 0 where no
 * vorton is near. */
void vti_find_means(vt_simulation *s, int64_t count, const vt_record *sorted,
                    const uint32_t *row_start, const vti_scalar_lane lanes[4], vt_grid *means);

/* What the vortons feel of the density around them, from the records that vti_solve_field sorted,
 * beside the bodies as they are at a time, s. felt: room of vti_make_room_for_felt, which buoyancy
 * keeps. */
void vti_solve_scalars(vt_simulation *s, int64_t count, const vt_record *sorted,
                       const uint32_t *row_start, double time, float *felt, vt_buoyancy *buoyancy);

/* Velocity (count x 3), gradient (count x 9; may be NULL) and, with it, that of div A (count x 3)
 * at targets, by the sum over all pairs or by the tree, as the method says. */
void vti_sum_vortons(vt_simulation *s, int64_t count, const float *targets,
                     const vt_pair_sources *from, float *velocity, float *gradient,
                     float *divergence);
