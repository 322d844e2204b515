#include "geometry/face_tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/vec3.h"

enum { LEAF = 8 };

static int32_t count_nodes(int32_t faces)
{
    return faces <= LEAF ? 1 : 1 + count_nodes(faces / 2) + count_nodes(faces - faces / 2);
}

int32_t vti_count_face_nodes(int32_t faces)
{
    return faces < VT_FEW_FACES ? 0 : count_nodes(faces);
}

typedef struct sorted_face {
    double key;
    int32_t face;
    double plane[4], point[3];
} sorted_face;

static int compare_faces(const void *left, const void *right)
{
    const sorted_face *const a = left, *const b = right;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return a->face < b->face ? -1 : a->face > b->face;
}

/* Moves the centre from where it lies among the faces to where it is as far from all their planes
 * as can be, as the middle of a sphere is: solves, with normals n, their mean m, heights h of the
 * centre above the planes and their mean g, by least squares
 *
 *   (n - m) . move = g - h
 *
 * What is as good as flat leaves the centre where it is. */
static void move_center(const sorted_face *faces, const double mean[3], vt_face_node *node)
{
    const double flat = 1e-6 * node->count;
    double matrix[3][3] = {{flat, 0, 0}, {0, flat, 0}, {0, 0, flat}}, side[3] = {0}, height = 0;
    for (int32_t i = 0; i < node->count; i++)
        height += (vti_dot(faces[i].plane, node->center) - faces[i].plane[3]) / node->count;
    for (int32_t i = 0; i < node->count; i++) {
        const double *const plane = faces[i].plane;
        double off[3];
        vti_subtract(plane, mean, off);
        vti_add_scaled(side, height - (vti_dot(plane, node->center) - plane[3]), off);
        for (int r = 0; r < 3; r++)
            vti_add_scaled(matrix[r], off[r], off);
    }
    double cross[3][3];
    for (int r = 0; r < 3; r++)
        vti_cross(matrix[(r + 1) % 3], matrix[(r + 2) % 3], cross[r]);
    const double determinant = vti_dot(matrix[0], cross[0]);
    for (int r = 0; r < 3; r++)
        vti_add_scaled(node->center, side[r] / determinant, cross[r]);
}

static void measure(const sorted_face *faces, vt_face_node *node)
{
    for (int32_t i = 0; i < node->count; i++) {
        vti_add_scaled(node->axis, 1.0 / node->count, faces[i].plane);
        vti_add_scaled(node->center, 1.0 / node->count, faces[i].point);
    }
    move_center(faces, node->axis, node);
    if (!(vti_normalise(node->axis) > 0))
        node->axis[0] = 1;
    double size = sqrt(vti_dot(node->center, node->center));
    node->cosine = 1;
    node->excess = -INFINITY;
    for (int32_t i = 0; i < node->count; i++) {
        const double *const plane = faces[i].plane;
        node->cosine = fmin(node->cosine, vti_dot(plane, node->axis));
        node->excess = fmax(node->excess, vti_dot(plane, node->center) - plane[3]);
        size = fmax(size, vti_abs(plane[3]));
    }
    node->cosine = fmax(node->cosine - 1e-12, -1);
    node->sine = sqrt(1 - node->cosine * node->cosine);
    node->excess += (VT_BOUND - 1) * size;
}

/* The axis along which the normals differ most. */
static int choose_axis(const sorted_face *faces, int32_t count)
{
    int axis = 0;
    double widest = -1;
    for (int c = 0; c < 3; c++) {
        double low = INFINITY, high = -INFINITY;
        for (int32_t i = 0; i < count; i++) {
            low = fmin(low, faces[i].plane[c]);
            high = fmax(high, faces[i].plane[c]);
        }
        if (high - low > widest) {
            widest = high - low;
            axis = c;
        }
    }
    return axis;
}

/* Node number n, of the faces [first, first + count); returns the number after its last child. */
static int32_t split(vt_face_tree *tree, sorted_face *faces, int32_t first, int32_t count,
                     int32_t n)
{
    vt_face_node *const node = &tree->node[n];
    *node = (vt_face_node){.first = first, .count = count};
    measure(faces + first, node);
    if (count <= LEAF)
        return n + 1;
    const int axis = choose_axis(faces + first, count);
    for (int32_t i = first; i < first + count; i++)
        faces[i].key = faces[i].plane[axis];
    qsort(faces + first, (size_t)count, sizeof *faces, compare_faces);
    node->next = split(tree, faces, first, count / 2, n + 1);
    return split(tree, faces, first + count / 2, count - count / 2, node->next);
}

/* The face through which one leaves from the middle in a direction. */
static int32_t find_behind(int32_t count, const double (*plane)[4], const double middle[3],
                           const double direction[3])
{
    int32_t found = 0;
    double nearest = 0; /* of all the largest share of the way to a plane */
    for (int32_t f = 0; f < count; f++) {
        const double room = plane[f][3] - vti_dot(plane[f], middle);
        const double along = vti_dot(plane[f], direction);
        if (room > 0 && along > nearest * room) {
            nearest = along / room;
            found = f;
        }
    }
    return found;
}

static void fill_cube(vt_face_tree *tree, int32_t count, const double (*plane)[4])
{
    enum { CELLS = VT_CUBE_CELLS };
    for (int n = 0; n < VT_CUBE; n++) {
        const int side = n / (CELLS * CELLS), axis = side / 2;
        double direction[3];
        direction[axis] = side % 2 ? -1 : 1;
        direction[(axis + 1) % 3] = (2 * (n % CELLS) + 1.0) / CELLS - 1;
        direction[(axis + 2) % 3] = (2 * (n / CELLS % CELLS) + 1.0) / CELLS - 1;
        tree->behind[n] = find_behind(count, plane, tree->middle, direction);
    }
}

int vti_fill_face_tree(vt_face_tree *tree, int32_t count, const double (*plane)[4],
                       const double (*point)[3], const double middle[3])
{
    if (tree->node_count == 0)
        return 0;
    memcpy(tree->middle, middle, sizeof tree->middle);
    fill_cube(tree, count, plane);
    sorted_face *const faces = vti_allocate(sizeof *faces * (size_t)count);
    if (!faces)
        return -1;
    for (int32_t f = 0; f < count; f++) {
        faces[f] = (sorted_face){.face = f};
        memcpy(faces[f].plane, plane[f], sizeof plane[f]);
        memcpy(faces[f].point, point[f], sizeof point[f]);
    }
    split(tree, faces, 0, count, 0);
    for (int32_t i = 0; i < count; i++) {
        tree->order[i] = faces[i].face;
        memcpy(tree->plane[i], faces[i].plane, sizeof tree->plane[i]);
    }
    vti_free(faces);
    return 0;
}
