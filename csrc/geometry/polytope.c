#include "geometry/polytope.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec3.h"

/* ---- memory ---- */

/* Points the arrays into the memory; returns how much there must be. */
static size_t place_arrays(vt_polytope *p)
{
    const size_t vertices = sizeof(double) * 3 * (size_t)p->vertex_count;
    const size_t planes = sizeof(double) * 4 * (size_t)p->face_count;
    const size_t firsts = sizeof(int32_t) * ((size_t)p->face_count + 1);
    char *const memory = p->memory;
    if (memory) {
        p->vertex = (double (*)[3])(void *)memory;
        p->plane = (double (*)[4])(void *)(memory + vertices);
        p->first = (int32_t *)(void *)(memory + vertices + planes);
        p->corner = p->first + p->face_count + 1;
    }
    return vertices + planes + firsts + sizeof(int32_t) * (size_t)p->corner_count;
}

int vti_lay_out_polytope(vt_polytope *p)
{
    p->memory = NULL;
    p->bytes = place_arrays(p);
    p->memory = malloc(p->bytes);
    if (!p->memory)
        return -1;
    place_arrays(p);
    return 0;
}

void vti_destroy_polytope(vt_polytope *p)
{
    free(p->memory);
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

static void subtract(const double a[3], const double b[3], double difference[3])
{
    for (int c = 0; c < 3; c++)
        difference[c] = a[c] - b[c];
}

/* Sums over the tetrahedra between a point inside and the triangles of the faces. */
void vti_measure_polytope(vt_polytope *p)
{
    const double *const origin = p->vertex[0];
    double volume = 0, moment[3] = {0, 0, 0};
    for (int32_t f = 0; f < p->face_count; f++) {
        const int32_t *const corner = p->corner + p->first[f];
        for (int32_t k = 1; k + 1 < p->first[f + 1] - p->first[f]; k++) {
            double a[3], b[3], c[3], normal[3];
            subtract(p->vertex[corner[0]], origin, a);
            subtract(p->vertex[corner[k]], origin, b);
            subtract(p->vertex[corner[k + 1]], origin, c);
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

/* ---- queries ---- */

static inline double above(const double plane[4], const double point[3])
{
    return vti_dot(plane, point) - plane[3];
}

double vti_polytope_distance(const vt_polytope *p, const double point[3], int32_t *face)
{
    double most = above(p->plane[0], point);
    int32_t at = 0;
    for (int32_t f = 1; f < p->face_count; f++) {
        const double distance = above(p->plane[f], point);
        if (distance > most) {
            most = distance;
            at = f;
        }
    }
    if (face)
        *face = at;
    return most;
}

/* The nearest point of the edge between two corners. */
static void nearest_of_edge(const double a[3], const double b[3], const double point[3],
                            double nearest[3])
{
    double along[3], way[3];
    subtract(b, a, along);
    subtract(point, a, way);
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
        subtract(b, a, along);
        subtract(point, a, way);
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
    const double distance = vti_polytope_distance(p, point, &face);
    memcpy(normal, p->plane[face], 3 * sizeof *normal);
    if (distance <= 0) {
        memcpy(nearest, point, 3 * sizeof *nearest);
        vti_add_scaled(nearest, -distance, normal);
        return distance;
    }
    /* seen from outside, the nearest point lies on a face that can be seen */
    double least = -1;
    for (int32_t f = 0; f < p->face_count; f++) {
        double candidate[3];
        if (!(above(p->plane[f], point) > 0))
            continue;
        const double square = nearest_of_face(p, f, point, candidate);
        if (least < 0 || square < least) {
            least = square;
            memcpy(nearest, candidate, sizeof candidate);
        }
    }
    double way[3];
    subtract(point, nearest, way);
    const double length = vti_normalise(way);
    if (length > 0)
        memcpy(normal, way, sizeof way);
    return length;
}

int vti_polytope_clip(const vt_polytope *p, const double from[3], const double to[3], double *enter,
                      double *leave, int32_t *face)
{
    *face = -1;
    for (int32_t f = 0; f < p->face_count; f++) {
        const double start = above(p->plane[f], from), end = above(p->plane[f], to);
        if (start > 0 && end >= start)
            return 0;
        if (start > 0) {
            const double share = start / (start - end);
            if (share > *enter || *face < 0) {
                *enter = share > *enter ? share : *enter;
                *face = f;
            }
        } else if (end > 0) {
            const double share = start / (start - end);
            *leave = share < *leave ? share : *leave;
        }
        if (*enter > *leave)
            return 0;
    }
    return 1;
}
