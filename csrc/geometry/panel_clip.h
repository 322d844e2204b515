/* Panels of what several shapes have in common, or are together: each shape's own, as far as they
 * lie inside the others, or outside. What lies outside of a solid of few flat faces is cut exactly
 * there, so that the panels of both close: through gaps of .1 of a panel more than half of a wind
 * went through a tube with a plate across it. At others triangles are cut along straight lines from
 * edge to edge, and nearly whole ones are left whole. The solids are convex: the distance along an
 * edge has one lowest point. */
#pragma once

#include "geometry/convex_solid.h"
#include "geometry/panel_set.h"

/* Of the triangles from the first on leaves what lies inside the solid; of what lies on its surface
 * all, or nothing. */
void vti_keep_inside(const vt_solid *solid, int32_t first, int keeps_common,
                     vt_triangles *triangles);

/* What lies outside, and, where it looks at the solid, no nearer than a margin (m); of what lies on
 * its surface, turned as that is, all or nothing, and nothing of what faces it. */
void vti_keep_outside(const vt_solid *solid, int32_t first, int keeps_common, double margin,
                      vt_triangles *triangles);
