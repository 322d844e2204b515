#include "geometry/panel_clip.h"

#include <math.h>

#include "base/vec3.h"
#include "geometry/panel_mesh.h"

enum { HALVINGS = 30, MOST_SPLITS = 6 };

/* Corners of a triangle and what a cut leaves of it. */
typedef struct piece {
    double corner[4][3];
    int count;
} piece;

/* A solid, and where it is looked at beside the triangle: a little inwards, so that a triangle on
 * its surface lies inside, or outwards. */
typedef struct look {
    const vt_solid *solid;
    double shift[3];
} look;

static double distance_at(const look *l, const double point[3])
{
    const double beside[3] = {point[0] + l->shift[0], point[1] + l->shift[1],
                              point[2] + l->shift[2]};
    return vti_solid_distance(l->solid, beside, NULL);
}

static look look_beside(const vt_solid *solid, vt_triangle corner, int inwards)
{
    double a[3], b[3], normal[3];
    look l = {.solid = solid};
    vti_subtract(corner[1], corner[0], a);
    vti_subtract(corner[2], corner[0], b);
    vti_cross(a, b, normal);
    vti_normalise(normal);
    const double size = isfinite(solid->circumscribed) ? solid->circumscribed
                                                       : vti_sqrt(vti_dot(a, a) + vti_dot(b, b));
    vti_add_scaled(l.shift, (inwards ? -1e-6 : 1e-6) * size, normal);
    return l;
}

/* Where an edge with its first end inside and its second outside leaves the solid. */
static void find_exit(const look *l, const double inside[3], const double outside[3],
                      double exit[3])
{
    double low = 0, high = 1;
    for (int n = 0; n < HALVINGS; n++) {
        const double middle = 0.5 * (low + high);
        vti_point_between(inside, outside, middle, exit);
        *(distance_at(l, exit) < 0 ? &low : &high) = middle;
    }
}

/* The part of a triangle inside a solid, in the order of its corners. */
static piece cut_triangle(const look *l, vt_triangle corner, const double room[3])
{
    piece p = {.count = 0};
    for (int k = 0; k < 3; k++) {
        const int next = (k + 1) % 3;
        if (room[k] < 0)
            memcpy(p.corner[p.count++], corner[k], sizeof *p.corner);
        if (room[k] < 0 && room[next] >= 0)
            find_exit(l, corner[k], corner[next], p.corner[p.count++]);
        else if (room[k] >= 0 && room[next] < 0)
            find_exit(l, corner[next], corner[k], p.corner[p.count++]);
    }
    return p;
}

/* The point of an edge deepest in the solid, and its room. */
static double find_deepest(const look *l, const double a[3], const double b[3], double deepest[3])
{
    double low = 0, high = 1, room = 0;
    for (int n = 0; n < HALVINGS; n++) {
        double left[3], right[3];
        for (int c = 0; c < 3; c++) {
            left[c] = a[c] + (low + (high - low) / 3) * (b[c] - a[c]);
            right[c] = a[c] + (high - (high - low) / 3) * (b[c] - a[c]);
            deepest[c] = 0.5 * (left[c] + right[c]);
        }
        const double at_left = distance_at(l, left);
        room = distance_at(l, right);
        if (at_left < room)
            high -= (high - low) / 3;
        else
            low += (high - low) / 3;
    }
    return room;
}

/* Adds what of a triangle lies inside; where an edge from outside to outside passes through, of
 * its two halves. */
static void add_inside(const look *l, vt_triangle corner, int splits, vt_triangles *t)
{
    double room[3], deepest[3];
    for (int k = 0; k < 3; k++)
        room[k] = distance_at(l, corner[k]);
    for (int k = 0; k < 3 && splits > 0; k++) {
        const int next = (k + 1) % 3;
        const double length = vti_sqrt(vti_square_between(corner[k], corner[next]));
        if (room[k] < 0 || room[next] < 0 || fmin(room[k], room[next]) > length)
            continue;
        if (find_deepest(l, corner[k], corner[next], deepest) < -1e-3 * length) {
            vt_triangle half;
            memcpy(half, corner, sizeof half);
            memcpy(half[next], deepest, sizeof deepest);
            add_inside(l, half, splits - 1, t);
            memcpy(half[next], corner[next], sizeof deepest);
            memcpy(half[k], deepest, sizeof deepest);
            add_inside(l, half, splits - 1, t);
            return;
        }
    }
    const piece p = cut_triangle(l, corner, room);
    for (int k = 2; k < p.count; k++)
        vti_add_triangle(t, p.corner[0], p.corner[k - 1], p.corner[k]);
}

void vti_keep_inside(const vt_solid *solid, int32_t first, int keeps_common, vt_triangles *t)
{
    const int32_t end = t->count;
    for (int32_t n = first; n < end && !t->failed; n++) {
        vt_triangle corner;
        memcpy(corner, t->item[n], sizeof corner);
        const look l = look_beside(solid, corner, keeps_common);
        add_inside(&l, corner, MOST_SPLITS, t);
    }
    if (t->failed)
        return;
    memmove(t->item + first, t->item + end, sizeof *t->item * (size_t)(t->count - end));
    t->count -= end - first;
}
