#include "geometry/polytope.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/vec3.h"

/* ---- memory ---- */

/* Points the arrays into the memory; returns how much there must be. */
static size_t place_arrays(vt_polytope *p)
{
    const size_t vertices = sizeof(double) * 3 * (size_t)p->vertex_count;
    const size_t planes = sizeof(double) * 4 * (size_t)p->face_count;
    const size_t nodes = sizeof *p->tree.node * (size_t)p->tree.node_count;
    const size_t orders = p->tree.node_count > 0 ? (size_t)p->face_count : 0;
    const size_t ordered = sizeof(double) * 4 * orders;
    const size_t guesses = p->tree.node_count > 0 ? VT_CUBE : 0;
    const size_t indices = orders + guesses + (size_t)p->face_count + 1 + (size_t)p->corner_count;
    char *const memory = p->memory;
    if (memory) {
        p->vertex = (double (*)[3])(void *)memory;
        p->plane = (double (*)[4])(void *)(memory + vertices);
        p->tree.node = (vt_face_node *)(void *)(memory + vertices + planes);
        p->tree.plane = (double (*)[4])(void *)(memory + vertices + planes + nodes);
        p->tree.order = (int32_t *)(void *)(memory + vertices + planes + nodes + ordered);
        p->tree.behind = p->tree.order + orders;
        p->first = p->tree.behind + guesses;
        p->corner = p->first + p->face_count + 1;
    }
    return vertices + planes + nodes + ordered + sizeof(int32_t) * indices;
}

int vti_lay_out_polytope(vt_polytope *p)
{
    p->memory = NULL;
    p->tree.node_count = vti_count_face_nodes(p->face_count);
    p->bytes = place_arrays(p);
    p->memory = vti_allocate(p->bytes);
    if (!p->memory)
        return -1;
    place_arrays(p);
    return 0;
}

void vti_destroy_polytope(vt_polytope *p)
{
    vti_free(p->memory);
    *p = (vt_polytope){0};
}

int vti_copy_polytope(const vt_polytope *from, vt_polytope *to)
{
    *to = *from;
    if (!from->memory)
        return 0;
    if (vti_lay_out_polytope(to)) {
        *to = (vt_polytope){0};
        return -1;
    }
    memcpy(to->memory, from->memory, from->bytes);
    return 0;
}

/* ---- volume ---- */

/* Sums over the tetrahedra between a point inside and the triangles of the faces. */
static void find_volume(vt_polytope *p)
{
    const double *const origin = p->vertex[0];
    double volume = 0, moment[3] = {0, 0, 0};
    for (int32_t f = 0; f < p->face_count; f++) {
        const int32_t *const corner = p->corner + p->first[f];
        for (int32_t k = 1; k + 1 < p->first[f + 1] - p->first[f]; k++) {
            double a[3], b[3], c[3], normal[3];
            vti_subtract(p->vertex[corner[0]], origin, a);
            vti_subtract(p->vertex[corner[k]], origin, b);
            vti_subtract(p->vertex[corner[k + 1]], origin, c);
            vti_cross(b, c, normal);
            const double part = vti_dot(a, normal) / 6;
            volume += part;
            for (int i = 0; i < 3; i++)
                moment[i] += part * (a[i] + b[i] + c[i]) / 4;
        }
    }
    p->volume = volume;
    for (int i = 0; i < 3; i++)
        p->center[i] = origin[i] + moment[i] / volume;
}

int vti_measure_polytope(vt_polytope *p)
{
    double (*const point)[3] = vti_allocate(sizeof *point * (size_t)p->face_count);
    if (!point)
        return -1;
    find_volume(p);
    for (int32_t f = 0; f < p->face_count; f++)
        memcpy(point[f], p->vertex[p->corner[p->first[f]]], sizeof *point);
    const int failed = vti_fill_face_tree(&p->tree, p->face_count, (const double (*)[4])p->plane,
                                          (const double (*)[3])point, p->center);
    vti_free(point);
    return failed;
}

/* ---- queries ---- */

static inline double above(const double plane[4], const double point[3])
{
    return vti_dot(plane, point) - plane[3];
}

/* Faces above the plane of which one of two points may lie: all others are left out where there is
 * a tree. */
typedef struct face_walk {
    const vt_polytope *polytope;
    const double *from, *to;
    int32_t place, end; /* of the faces in `order` that come next, or of all */
    int32_t waiting[VT_DEEPEST_FACE_TREE], waiting_count;
} face_walk;

static face_walk walk_faces(const vt_polytope *p, const double from[3], const double to[3])
{
    face_walk walk = {.polytope = p, .from = from, .to = to};
    if (p->tree.node_count > 0)
        walk.waiting_count = 1; /* the root, number 0 */
    else
        walk.end = p->face_count;
    return walk;
}

/* -1: there is none any more. */
static int32_t next_face(face_walk *walk)
{
    const vt_polytope *const p = walk->polytope;
    while (walk->place == walk->end) {
        if (walk->waiting_count == 0)
            return -1;
        const int32_t n = walk->waiting[--walk->waiting_count];
        const vt_face_node *const node = &p->tree.node[n];
        if (vti_bound_of_faces(node, walk->from) <= 0 && vti_bound_of_faces(node, walk->to) <= 0)
            continue;
        if (node->next == 0) {
            walk->place = node->first;
            walk->end = node->first + node->count;
        } else {
            walk->waiting[walk->waiting_count++] = node->next;
            walk->waiting[walk->waiting_count++] = n + 1;
        }
    }
    const int32_t place = walk->place++;
    return p->tree.node_count > 0 ? p->tree.order[place] : place;
}

/* The face farthest above which a point lies so far: of those as far the first. */
typedef struct farthest {
    double distance;
    int32_t face;
} farthest;

static inline void look_at(const double plane[4], int32_t f, const double point[3], farthest *most)
{
    const double distance = above(plane, point);
    if (distance > most->distance || (distance == most->distance && f < most->face))
        *most = (farthest){distance, f};
}

/* A node that waits, with the bound of its faces. */
typedef struct waiting {
    double bound;
    int32_t node;
} waiting;

/* The nearer half first: most others then need no look. */
static void look_into(const vt_polytope *p, const double point[3], double enough, farthest *most)
{
    waiting stack[VT_DEEPEST_FACE_TREE] = {{INFINITY, 0}};
    for (int count = 1; count > 0 && most->distance < enough;) {
        const waiting here = stack[--count];
        const vt_face_node *const node = &p->tree.node[here.node];
        if (here.bound < most->distance)
            continue;
        if (node->next == 0) {
            for (int32_t i = node->first; i < node->first + node->count; i++)
                look_at(p->tree.plane[i], p->tree.order[i], point, most);
            continue;
        }
        const waiting first = {vti_bound_of_faces(node + 1, point), here.node + 1};
        const waiting second = {vti_bound_of_faces(&p->tree.node[node->next], point), node->next};
        const int turned = first.bound > second.bound;
        stack[count++] = turned ? second : first;
        stack[count++] = turned ? first : second;
    }
}

double vti_polytope_distance(const vt_polytope *p, const double point[3], double enough,
                             int32_t *face)
{
    const int32_t start = p->tree.node_count > 0 ? vti_guess_face(&p->tree, point) : 0;
    farthest most = {above(p->plane[start], point), start};
    if (p->tree.node_count > 0)
        look_into(p, point, enough, &most);
    for (int32_t f = 1; f < p->face_count && p->tree.node_count == 0; f++)
        look_at(p->plane[f], f, point, &most);
    if (face)
        *face = most.face;
    return most.distance;
}

/* The nearest point of the edge between two corners. */
static void nearest_of_edge(const double a[3], const double b[3], const double point[3],
                            double nearest[3])
{
    double along[3], way[3];
    vti_subtract(b, a, along);
    vti_subtract(point, a, way);
    const double share = vti_dot(way, along) / vti_dot(along, along);
    memcpy(nearest, a, 3 * sizeof *nearest);
    vti_add_scaled(nearest, share < 0 ? 0 : share > 1 ? 1 : share, along);
}

/* The nearest point of a polygon to a point above it: the foot, or on one of the edges that the
 * foot lies beyond. Returns the square of the distance. */
static double nearest_of_face(const vt_polytope *p, int32_t f, const double point[3],
                              double nearest[3])
{
    const double *const plane = p->plane[f];
    const double distance = above(plane, point);
    const int32_t corners = p->first[f + 1] - p->first[f];
    const int32_t *const corner = p->corner + p->first[f];
    double least = -1;
    for (int32_t k = 0; k < corners; k++) {
        const double *const a = p->vertex[corner[k]];
        const double *const b = p->vertex[corner[k + 1 < corners ? k + 1 : 0]];
        double along[3], way[3], across[3], candidate[3];
        vti_subtract(b, a, along);
        vti_subtract(point, a, way);
        vti_cross(along, way, across);
        if (vti_dot(across, plane) >= 0)
            continue;
        nearest_of_edge(a, b, point, candidate);
        const double square = vti_square_between(candidate, point);
        if (least < 0 || square < least) {
            least = square;
            memcpy(nearest, candidate, sizeof candidate);
        }
    }
    if (least >= 0)
        return least;
    memcpy(nearest, point, 3 * sizeof *nearest);
    vti_add_scaled(nearest, -distance, plane);
    return distance * distance;
}

double vti_polytope_nearest(const vt_polytope *p, const double point[3], double nearest[3],
                            double normal[3])
{
    int32_t face;
    const double distance = vti_polytope_distance(p, point, INFINITY, &face);
    memcpy(normal, p->plane[face], 3 * sizeof *normal);
    if (distance <= 0) {
        memcpy(nearest, point, 3 * sizeof *nearest);
        vti_add_scaled(nearest, -distance, normal);
        return distance;
    }
    /* seen from outside, the nearest point lies on a face that can be seen */
    face_walk walk = walk_faces(p, point, point);
    double least = INFINITY;
    int32_t at = p->face_count;
    for (int32_t f = next_face(&walk); f >= 0; f = next_face(&walk)) {
        double candidate[3];
        if (!(above(p->plane[f], point) > 0))
            continue;
        const double square = nearest_of_face(p, f, point, candidate);
        if (square < least || (square == least && f < at)) {
            least = square;
            at = f;
            memcpy(nearest, candidate, sizeof candidate);
        }
    }
    double way[3];
    vti_subtract(point, nearest, way);
    const double length = vti_normalise(way);
    if (length > 0)
        memcpy(normal, way, sizeof way);
    return length;
}

int vti_polytope_clip(const vt_polytope *p, const double from[3], const double to[3], double *enter,
                      double *leave, int32_t *face)
{
    face_walk walk = walk_faces(p, from, to);
    double last = -1; /* where it enters through *face */
    *face = -1;
    for (int32_t f = next_face(&walk); f >= 0; f = next_face(&walk)) {
        const double start = above(p->plane[f], from), end = above(p->plane[f], to);
        if (start > 0 && end >= start)
            return 0;
        if (!(start > 0 || end > 0))
            continue;
        const double share = start / (start - end);
        if (!(start > 0)) {
            *leave = share < *leave ? share : *leave;
        } else if (share > last || (share == last && f < *face)) {
            *enter = share > *enter ? share : *enter;
            last = share;
            *face = f;
        }
        if (*enter > *leave)
            return 0;
    }
    return 1;
}
