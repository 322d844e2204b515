/* The faces of a convex polytope, by their normals: finds those that matter to a point without
 * looking at all of them.
 *
 * A node holds faces f with planes n_f . x = d_f, whose normals lie within an angle A of its axis,
 * and a point c. With w = x - c, at the angle B to the axis,
 *
 *   n_f . x - d_f <= |w| cos(max(B - A, 0)) + max (n_f . c - d_f)
 */
#pragma once

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "base/math_double.h"

typedef struct vt_face_node {
    double center[3], axis[3];
    double cosine, sine;  /* of A */
    double excess;        /* largest n_f . c - d_f, and some for what rounding may take, m */
    int32_t first, count; /* faces in `order` */
    int32_t next;         /* the second child; the first is the node after; 0: no children */
} vt_face_node;

/* Cells along each edge of a cube around the polytope, and of all its sides. */
enum { VT_CUBE_CELLS = 6, VT_CUBE = 6 * VT_CUBE_CELLS * VT_CUBE_CELLS };

typedef struct vt_face_tree {
    vt_face_node *node; /* node_count, the root first */
    int32_t *order;     /* faces as the nodes have them */
    double (*plane)[4]; /* of these: n_f and d_f */
    int32_t *behind; /* VT_CUBE: the face through which one goes from `middle` to a cell's middle */
    double middle[3]; /* a point inside, m */
    int32_t node_count;
} vt_face_tree;

/* Polytopes with fewer faces are looked at as a whole, and have no tree: 0 nodes. */
enum { VT_FEW_FACES = 24, VT_DEEPEST_FACE_TREE = 40 };

/* 1 and more than rounding takes of lengths. */
#define VT_BOUND (1 + 1e-13)

/* Nodes of a tree of so many faces. */
int32_t vti_count_face_nodes(int32_t faces);

/* Fills the arrays of a tree, for which there is room, from the planes of the faces, a point of
 * each and one inside (m). 0, or -1 without memory. */
int vti_fill_face_tree(vt_face_tree *tree, int32_t faces, const double (*plane)[4],
                       const double (*point)[3], const double middle[3]);

/* The face near which a point outside lies, roughly; any for what is as good as the middle. */
static inline int32_t vti_guess_face(const vt_face_tree *tree, const double point[3])
{
    double way[3], most = 0;
    int side = 0;
    for (int c = 0; c < 3; c++) {
        way[c] = point[c] - tree->middle[c];
        if (vti_abs(way[c]) > most) {
            most = vti_abs(way[c]);
            side = c;
        }
    }
    if (!(most > 1e-300)) /* of less the inverse may be infinite */
        return 0;
    const double cells = VT_CUBE_CELLS, scale = 0.5 * cells / most;
    const int32_t u = (int32_t)fmin(0.5 * cells + scale * way[(side + 1) % 3], cells - 1);
    const int32_t v = (int32_t)fmin(0.5 * cells + scale * way[(side + 2) % 3], cells - 1);
    return tree->behind[((2 * side + (way[side] < 0)) * VT_CUBE_CELLS + v) * VT_CUBE_CELLS + u];
}

/* Not less than the largest distance of a point from the planes of a node's faces. */
static inline double vti_bound_of_faces(const vt_face_node *node, const double point[3])
{
    const double *const a = node->axis;
    const double x = point[0] - node->center[0], y = point[1] - node->center[1],
                 z = point[2] - node->center[2];
    const double square = x * x + y * y + z * z, along = x * a[0] + y * a[1] + z * a[2];
    const double rest = square - along * along, across = rest > 0 ? sqrt(rest) : 0;
    if (across * node->cosine <= along * node->sine)
        return sqrt(square) * VT_BOUND + node->excess;
    return (along * node->cosine + across * node->sine) +
           (vti_abs(along) + across) * (VT_BOUND - 1) + node->excess;
}
