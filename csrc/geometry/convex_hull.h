/* Quickhull (Barber, Dobkin & Huhdanpaa, ACM Transactions on Mathematical Software 22, 1996) in
 * three dimensions. Facets are triangles that know their neighbours; each keeps a list of the
 * points outside of it, and the farthest of them is added next: the facets that it sees go, and a
 * cone from it to their horizon takes their place. In the end triangles in one plane are joined. */
#pragma once

#include "geometry/polytope.h"
#include "vorton.h"

/* The hull of count points (x 3, m): quickhull (Barber, Dobkin & Huhdanpaa 1996) with triangles,
 * which become polygons where they lie in one plane. No point lies outside a half-space, not even
 * by rounding; points within 1e-9 of the extent of the hull need not be vertices. Errors: less than
 * 4 points, points in a plane. On failure there is nothing to destroy. */
vt_status vti_create_hull(int64_t count, const double *points, vt_polytope *polytope);
