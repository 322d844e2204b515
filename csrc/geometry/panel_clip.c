#include "geometry/panel_clip.h"

#include <math.h>
#include <string.h>

#include "base/vec3.h"
#include "geometry/panel_mesh.h"

/* A polytope of more triangles than MOST_FLAT counts as round: each of its faces that a panel is
 * cut at costs another one. Prisms of up to 22 sides have fewer. */
enum { HALVINGS = 30, MOST_SPLITS = 6, MOST_FLAT = 84 };

/* Of a triangle, where no faces cut it: less than this is not cut off, nor left. */
static const double least_share = 0.1;

/* Where faces cut a triangle, a part of less than this counts as none. With 1e-4 the pieces of a
 * concave mesh, which overlap by a hair, have 1.5 times as many panels; through a plate across a
 * tube .05 to .09 of a wind goes with either. */
static const double least_part = 1e-2;

/* Corners of a triangle and what a cut leaves of it. */
typedef struct piece {
    double corner[4][3];
    int count;
} piece;

/* A solid, and where it is looked at beside the triangle: a little inwards, so that a triangle on
 * its surface lies inside, or outwards, or on both sides, where the solid is nearer. */
typedef struct look {
    const vt_solid *solid;
    int32_t faces; /* flat ones; 0: it is round */
    int both;
    double shift[3], noise;
    double margin; /* by how much the solid counts as larger, m */
} look;

static double distance_at(const look *l, const double point[3])
{
    double beside[3], behind[3];
    for (int c = 0; c < 3; c++) {
        beside[c] = point[c] + l->shift[c];
        behind[c] = point[c] - l->shift[c];
    }
    const double room = vti_solid_distance(l->solid, beside, NULL);
    return (l->both ? fmin(room, vti_solid_distance(l->solid, behind, NULL)) : room) - l->margin;
}

/* How many faces a solid has on which its panels lie; 0 of a round one. */
static int32_t count_flat_faces(const vt_solid *solid, int32_t aimed)
{
    if (!vti_lie_on_faces(solid, aimed))
        return 0;
    if (solid->kind == VT_SHAPE_PLANE)
        return 1;
    return vti_least_triangles(&solid->polytope) <= MOST_FLAT ? solid->polytope.face_count : 0;
}

static look look_beside(const vt_solid *solid, const vt_cut *cut, vt_triangle corner, int inwards)
{
    look l = {
        .solid = solid, .faces = count_flat_faces(solid, cut->aimed), .noise = 1e-3 * cut->skin};
    double normal[3];
    vti_cross_of_sides(corner[0], corner[1], corner[2], normal);
    vti_normalise(normal);
    vti_add_scaled(l.shift, inwards ? -cut->skin : cut->skin, normal);
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

/* The part of a triangle inside a solid, or outside, in the order of its corners. */
static piece cut_triangle(const look *l, vt_triangle corner, const double room[3], int outside)
{
    piece p = {.count = 0};
    for (int k = 0; k < 3; k++) {
        const int next = (k + 1) % 3;
        if ((room[k] < 0) != outside)
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
        const double at_left = distance_at(l, left), third = (high - low) / 3;
        room = distance_at(l, right);
        low += at_left < room - l->noise ? 0 : third;
        high -= room < at_left - l->noise ? 0 : third;
    }
    return room;
}

/* Length of the part inside of an edge of which the point deepest in the solid is known. */
static double chord(const look *l, const double from[3], const double deepest[3],
                    const double to[3])
{
    double enter[3], leave[3];
    find_exit(l, deepest, from, enter);
    find_exit(l, deepest, to, leave);
    return vti_sqrt(vti_square_between(enter, leave));
}

/* Adds what of a triangle lies inside, or outside; where an edge from outside to outside passes
 * through, of its two halves. */
static void add_part(const look *l, vt_triangle corner, int outside, int splits, vt_triangles *t)
{
    double room[3], deepest[3];
    for (int k = 0; k < 3; k++)
        room[k] = distance_at(l, corner[k]);
    for (int k = 0; k < 3 && splits > 0; k++) {
        const int next = (k + 1) % 3;
        const double length = vti_sqrt(vti_square_between(corner[k], corner[next]));
        if (room[k] < 0 || room[next] < 0 || fmin(room[k], room[next]) > length)
            continue;
        if (find_deepest(l, corner[k], corner[next], deepest) < 0 &&
            chord(l, corner[k], deepest, corner[next]) > 1e-2 * length) {
            vt_triangle half;
            memcpy(half, corner, sizeof half);
            memcpy(half[next], deepest, sizeof deepest);
            add_part(l, half, outside, splits - 1, t);
            memcpy(half[next], corner[next], sizeof deepest);
            memcpy(half[k], deepest, sizeof deepest);
            add_part(l, half, outside, splits - 1, t);
            return;
        }
    }
    const piece p = cut_triangle(l, corner, room, outside);
    for (int k = 2; k < p.count; k++)
        vti_add_triangle(t, p.corner[0], p.corner[k - 1], p.corner[k]);
}

/* ---- at flat faces ---- */

/* A part of a triangle: each face adds a corner at most. */
typedef struct polygon {
    double corner[MOST_FLAT + 3][3];
    int count;
} polygon;

/* How far a point is from the plane of a face, for look->shift as distance_at. */
static double room_at_face(const look *l, int32_t face, const double point[3])
{
    const vt_solid *const solid = l->solid;
    const int is_plane = solid->kind == VT_SHAPE_PLANE;
    const double *const normal = is_plane ? solid->axis : solid->polytope.plane[face];
    const double offset = is_plane ? vti_dot(normal, solid->center) : normal[3];
    const double shift = vti_dot(normal, l->shift);
    const double room = vti_dot(normal, point) - offset - l->margin;
    const double shifted = room + (l->both ? -fabs(shift) : shift);
    return fabs(shifted) <= l->noise ? 0 : shifted;
}

/* Of a sliver, which rounding may bend, corners beyond the room are left out. */
static void add_corner(polygon *p, const double point[3])
{
    if (p->count < MOST_FLAT + 3)
        memcpy(p->corner[p->count++], point, sizeof *p->corner);
}

/* Parts a polygon at the plane of a face; a side without area has no corners. */
static void part_at_face(const look *l, int32_t face, const polygon *all, polygon *outside,
                         polygon *inside)
{
    double room[MOST_FLAT + 3];
    int beyond = 0, within = 0;
    outside->count = inside->count = 0;
    for (int k = 0; k < all->count; k++) {
        room[k] = room_at_face(l, face, all->corner[k]);
        beyond += room[k] > 0;
        within += room[k] < 0;
    }
    for (int k = 0; k < all->count; k++) {
        const int next = (k + 1) % all->count;
        double point[3];
        if (room[k] >= 0 && beyond)
            add_corner(outside, all->corner[k]);
        if (room[k] <= 0 && within)
            add_corner(inside, all->corner[k]);
        if (!(room[k] * room[next] < 0))
            continue;
        vti_point_between(all->corner[k], all->corner[next], room[k] / (room[k] - room[next]),
                          point);
        add_corner(outside, point);
        add_corner(inside, point);
    }
}

static double polygon_area(const polygon *p)
{
    double area = 0;
    for (int k = 2; k < p->count; k++) {
        vt_triangle corner;
        memcpy(corner[0], p->corner[0], sizeof *corner);
        memcpy(corner[1], p->corner[k - 1], sizeof *corner);
        memcpy(corner[2], p->corner[k], sizeof *corner);
        area += vti_triangle_area(corner);
    }
    return area;
}

static void add_polygon(const polygon *p, vt_triangles *t)
{
    for (int k = 2; k < p->count; k++)
        vti_add_triangle(t, p->corner[0], p->corner[k - 1], p->corner[k]);
}

/* Parts a polygon at that of the faces beyond which the largest part of it lies: fewer and wider
 * ones are left than in the order of the faces. 0 where no part does of more than `least`. */
static int part_at_widest(const look *l, const polygon *all, double least, polygon *outside,
                          polygon *inside)
{
    double most = least;
    polygon beyond, within;
    for (int32_t f = 0; f < l->faces; f++) {
        part_at_face(l, f, all, &beyond, &within);
        const double area = polygon_area(&beyond);
        if (!(area > most))
            continue;
        most = area;
        *outside = beyond;
        *inside = within;
        if (within.count == 0)
            break;
    }
    return most > least;
}

/* Adds what of a triangle lies outside a solid with flat faces, or inside: exactly, so that the
 * panels of all close. */
static void add_part_at_faces(const look *l, vt_triangle corner, int beyond, vt_triangles *t)
{
    const double least = least_part * vti_triangle_area(corner);
    const int32_t from = t->count;
    polygon rest = {.count = 3}, outside, inside;
    memcpy(rest.corner, corner, sizeof(vt_triangle));
    while (part_at_widest(l, &rest, least, &outside, &inside)) {
        if (beyond)
            add_polygon(&outside, t);
        rest = inside;
    }
    const int is_inside = polygon_area(&rest) > least;
    if (!beyond && is_inside)
        add_polygon(&rest, t);
    if (!beyond || is_inside)
        return;
    t->count = from;
    vti_add_triangle(t, corner[0], corner[1], corner[2]);
}

static void drop_before(int32_t first, int32_t end, vt_triangles *t)
{
    if (t->failed)
        return;
    memmove(t->item + first, t->item + end, sizeof *t->item * (size_t)(t->count - end));
    t->count -= end - first;
}

void vti_keep_inside(const vt_solid *solid, const vt_cut *cut, int32_t first, vt_triangles *t)
{
    const int32_t end = t->count;
    for (int32_t n = first; n < end && !t->failed; n++) {
        vt_triangle corner;
        memcpy(corner, t->item[n], sizeof corner);
        const look l = look_beside(solid, cut, corner, cut->keeps_common);
        if (l.faces > 0)
            add_part_at_faces(&l, corner, 0, t);
        else
            add_part(&l, corner, 0, MOST_SPLITS, t);
    }
    drop_before(first, end, t);
}

/* Of a triangle of which the parts from `from` on are left leaves all, or nothing, where that is so
 * but for a share: each cut costs panels. */
static void round_off(vt_triangle corner, int32_t from, double share, vt_triangles *t)
{
    double left = 0;
    const double all = vti_triangle_area(corner);
    for (int32_t n = from; n < t->count; n++)
        left += vti_triangle_area(t->item[n]);
    if (left > (1 - share) * all) {
        t->count = from;
        vti_add_triangle(t, corner[0], corner[1], corner[2]);
    } else if (left < share * all)
        t->count = from;
}

/* Whether any corner of a triangle looks at the solid across a gap; one that looks along it may lie
 * flush with its wall. */
static int faces(const vt_solid *solid, vt_triangle corner, double gap)
{
    double a[3], b[3], normal[3], away[3];
    int found = 0;
    vti_subtract(corner[1], corner[0], a);
    vti_subtract(corner[2], corner[0], b);
    vti_cross(a, b, normal);
    vti_normalise(normal);
    for (int k = 0; k < 3; k++) {
        const double room = vti_solid_distance(solid, corner[k], away);
        found |= room > 0 && room < gap && vti_dot(normal, away) < -0.7;
    }
    return found;
}

void vti_keep_outside(const vt_solid *solid, const vt_cut *cut, int32_t first, vt_triangles *t)
{
    const int32_t end = t->count;
    for (int32_t n = first; n < end && !t->failed; n++) {
        vt_triangle corner;
        memcpy(corner, t->item[n], sizeof corner);
        look l = look_beside(solid, cut, corner, 0);
        l.both = !cut->keeps_common;
        l.margin = cut->margin > 0 && faces(solid, corner, cut->margin) ? cut->margin : 0;
        const int32_t from = t->count;
        if (l.faces > 0)
            add_part_at_faces(&l, corner, 1, t);
        else
            add_part(&l, corner, 1, MOST_SPLITS, t);
        if (cut->whole || l.faces == 0)
            round_off(corner, from, cut->whole ? 0.5 : least_share, t);
    }
    drop_before(first, end, t);
}
