/* Fields at the nodes that a solve has only in passing, made anew for who asks.
 *
 * The stages of a solve make them from the particles and bodies of now, so what is shown is what
 * the next solve will use. They lie in memory of their own, reserved when the first is asked for:
 * every field has its place there for the life of the simulation. Nothing of the state changes.
 *
 * Fields must be up to date (vti_solve_current). Without address space all of them return
 * VT_OUT_OF_MEMORY. */
#pragma once

#include "field/sample.h"
#include "model/grid.h"

/* The grid around the vortons of now, whether they carry circulation or not; 0 where there is none.
 * Bad values are reported by the next step. */
int vti_find_grid(vt_simulation *s, vt_grid *grid);

/* The vortons sorted for a grid as they give what they carry: beside thin walls on their own side
 * (field/thin_walls.h). In arena memory. */
vt_sorted_vortons vti_sort_givers(vt_simulation *s, const vt_grid *grid);

/* Velocity (m/s) and div A (m/s) in the lanes of nodes, laid out as those of a grid. Of second
 * order they are the grid's own. */
vt_status vti_show_velocity(vt_simulation *s, const vt_grid *grid, f4 **nodes);

/* Vector and scalar potential (m^2/s), laid out as the fields of a grid, which of second order they
 * are. */
vt_status vti_show_potentials(vt_simulation *s, const vt_grid *grid, float *potential[4]);

/* Vorticity (1/s), laid out as s->grid.field. Fields must exist. */
vt_status vti_show_vorticity(vt_simulation *s, float *vorticity[3]);

/* Gradient of the density (kg/m^4) in lanes 0-2 and its deviation (kg/m^3) in lane 3 of nodes laid
 * out as those of a grid, see vti_solve_scalars. */
vt_status vti_show_density(vt_simulation *s, const vt_grid *grid, f4 **nodes);

/* What tracers take, in the lanes of nodes in the order of VT_TAKEN: temperature (K) and shares. A
 * lane that no vorton carries has no meaning. */
vt_status vti_show_composition(vt_simulation *s, const vt_grid *grid, f4 **nodes);

/* 1 for nodes that are open to fluid, 0 for those in walls, laid out as nodes. */
vt_status vti_show_open(vt_simulation *s, const vt_grid *grid, uint8_t **open);
