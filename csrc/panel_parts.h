/* What the files of panels.h share. */
#ifndef VORTON_PANEL_PARTS_H
#define VORTON_PANEL_PARTS_H

#include "panels.h"

/* Whether body number n has panels that act. */
int vt_panels_act(const vt_simulation *s, int32_t n);

/* A point (m) in cells of the grid. */
void vt_to_cells(const vt_grid *grid, const double point[3], double cell[3]);

/* The centroids of the panels of a body in cells of the grid: count x 3. */
void vt_panel_cells(const vt_simulation *s, const vt_paneled_body *b, float *cells);

/* Fills patch, panel and patch_count of s->panels, and the ranges of the bodies in them. */
void vt_cut_panels(vt_simulation *s);

#endif
