/* Solids: convex shapes that particles run into. A hole is the same shape with its sides exchanged
 * (part 14), which is the caller's business. All in the space of the body, m. */
#pragma once

#include "geometry/polytope.h"
#include "vorton.h"

typedef struct vt_solid {
    int32_t kind;        /* VT_SHAPE_SPHERE, _DISK, _CAPSULE, _PLANE or _POLYTOPE: boxes and meshes
                            are polytopes here */
    double center[3];    /* of the volume; a plane's point */
    double axis[3];      /* unit vector */
    double radius, half; /* half the length of a disk or of a capsule's line */
    vt_polytope polytope;
    double volume;        /* m^3; infinite for a plane */
    double circumscribed; /* radius of a sphere about center that holds it; infinite for a plane */
    double inscribed;     /* of one about center that it holds; 0 for a plane */
} vt_solid;

/* Checks the shape and makes the solid. A mesh must be convex, within .1 % of the volume of its
 * hull: its hull is taken. On failure there is nothing to destroy. */
vt_status vti_create_solid(const vt_shape *shape, vt_solid *solid);
void vti_destroy_solid(vt_solid *solid);

/* Makes a polytope of the solid, which takes it over. */
void vti_replace_hull(vt_solid *solid, const vt_polytope *hull);

int vti_copy_solid(const vt_solid *from, vt_solid *to); /* as vti_copy_polytope */

/* Whether two solids are the same in every digit. */
int vti_same_solid(const vt_solid *a, const vt_solid *b);

/* About the middle one of its three widths, of a board of length l its volume / (thickness l), m.
 */
double vti_solid_breadth(const vt_solid *solid);

/* Distance from the deepest of its walls: faces, or the round side. The sign is never wrong; inside
 * it is the distance to the surface, outside of polytopes and of the rim of a disk a lower bound.
 * normal (may be NULL) is the outward normal of that wall. vti_solid_room may stop at a wall from
 * which the point is not less than `enough` away. */
double vti_solid_distance(const vt_solid *solid, const double point[3], double normal[3]);
double vti_solid_room(const vt_solid *solid, const double point[3], double enough,
                      double normal[3]);

/* The nearest point of the surface: exact everywhere; normal is the unit vector along which the
 * distance grows. Returns the signed distance. */
double vti_solid_nearest(const vt_solid *solid, const double point[3], double nearest[3],
                         double normal[3]);

/* Where a segment that begins outside enters: its share of the way, and the outward normal of the
 * wall there, whose plane has the solid on one side. 0 where it does not, or begins inside. */
int vti_solid_enter(const vt_solid *solid, const double from[3], const double to[3], double *share,
                    double normal[3]);

/* The part of the straight line through two points that lies in the solid grown by a margin (m,
 * below 0: shrunk; by its walls, so that corners stay sharp), as shares of the way between them. 0
 * where there is none. */
int vti_solid_cut(const vt_solid *solid, double margin, const double from[3], const double to[3],
                  double *enter, double *leave);
