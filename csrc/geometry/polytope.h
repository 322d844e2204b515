/* Convex polytopes: the hull of points, as half-spaces and as polygons (part 13). */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "geometry/face_tree.h"

typedef struct vt_polytope {
    int32_t vertex_count, face_count, corner_count;
    double (*vertex)[3]; /* m; only those that are corners of faces */
    double (*plane)[4]; /* of each face: outward unit normal n and offset d; inside is n . x <= d */
    int32_t *first;     /* face_count + 1: first entry of each face in corner */
    int32_t *corner;    /* vertices of each face, counter-clockwise seen from outside */
    vt_face_tree tree;  /* of the faces; none where they are few */
    double volume;      /* m^3 */
    double center[3];   /* of the volume, m */
    void *memory;       /* all arrays lie in it */
    size_t bytes;
} vt_polytope;

/* Of how many triangles its faces can be made. */
static inline int32_t vti_least_triangles(const vt_polytope *polytope)
{
    return polytope->corner_count - 2 * polytope->face_count;
}

void vti_destroy_polytope(vt_polytope *polytope);

/* A copy with memory of its own; 0, or -1 without memory (there is nothing to destroy then). */
int vti_copy_polytope(const vt_polytope *from, vt_polytope *to);

/* Memory for the arrays, and where they lie in it; the caller has set the counts of vertices, faces
 * and corners. 0, or -1. */
int vti_lay_out_polytope(vt_polytope *polytope);

/* Fills volume, center and tree from the arrays. 0, or -1 without memory. */
int vti_measure_polytope(vt_polytope *polytope);

/* Largest distance from the planes of the faces: the sign is never wrong, inside it is the distance
 * to the surface, outside a lower bound of it; any distance from a plane that is not less than
 * `enough` (m) will do. *face (may be NULL) receives the face. */
double vti_polytope_distance(const vt_polytope *polytope, const double point[3], double enough,
                             int32_t *face);

/* The nearest point of the surface: exact, inside and outside. normal is the unit vector along
 * which the distance grows. Returns the signed distance, m. */
double vti_polytope_nearest(const vt_polytope *polytope, const double point[3], double nearest[3],
                            double normal[3]);

/* The part (enter, leave) of the segment that lies inside, as shares of its length clipped to those
 * given; 0 where there is none. *face is the plane that it enters through, -1 where it begins
 * inside. */
int vti_polytope_clip(const vt_polytope *polytope, const double from[3], const double to[3],
                      double *enter, double *leave, int32_t *face);
