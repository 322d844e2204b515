/* What of the surface of several solids faces the fluid: none of it lies inside another solid, or
 * against one, and where surfaces lie in each other they count once. Of a hole, which is what its
 * solids have in common, that is what lies inside all others. */
#pragma once

#include "geometry/convex_solid.h"

/* A piece of it; the point lies in the fluid just before the piece. */
typedef struct vt_spot {
    double point[3]; /* m */
    double area;     /* m^2 */
} vt_spot;

/* All spots, some hundreds and more, to be freed by vti_free; 0, or -1 without memory. The area of
 * a solid that faces the fluid all over is exact, where solids overlap that of the pieces is, to
 * about 1 %. None of planes. */
int vti_create_spots(int32_t solid_count, const vt_solid *solids, int hole, vt_spot **spots,
                     int32_t *count);
