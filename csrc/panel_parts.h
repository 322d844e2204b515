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

/* The corners of panel number i of a body, in cells. */
void vt_panel_corners(const vt_simulation *s, const vt_paneled_body *b, int32_t i,
                      double corner[3][3]);

/* The same as one patch. */
void vt_make_whole_patch(const vt_simulation *s, const vt_paneled_body *b, int32_t i,
                         vt_patch *patch);

/* Adds the velocity (count x 3) of all other bodies at points of b in cells. Of containers around
 * it, whose panels as a whole are laid out first, that is what they emit evenly; what they emit
 * beyond that, patch by patch, vt_add_excess_around adds. */
void vt_lay_whole_panels(vt_simulation *s);
void vt_add_neighbours(vt_simulation *s, const vt_paneled_body *b, int64_t count,
                       const float *cells, float *velocity);
void vt_add_excess_around(vt_simulation *s, const vt_paneled_body *b, int64_t count,
                          const float *cells, float *velocity);

/* Whether any two bodies see each other. */
int vt_have_neighbours(const vt_panels *p);

/* Which bodies are near which bins of patches, once these are sorted. */
void vt_list_near_bodies(vt_simulation *s);

/* The nearest wall of the bodies: normal out of it, and its body. Distance in m; INFINITY where
 * none is near. */
double vt_nearest_wall(const vt_simulation *s, const double point[3], double within,
                       double normal[3], const vt_paneled_body **body);

/* Particles nearer than this to a wall sum over the panels themselves, in cells. */
static const double vt_pairs_within = 1.5;

/* Within how many cells of a wall of the body what passes it is taken away: width of the bell. */
double vt_wall_width(const vt_simulation *s, const vt_paneled_body *b);

/* Marks the cells near walls, where that is not done yet: held_cell and near_cell. */
void vt_mark_cells(vt_simulation *s);

/* How far inside the surface the centres of panels lie, m: those of round bodies are flat. A
 * plane's panels go where the grid is. */
double vt_find_bulge(const vt_paneled_body *b);

/* Number of the bin of a place in cells; outside the grid the nearest one. */
int64_t vt_bin_at(const vt_patches *patches, const float cell[3]);

#endif
