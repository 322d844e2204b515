/* Faces of a hull: triangles in one plane are joined. */
#include "geometry/convex_hull_faces.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/status.h"

void vti_add_to_horizon(vt_hull *h, const vt_facet *f, int edge)
{
    h->horizon[h->horizon_count++] =
        (vt_horizon_edge){f->vertex[edge], f->vertex[(edge + 1) % 3], f->neighbour[edge]};
}

/* Whether the edges make one loop: no vertex starts two of them, and each that ends one starts
 * one. Rounding may have it otherwise, where facets are all but in one plane with the point. */
int vti_horizon_is_loop(vt_hull *h)
{
    int fits = 1;
    for (int32_t e = 0; e < h->horizon_count; e++)
        h->starting[h->horizon[e].from] = h->starting[h->horizon[e].to] = -1;
    for (int32_t e = 0; e < h->horizon_count; e++) {
        fits &= h->starting[h->horizon[e].from] < 0;
        h->starting[h->horizon[e].from] = e;
    }
    int32_t at = h->horizon[0].from, length = 0;
    do {
        if (!fits || h->starting[at] < 0)
            return 0;
        at = h->horizon[h->starting[at]].to;
        length++;
    } while (at != h->horizon[0].from && length <= h->horizon_count);
    return length == h->horizon_count;
}

int vti_make_hull_lists(vt_hull *h)
{
    if (h->room >= h->facet_count)
        return 0;
    const size_t room = 2 * (size_t)h->facet_count + 64;
    void *const seen = vti_resize(h->seen, room * sizeof *h->seen);
    if (seen)
        h->seen = seen;
    void *const horizon = vti_resize(h->horizon, 3 * room * sizeof *h->horizon);
    if (horizon)
        h->horizon = horizon;
    if (!seen || !horizon)
        return -1;
    h->room = (int32_t)room;
    return 0;
}

/* Faces as loops of vertices of the hull. */
typedef struct face_list {
    int32_t count, corner_count;
    int32_t *first, *corner;
    double (*normal)[3];
} face_list;

typedef struct sized {
    double area;
    int32_t facet;
} sized;

/* The largest first: a sliver takes the plane of its neighbour, not the other way round. */
static int by_area(const void *a, const void *b)
{
    const sized *const x = a, *const y = b;
    return x->area != y->area ? (x->area < y->area) - (x->area > y->area)
                              : (x->facet > y->facet) - (x->facet < y->facet);
}

static int lies_in(const vt_hull *h, const vt_facet *plane, const vt_facet *f)
{
    for (int k = 0; k < 3; k++)
        if (vti_abs(vti_above_facet(plane, h->x[f->vertex[k]])) > 4 * vt_hull_tolerance)
            return 0;
    return vti_dot(plane->normal, f->normal) > 0;
}

/* Facets in the plane of a seed and joined to it get its group; `seen` lists them. */
static void find_group(vt_hull *h, int32_t seed, int32_t group)
{
    h->seen_count = 0;
    h->facets[seed].group = group;
    h->seen[h->seen_count++] = seed;
    for (int32_t at = 0; at < h->seen_count; at++)
        for (int k = 0; k < 3; k++) {
            const int32_t beside = h->facets[h->seen[at]].neighbour[k];
            vt_facet *const f = &h->facets[beside];
            if (f->group >= 0 || !lies_in(h, &h->facets[seed], f))
                continue;
            f->group = group;
            h->seen[h->seen_count++] = beside;
        }
}

/* The edges around the group, as the horizon. */
static void find_rim(vt_hull *h, int32_t group)
{
    h->horizon_count = 0;
    for (int32_t n = 0; n < h->seen_count; n++) {
        const vt_facet *const f = &h->facets[h->seen[n]];
        for (int k = 0; k < 3; k++)
            if (h->facets[f->neighbour[k]].group != group)
                vti_add_to_horizon(h, f, k);
    }
}

static void add_face(const vt_hull *h, face_list *list, int32_t seed)
{
    memcpy(list->normal[list->count], h->facets[seed].normal, sizeof list->normal[0]);
    list->first[list->count++] = list->corner_count;
    int32_t at = h->horizon[0].from;
    for (int32_t k = 0; k < h->horizon_count; k++) {
        list->corner[list->corner_count++] = at;
        at = h->horizon[h->starting[at]].to;
    }
}

/* A group without a simple rim stays in triangles. */
static void add_triangles(const vt_hull *h, face_list *list)
{
    for (int32_t n = 0; n < h->seen_count; n++) {
        const vt_facet *const f = &h->facets[h->seen[n]];
        memcpy(list->normal[list->count], f->normal, sizeof list->normal[0]);
        list->first[list->count++] = list->corner_count;
        for (int k = 0; k < 3; k++)
            list->corner[list->corner_count++] = f->vertex[k];
    }
}

static void find_faces(vt_hull *h, sized *order, int32_t there, face_list *list)
{
    qsort(order, (size_t)there, sizeof *order, by_area);
    for (int32_t n = 0; n < there; n++) {
        const int32_t seed = order[n].facet;
        if (h->facets[seed].group >= 0)
            continue;
        find_group(h, seed, seed);
        find_rim(h, seed);
        if (vti_horizon_is_loop(h))
            add_face(h, list, seed);
        else
            add_triangles(h, list);
    }
    list->first[list->count] = list->corner_count;
}

/* ---- the polytope ---- */

/* Vertices are numbered in the order in which faces name them; `starting` keeps the number. */
static int32_t number_vertices(vt_hull *h, const face_list *list)
{
    int32_t count = 0;
    for (int32_t i = 0; i < h->count; i++)
        h->starting[i] = -1;
    for (int32_t k = 0; k < list->corner_count; k++)
        if (h->starting[list->corner[k]] < 0)
            h->starting[list->corner[k]] = count++;
    return count;
}

static int fill_polytope(const vt_hull *h, const face_list *list, const double *points,
                         vt_polytope *p)
{
    for (int32_t i = 0; i < h->count; i++)
        for (int c = 0; c < 3 && h->starting[i] >= 0; c++)
            p->vertex[h->starting[i]][c] = points[3 * i + c];
    for (int32_t k = 0; k < p->corner_count; k++)
        p->corner[k] = h->starting[list->corner[k]];
    memcpy(p->first, list->first, sizeof *p->first * ((size_t)p->face_count + 1));
    for (int32_t f = 0; f < p->face_count; f++) {
        memcpy(p->plane[f], list->normal[f], sizeof list->normal[f]);
        double most = vti_dot(p->plane[f], p->vertex[0]);
        for (int32_t v = 1; v < p->vertex_count; v++) {
            const double offset = vti_dot(p->plane[f], p->vertex[v]);
            most = offset > most ? offset : most;
        }
        p->plane[f][3] = most;
    }
    return vti_measure_polytope(p);
}

vt_status vti_polytope_of_hull(vt_hull *h, const double *points, vt_polytope *p)
{
    int32_t there = 0;
    for (int32_t f = 0; f < h->facet_count; f++)
        there += h->facets[f].state != VT_FACET_GONE;
    const size_t most = (size_t)there + 1;
    sized *const order = vti_allocate(most * sizeof *order);
    face_list list = {.first = vti_allocate(most * sizeof(int32_t)),
                      .corner = vti_allocate(3 * most * sizeof(int32_t)),
                      .normal = vti_allocate(most * sizeof *list.normal)};
    int failed = !order || !list.first || !list.corner || !list.normal || vti_make_hull_lists(h);
    for (int32_t f = 0, n = 0; !failed && f < h->facet_count; f++)
        if (h->facets[f].state != VT_FACET_GONE)
            order[n++] = (sized){h->facets[f].area, f};
    if (!failed) {
        find_faces(h, order, there, &list);
        *p = (vt_polytope){.vertex_count = number_vertices(h, &list),
                           .face_count = list.count,
                           .corner_count = list.corner_count};
        failed = vti_lay_out_polytope(p);
    }
    if (!failed) {
        failed = fill_polytope(h, &list, points, p);
        if (failed)
            vti_destroy_polytope(p);
    }
    vti_free(order);
    vti_free(list.first);
    vti_free(list.corner);
    vti_free(list.normal);
    return failed ? vti_fail(VT_OUT_OF_MEMORY, "no memory for a hull") : VT_OK;
}
