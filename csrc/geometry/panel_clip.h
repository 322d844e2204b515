/* Panels of what several shapes have in common, or are together: each shape's own, as far as they
 * lie inside the others, or outside. At flat faces they are cut exactly, so that those of all
 * shapes close: through gaps of .1 of a panel more than half of a wind went through a tube with a
 * plate across it. At round solids, which their panels follow no better, triangles are cut along
 * straight lines from edge to edge, and nearly whole ones are left whole. The solids are convex:
 * the distance along an edge has one lowest point. */
#pragma once

#include "geometry/convex_solid.h"
#include "geometry/panel_set.h"

/* How what triangles are the surface of meets a solid. */
typedef struct vt_cut {
    int keeps_common; /* of what lies on both surfaces all is left, or nothing */
    double skin;      /* surfaces that are no farther apart are one, m */
    double margin;    /* the solid counts as larger for triangles outside that look at it, m */
    int32_t aimed;    /* for the panels of the solid */
    int whole;        /* of each triangle outside all is left, or nothing, by the larger part */
} vt_cut;

/* Of the triangles from the first on leaves what lies inside the solid. */
void vti_keep_inside(const vt_solid *solid, const vt_cut *cut, int32_t first,
                     vt_triangles *triangles);

/* What lies outside; of what lies on its surface that which is turned as that is, where it is kept,
 * and nothing of what faces it. */
void vti_keep_outside(const vt_solid *solid, const vt_cut *cut, int32_t first,
                      vt_triangles *triangles);
