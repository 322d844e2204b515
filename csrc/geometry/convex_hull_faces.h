/* A hull in the making: triangles that know their neighbours (geometry/convex_hull.c), and the
 * faces that those in one plane become (geometry/convex_hull_faces.c). */
#pragma once

#include "base/vec3.h"
#include "geometry/polytope.h"
#include "vorton.h"

/* Distances below this share of the extent are none. */
static const double vt_hull_tolerance = 1e-9;

typedef struct vt_facet {
    int32_t vertex[3];    /* counter-clockwise seen from outside */
    int32_t neighbour[3]; /* across the edge from vertex i to vertex i + 1 */
    double normal[3], offset, area;
    int32_t outside; /* first of its points, -1: none */
    int32_t state;   /* VT_FACET_GONE, THERE, or the number of the round in which it was seen */
    int32_t group;   /* face that it becomes a part of, -1: none yet */
} vt_facet;

enum { VT_FACET_GONE = -1, VT_FACET_THERE = 0 };

typedef struct vt_horizon_edge {
    int32_t from, to, beyond; /* vertices; the facet that stays */
} vt_horizon_edge;

typedef struct vt_hull {
    int32_t count;
    double (*x)[3]; /* relative to the middle of the bounding box, in extents */
    double middle[3], extent;
    int32_t *next; /* of the list that a point is in */
    vt_facet *facets;
    int32_t facet_count, facet_distance;
    int32_t *starting, *ending; /* new facet whose edge of the horizon starts, ends at a vertex */
    int32_t *seen;              /* facets that go in this round */
    vt_horizon_edge *horizon;
    int32_t seen_count, horizon_count, room; /* of these two lists */
    int32_t round;
} vt_hull;

static inline double vti_above_facet(const vt_facet *f, const double x[3])
{
    return vti_dot(f->normal, x) - f->offset;
}

/* Room in the lists for all facets there are; 0, or -1 without memory. */
int vti_make_hull_lists(vt_hull *h);

/* Adds an edge of a facet to the horizon. */
void vti_add_to_horizon(vt_hull *h, const vt_facet *f, int edge);

/* Whether the horizon is one loop; sets where each vertex of it starts and ends an edge. */
int vti_horizon_is_loop(vt_hull *h);

/* Joins the triangles in one plane, and keeps the points of the hull that are left. */
vt_status vti_polytope_of_hull(vt_hull *h, const double *points, vt_polytope *p);
