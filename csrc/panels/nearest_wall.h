/* The wall nearest to a point, and the bins in which patches are looked for. */
#pragma once

#include "base/vec3.h"
#include "state/panels.h"

void vti_find_bin(const vt_patches *patches, const float cell[3], int32_t bin[3]);

int64_t vti_number_of_bin(const vt_patches *patches, int32_t i, int32_t j, int32_t k);

/* Which bodies are near which bins of patches, once these are sorted. */
void vti_list_near_bodies(vt_simulation *s);

/* The nearest wall of the bodies: normal out of it, and its body. Distance in m; `within` where
 * none is nearer, and *body stays as it is. */
double vti_nearest_wall(const vt_simulation *s, const double point[3], double within,
                        double normal[3], const vt_paneled_body **body);

/* The same of a point whose bin is known. */
double vti_nearest_wall_of(const vt_simulation *s, int64_t bin, const double point[3],
                           double within, double normal[3], const vt_paneled_body **body);

/* Within how many cells of a wall of the body what passes it is taken away: width of the bell. */
double vti_wall_width(const vt_simulation *s, const vt_paneled_body *b);

/* How far inside the surface the centres of panels lie, m: those of round bodies are flat. A
 * plane's panels go where the grid is. */
double vti_find_bulge(const vt_paneled_body *b);

/* Number of the bin of a place in cells; outside the grid the nearest one. */
int64_t vti_bin_at(const vt_patches *patches, const float cell[3]);

/* How far from a wall, in cells, what passes it is taken away at most. */
static const double vt_widest_wall = VT_HALF_DIAGONAL;

/* Width of the bell in sides of a panel. */
static const double vt_width_of_wall = 0.25;
