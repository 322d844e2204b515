/* What the files of panels.h share. */
#ifndef VORTON_PANEL_PARTS_H
#define VORTON_PANEL_PARTS_H

#include "panels.h"

/* Whether body number n has panels that act. */
int vt_panels_act(const vt_simulation *s, int32_t n);

/* Whether what of a body lies outside the grid acts there: of containers, which are around the flow
 * and balanced in themselves; others are small when they are far. */
static inline int vt_acts_from_beyond(const vt_paneled_body *b)
{
    return b->set->hole && !b->set->open;
}

/* A point (m) in cells of the grid. */
void vt_to_cells(const vt_grid *grid, const double point[3], double cell[3]);

/* The other way. */
void vt_from_cells(const vt_grid *grid, const float cell[3], double point[3]);

/* Lanes 0-2 of the nodes at a place in cells; outside the grid those of the nearest one inside. */
void vt_sample_nodes(const vt_grid *grid, const float cell[3], float value[3]);

/* The centroids of the panels of a body in cells of the grid: count x 3. */
void vt_panel_cells(const vt_simulation *s, const vt_paneled_body *b, float *cells);

/* Where the grid takes a charge at a place in cells, 3 cells inside it and more; 0: nowhere. A body
 * that moves may have come near the face since the grid was placed; what is beyond it does not act.
 */
int vt_place_charge(const vt_grid *grid, const float center[3], float at[3]);

/* result = matrix (count x count, entry (i, j) at [j * count + i]) times x. */
void vt_multiply_panels(int64_t count, const float *matrix, const double *x, float *result,
                        int threads);

/* Which bodies are near which bins of patches, once these are sorted. */
void vt_list_near_bodies(vt_simulation *s);

/* The nearest wall of the bodies: normal out of it, and its body. Distance in m; INFINITY where
 * none is near. */
double vt_nearest_wall(const vt_simulation *s, const double point[3], double within,
                       double normal[3], const vt_paneled_body **body);

/* Number of the bin of a place in cells; outside the grid the nearest one. */
int64_t vt_bin_at(const vt_patches *patches, const float cell[3]);

#endif
