#include "geometry/convex_hull.h"

#include "base/memory.h"
#include "base/status.h"
#include "base/vec3.h"
#include "geometry/convex_hull_faces.h"

enum { MOST_POINTS = 1 << 20 };

/* ---- facets ---- */

static void set_plane(const vt_hull *h, vt_facet *f)
{
    vti_cross_of_sides(h->x[f->vertex[0]], h->x[f->vertex[1]], h->x[f->vertex[2]], f->normal);
    f->area = vti_normalise(f->normal);
    f->offset = 0;
    for (int k = 0; k < 3; k++)
        f->offset += vti_dot(f->normal, h->x[f->vertex[k]]) / 3;
}

/* Room for twice as many, in any array that grows by one; 0, or -1. */
static int grow(void **array, int32_t count, int32_t *room, size_t item)
{
    if (count < *room)
        return 0;
    const int32_t more = *room ? 2 * *room : 64;
    void *const made = vti_resize(*array, item * (size_t)more);
    if (!made)
        return -1;
    *array = made;
    *room = more;
    return 0;
}

/* Returns the new facet, or -1 without memory. */
static int32_t add_facet(vt_hull *h, int32_t a, int32_t b, int32_t c)
{
    if (grow((void **)&h->facets, h->facet_count, &h->facet_distance, sizeof *h->facets))
        return -1;
    vt_facet *const f = &h->facets[h->facet_count];
    *f = (vt_facet){.vertex = {a, b, c}, .neighbour = {-1, -1, -1}, .outside = -1, .group = -1};
    set_plane(h, f);
    return h->facet_count++;
}

/* Puts a point into the list of the first of the facets from `first` on that it lies outside of. */
static void give_point(vt_hull *h, int32_t point, int32_t first)
{
    for (int32_t f = first; f < h->facet_count; f++) {
        vt_facet *const facet = &h->facets[f];
        if (facet->state == VT_FACET_GONE ||
            !(vti_above_facet(facet, h->x[point]) > vt_hull_tolerance))
            continue;
        h->next[point] = facet->outside;
        facet->outside = point;
        return;
    }
}

/* ---- the first tetrahedron ---- */

/* The point that is farthest by a measure. */
typedef double measure(const vt_hull *h, const double x[3], const int32_t *corner);

static double from_point(const vt_hull *h, const double x[3], const int32_t *corner)
{
    double way[3] = {x[0], x[1], x[2]};
    vti_add_scaled(way, -1, h->x[corner[0]]);
    return vti_dot(way, way);
}

static double from_line(const vt_hull *h, const double x[3], const int32_t *corner)
{
    double along[3], way[3], across[3];
    for (int c = 0; c < 3; c++) {
        along[c] = h->x[corner[1]][c] - h->x[corner[0]][c];
        way[c] = x[c] - h->x[corner[0]][c];
    }
    vti_cross(along, way, across);
    return vti_dot(across, across);
}

static double from_plane(const vt_hull *h, const double x[3], const int32_t *corner)
{
    vt_facet f = {.vertex = {corner[0], corner[1], corner[2]}};
    set_plane(h, &f);
    return vti_abs(vti_above_facet(&f, x));
}

static int32_t farthest(const vt_hull *h, measure *distance, const int32_t *corner)
{
    int32_t at = 0;
    double most = -1;
    for (int32_t i = 0; i < h->count; i++) {
        const double d = distance(h, h->x[i], corner);
        if (d > most) {
            most = d;
            at = i;
        }
    }
    return at;
}

static vt_status begin_hull(vt_hull *h)
{
    int32_t corner[4] = {0};
    measure *const measures[] = {from_point, from_line, from_plane};
    corner[0] = farthest(h, from_point, corner);
    for (int k = 1; k < 4; k++)
        corner[k] = farthest(h, measures[k - 1], corner);
    const double flat = from_plane(h, h->x[corner[3]], corner);
    if (!(flat > 10 * vt_hull_tolerance))
        return vti_fail(VT_INVALID_ARGUMENT,
                        "shape: the points of a polytope must not lie in one plane, on one line or "
                        "at one place: they are %g m thick",
                        flat * h->extent);
    vt_facet base = {.vertex = {corner[0], corner[1], corner[2]}};
    set_plane(h, &base);
    if (vti_above_facet(&base, h->x[corner[3]]) > 0) {
        const int32_t swap = corner[1];
        corner[1] = corner[2];
        corner[2] = swap;
    }
    static const int32_t sides[4][3] = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
    static const int32_t beside[4][3] = {{1, 2, 3}, {3, 2, 0}, {1, 3, 0}, {2, 1, 0}};
    for (int f = 0; f < 4; f++) {
        const int32_t *const s = sides[f];
        const int32_t made = add_facet(h, corner[s[0]], corner[s[1]], corner[s[2]]);
        if (made < 0)
            return vti_fail(VT_OUT_OF_MEMORY, "no memory for a hull");
        memcpy(h->facets[made].neighbour, beside[f], sizeof beside[f]);
    }
    for (int32_t i = 0; i < h->count; i++)
        give_point(h, i, 0);
    return VT_OK;
}

/* ---- adding a point ---- */

/* Facets that the point sees, from one of them on, and the edges around them. */
static void find_seen(vt_hull *h, int32_t first, const double x[3])
{
    h->round++;
    h->seen_count = h->horizon_count = 0;
    h->facets[first].state = h->round;
    h->seen[h->seen_count++] = first;
    for (int32_t at = 0; at < h->seen_count; at++) {
        for (int edge = 0; edge < 3; edge++) {
            const vt_facet *const f = &h->facets[h->seen[at]];
            vt_facet *const beside = &h->facets[f->neighbour[edge]];
            if (beside->state == h->round)
                continue;
            if (vti_above_facet(beside, x) > vt_hull_tolerance) {
                beside->state = h->round;
                h->seen[h->seen_count++] = f->neighbour[edge];
            } else {
                vti_add_to_horizon(h, f, edge);
            }
        }
    }
}

/* The cone from the point to the horizon. */
static int add_cone(vt_hull *h, int32_t point)
{
    const int32_t first = h->facet_count;
    for (int32_t e = 0; e < h->horizon_count; e++) {
        const vt_horizon_edge edge = h->horizon[e];
        const int32_t made = add_facet(h, edge.from, edge.to, point);
        if (made < 0)
            return -1;
        h->facets[made].neighbour[0] = edge.beyond;
        vt_facet *const beyond = &h->facets[edge.beyond];
        for (int k = 0; k < 3; k++)
            if (beyond->vertex[k] == edge.to && beyond->vertex[(k + 1) % 3] == edge.from)
                beyond->neighbour[k] = made;
        h->starting[edge.from] = made;
        h->ending[edge.to] = made;
    }
    for (int32_t f = first; f < h->facet_count; f++) {
        vt_facet *const made = &h->facets[f];
        made->neighbour[1] = h->starting[made->vertex[1]];
        made->neighbour[2] = h->ending[made->vertex[0]];
    }
    return first;
}

/* Points of the facets that go find a new one, or are inside now. */
static void hand_over(vt_hull *h, int32_t first_new, int32_t apex)
{
    for (int32_t n = 0; n < h->seen_count; n++) {
        vt_facet *const f = &h->facets[h->seen[n]];
        f->state = VT_FACET_GONE;
        for (int32_t point = f->outside, next; point >= 0; point = next) {
            next = h->next[point];
            if (point != apex)
                give_point(h, point, first_new);
        }
        f->outside = -1;
    }
}

/* Takes a point out of the list of a facet. */
static void drop_point(vt_hull *h, vt_facet *f, int32_t point)
{
    int32_t *place = &f->outside;
    while (*place != point)
        place = &h->next[*place];
    *place = h->next[point];
}

/* Adds the farthest point outside of a facet; 0, or -1 without memory. */
static int add_farthest(vt_hull *h, int32_t at)
{
    int32_t apex = -1;
    double most = 0;
    for (int32_t p = h->facets[at].outside; p >= 0; p = h->next[p]) {
        const double distance = vti_above_facet(&h->facets[at], h->x[p]);
        if (distance > most) {
            most = distance;
            apex = p;
        }
    }
    if (vti_make_hull_lists(h))
        return -1;
    find_seen(h, at, h->x[apex]);
    if (!vti_horizon_is_loop(h)) {
        for (int32_t n = 0; n < h->seen_count; n++)
            h->facets[h->seen[n]].state = VT_FACET_THERE;
        drop_point(h, &h->facets[at], apex);
        return 0;
    }
    const int32_t first = add_cone(h, apex);
    if (first < 0)
        return -1;
    hand_over(h, first, apex);
    return 0;
}

static vt_status build_hull(vt_hull *h)
{
    const vt_status status = begin_hull(h);
    for (int32_t f = 0; !status && f < h->facet_count; f++)
        while (h->facets[f].state != VT_FACET_GONE && h->facets[f].outside >= 0)
            if (add_farthest(h, f))
                return vti_fail(VT_OUT_OF_MEMORY, "no memory for a hull");
    return status;
}

/* ---- points ---- */

/* Points relative to the middle of their bounding box, in units of its longest edge. */
static vt_status take_points(int64_t count, const double *points, vt_hull *h)
{
    h->count = (int32_t)count;
    for (int c = 0; c < 3; c++) {
        double least = points[c], most = least;
        for (int64_t i = 1; i < count; i++) {
            const double x = points[3 * i + c];
            least = x < least ? x : least;
            most = x > most ? x : most;
        }
        h->middle[c] = 0.5 * (least + most);
        h->extent = most - least > h->extent ? most - least : h->extent;
    }
    if (!(h->extent > 0))
        return vti_fail(VT_INVALID_ARGUMENT, "shape: all points of the polytope are one");
    h->x = vti_allocate(sizeof *h->x * (size_t)count);
    h->next = vti_allocate(sizeof *h->next * (size_t)count);
    h->starting = vti_allocate(sizeof *h->starting * (size_t)count);
    h->ending = vti_allocate(sizeof *h->ending * (size_t)count);
    if (!h->x || !h->next || !h->starting || !h->ending)
        return vti_fail(VT_OUT_OF_MEMORY, "no memory for a hull of %lld points", (long long)count);
    for (int64_t i = 0; i < count; i++)
        for (int c = 0; c < 3; c++)
            h->x[i][c] = (points[3 * i + c] - h->middle[c]) / h->extent;
    return VT_OK;
}

vt_status vti_create_hull(int64_t count, const double *points, vt_polytope *polytope)
{
    *polytope = (vt_polytope){0};
    if (!points || count < 4 || count > MOST_POINTS)
        return vti_fail(VT_INVALID_ARGUMENT, "shape: a polytope needs 4 .. %d points, got %lld",
                        MOST_POINTS, (long long)(points ? count : 0));
    for (int64_t i = 0; i < 3 * count; i++)
        if (!(vti_abs(points[i]) <= VT_MOST_LENGTH))
            return vti_fail(
                VT_INVALID_ARGUMENT,
                "shape: point %lld of the polytope must be finite and within %g m, got %g",
                (long long)(i / 3), VT_MOST_LENGTH, points[i]);
    vt_hull h = {0};
    vt_status status = take_points(count, points, &h);
    if (!status)
        status = build_hull(&h);
    if (!status)
        status = vti_polytope_of_hull(&h, points, polytope);
    vti_free(h.x);
    vti_free(h.next);
    vti_free(h.starting);
    vti_free(h.ending);
    vti_free(h.facets);
    vti_free(h.seen);
    vti_free(h.horizon);
    return status;
}
