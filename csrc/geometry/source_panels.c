#include "geometry/source_panels.h"

#include <math.h>

#include "base/memory.h"
#include "base/status.h"
#include "base/vec3.h"
#include "geometry/panel_matrix.h"
#include "geometry/panel_mesh.h"
#include "geometry/triangle_source.h"

/* ---- one triangle ---- */

void vti_scale_added_mass(const vt_panel_set *set, double scale, double matrix[6][6])
{
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
            matrix[i][j] = scale * scale * scale * (i < 3 ? 1 : scale) * (j < 3 ? 1 : scale) *
                           set->added_mass[i][j];
}

/* ---- the set ---- */

vt_panel_set *vti_share_panels(vt_panel_set *set)
{
    if (set)
        atomic_fetch_add(&set->users, 1);
    return set;
}

void vti_release_panels(vt_panel_set *set)
{
    if (!set || atomic_fetch_sub(&set->users, 1) > 1)
        return;
    vti_free(set->corner);
    vti_free(set->center);
    vti_free(set->normal);
    vti_free(set->area);
    vti_free(set->inverse);
    vti_free(set->beyond);
    vti_release_panels(set->whole);
    vti_free(set);
}

/* Centroid and unit normal; returns the area. */
static double measure_triangle(vt_triangle corner, double center[3], double normal[3])
{
    for (int c = 0; c < 3; c++)
        center[c] = (corner[0][c] + corner[1][c] + corner[2][c]) / 3;
    vti_cross_of_sides(corner[0], corner[1], corner[2], normal);
    return 0.5 * vti_normalise(normal);
}

/* Panels of each shape of several: those of a ball are an icosahedron. */
enum { LEAST_OF_SHAPE = 20 };

static int is_plane(const vt_solid *solid)
{
    return solid->kind == VT_SHAPE_PLANE;
}

/* The smallest of the solids that are no planes: planes matter as far as it reaches. */
static const vt_solid *find_smallest(int32_t solid_count, const vt_solid *solids)
{
    const vt_solid *smallest = NULL;
    for (int32_t n = 0; n < solid_count; n++)
        if (!is_plane(&solids[n]) &&
            (!smallest || solids[n].circumscribed < smallest->circumscribed))
            smallest = &solids[n];
    return smallest;
}

static double area_of(const vt_solid *solid, const vt_solid *smallest)
{
    const double wide = smallest && is_plane(solid) ? 2 * smallest->circumscribed : 0;
    return wide > 0 ? wide * wide : vti_solid_area(solid);
}

static double total_area(int32_t solid_count, const vt_solid *solids, const vt_solid *smallest)
{
    double total = 0;
    for (int32_t n = 0; n < solid_count; n++)
        total += area_of(&solids[n], smallest);
    return total;
}

/* How all triangles are shared out: `aimed` of them by area, but `least` at least for each solid.
 * Of a plane those under the smallest solid (NULL: none of a plane). */
typedef struct shares {
    const vt_solid *smallest;
    int32_t aimed, least;
    double total; /* area, m^2 */
} shares;

static int32_t share_of(const shares *s, const vt_solid *solid)
{
    const double share = s->total > 0 ? s->aimed * area_of(solid, s->smallest) / s->total : 0;
    return share < s->least ? s->least : (int32_t)share;
}

static void add_share(const shares *s, const vt_solid *solid, vt_triangles *t)
{
    const vt_solid *const smallest = s->smallest;
    if (smallest && is_plane(solid)) {
        double foot[3];
        memcpy(foot, smallest->center, sizeof foot);
        vti_add_scaled(foot, -vti_solid_distance(solid, foot, NULL), solid->axis);
        vti_add_square(foot, solid->axis, 1.01 * smallest->circumscribed, share_of(s, solid), t);
    } else
        vti_add_triangles_of_solid(solid, share_of(s, solid), t);
}

/* Leaves out what has no area to speak of, of the triangles from `first` on. */
static void drop_slivers(int32_t first, vt_triangles *t)
{
    double center[3], normal[3], area = 0;
    int32_t kept = first;
    for (int32_t n = first; n < t->count; n++)
        area += measure_triangle(t->item[n], center, normal);
    for (int32_t n = first; n < t->count; n++)
        if (measure_triangle(t->item[n], center, normal) > 1e-4 * area / (t->count - first))
            memmove(t->item[kept++], t->item[n], sizeof *t->item);
    t->count = kept;
}

double vti_skin(int32_t solid_count, const vt_solid *solids)
{
    double largest = 0;
    for (int32_t n = 0; n < solid_count; n++)
        if (!is_plane(&solids[n]))
            largest = fmax(largest, solids[n].circumscribed);
    return 1e-6 * largest;
}

/* How the surface of solid n meets solid m: of what they have in common the first one has it. */
static vt_cut cut_of(const shares *s, const vt_solid *solids, int32_t n, int32_t m)
{
    return (vt_cut){.keeps_common = n < m,
                    .skin = fmax(vti_skin(1, &solids[n]), vti_skin(1, &solids[m])),
                    .aimed = share_of(s, &solids[m])};
}

/* Whether no triangle of one solid comes near the other: those of round ones stick out of them. */
static int are_apart(const vt_solid *a, const vt_solid *b)
{
    const double reach = 1.25 * (a->circumscribed + b->circumscribed);
    return vti_square_between(a->center, b->center) > reach * reach;
}

/* Triangles of all solids, as far as they lie outside of the others; whole ones alone, where that
 * is asked for. */
static void add_triangles(int32_t solid_count, const vt_solid *solids, int32_t aimed, int32_t least,
                          int whole, vt_triangles *t)
{
    const shares s = {NULL, aimed, least, total_area(solid_count, solids, NULL)};
    for (int32_t n = 0; n < solid_count && s.total > 0 && !t->failed; n++) {
        const int32_t first = t->count;
        add_share(&s, &solids[n], t);
        for (int32_t m = 0; m < solid_count && !t->failed; m++) {
            vt_cut cut = cut_of(&s, solids, n, m);
            cut.whole = whole;
            if (m != n && !are_apart(&solids[n], &solids[m]))
                vti_keep_outside(&solids[m], &cut, first, t);
        }
        /* the ends of a slender shape are no slivers, but small beside its long panels */
        if (!t->failed && !(solid_count == 1 && vti_slenderness(solids) > VT_SLENDER))
            drop_slivers(first, t);
    }
}

void vti_cut_off(int32_t solid_count, const vt_solid *solids, const vt_cut *cut, vt_triangles *t)
{
    const shares s = {NULL, cut->aimed, LEAST_OF_SHAPE, total_area(solid_count, solids, NULL)};
    for (int32_t n = 0; n < solid_count && !t->failed; n++) {
        vt_cut by = *cut;
        by.aimed = share_of(&s, &solids[n]);
        vti_keep_outside(&solids[n], &by, 0, t);
    }
    if (!t->failed)
        drop_slivers(0, t);
}

/* Triangles of what all solids have in common. */
static void add_common_triangles(int32_t solid_count, const vt_solid *solids, int32_t aimed,
                                 vt_triangles *t)
{
    const vt_solid *const smallest = find_smallest(solid_count, solids);
    const shares s = {smallest, aimed, LEAST_OF_SHAPE, total_area(solid_count, solids, smallest)};
    for (int32_t n = 0; n < solid_count && !t->failed; n++) {
        const int32_t first = t->count;
        add_share(&s, &solids[n], t);
        for (int32_t m = 0; m < solid_count && !t->failed; m++) {
            const vt_cut cut = cut_of(&s, solids, n, m);
            if (m != n)
                vti_keep_inside(&solids[m], &cut, first, t);
        }
    }
}

/* About as many as are aimed at: what lies outside the others is none of them. */
static void add_walls_of_hole(int32_t solid_count, const vt_solid *solids, int32_t aimed,
                              vt_triangles *t)
{
    int32_t asked = aimed;
    for (int n = 0; n < 3 && !t->failed; n++) {
        t->count = 0;
        add_common_triangles(solid_count, solids, asked, t);
        drop_slivers(0, t);
        if (t->count == 0 || (t->count <= 1.3 * aimed && t->count >= 0.7 * aimed))
            break;
        asked = (int32_t)fmin((double)asked * aimed / t->count, 8.0 * aimed);
    }
}

/* Seen from the other side. */
static void turn_over(vt_triangles *t)
{
    for (int32_t n = 0; n < t->count; n++) {
        double kept[3];
        memcpy(kept, t->item[n][1], sizeof kept);
        memcpy(t->item[n][1], t->item[n][2], sizeof kept);
        memcpy(t->item[n][2], kept, sizeof kept);
    }
}

void vti_measure_panels(vt_panel_set *set, const double origin[3])
{
    const size_t count = (size_t)set->count;
    double area = 0;
    memcpy(set->origin, origin, sizeof set->origin);
    set->volume = 0;
    for (size_t n = 0; n < count; n++) {
        set->area[n] = measure_triangle(set->corner[n], set->center[n], set->normal[n]);
        area += set->area[n];
        double arm[3];
        vti_subtract(set->center[n], origin, arm);
        set->volume += set->area[n] * vti_dot(arm, set->normal[n]) / 3;
        for (int k = 0; k < 9; k++) {
            const double at = set->corner[n][k / 3][k % 3];
            double *const low = &set->low[k % 3], *const high = &set->high[k % 3];
            *low = n + (size_t)k / 3 == 0 || at < *low ? at : *low;
            *high = n + (size_t)k / 3 == 0 || at > *high ? at : *high;
        }
    }
    set->side = vti_sqrt(2 * area / set->count);
    set->length = vti_sqrt(area / (4 * VT_PI));
}

/* With memory for what is found of the panels; corner and count are set by the caller. */
static int make_room(vt_panel_set *set, size_t count, int32_t hole)
{
    set->center = vti_allocate(sizeof *set->center * count);
    set->normal = vti_allocate(sizeof *set->normal * count);
    set->area = vti_allocate(sizeof *set->area * count);
    if (set->whole)
        return set->center && set->normal && set->area;
    set->inverse = vti_allocate(sizeof *set->inverse * count * count);
    if (hole)
        set->beyond = vti_allocate(sizeof *set->beyond * count * count);
    return set->center && set->normal && set->area && set->inverse && (!hole || set->beyond);
}

vt_panel_set *vti_make_panels(vt_triangles *t, int32_t hole, const double origin[3],
                              vt_panel_set *whole)
{
    const size_t count = (size_t)t->count;
    vt_panel_set *const set = vti_allocate_zeroed(1, sizeof *set);
    if (!set)
        return NULL;
    set->users = 1;
    set->hole = hole;
    set->whole = vti_share_panels(whole);
    set->count = t->count;
    set->corner = t->item;
    t->item = NULL;
    if (!make_room(set, count, hole)) {
        vti_release_panels(set);
        return NULL;
    }
    vti_measure_panels(set, origin);
    return set;
}

vt_panel_set *vti_copy_panels(const vt_panel_set *from)
{
    vt_panel_set *const set = from ? vti_allocate(sizeof *set) : NULL;
    const size_t count = from ? (size_t)from->count : 0;
    if (!set)
        return NULL;
    memcpy(set, from, sizeof *set);
    set->users = 1;
    set->beyond = NULL;
    set->corner = vti_allocate(sizeof *set->corner * count);
    if (!make_room(set, count, 0) || !set->corner) {
        vti_release_panels(set);
        return NULL;
    }
    memcpy(set->corner, from->corner, sizeof *set->corner * count);
    memcpy(set->center, from->center, sizeof *set->center * count);
    memcpy(set->normal, from->normal, sizeof *set->normal * count);
    memcpy(set->area, from->area, sizeof *set->area * count);
    memcpy(set->inverse, from->inverse, sizeof *set->inverse * count * count);
    return set;
}

/* Faces that are long and narrow get more than what they are aimed at: up to so many. */
static int32_t most_for(int32_t aimed)
{
    return 2 * aimed + 100;
}

/* A hole that is slender has none that are wider than it is: it gets as many as may be asked for.
 */
static int32_t most_for_hole(int32_t aimed)
{
    return (int32_t)fmin(most_for(aimed), VT_MOST_PANELS / 2);
}

static void add_walls(int32_t solid_count, const vt_solid *solids, int32_t aimed, int32_t least,
                      int whole, vt_triangles *t)
{
    for (int32_t asked = aimed; asked > 1 && !t->failed; asked /= 2) {
        t->count = 0;
        add_triangles(solid_count, solids, asked, least, whole, t);
        if (t->count <= most_for(aimed))
            break;
    }
}

/* Where cuts make more than there may be, as of a heap of boards, triangles stay whole. Where there
 * are more than half of that, and more than may be for what was asked, as of the pieces of a thin
 * ring, each gets as few as it can: the time for the first frame grows with the third power of
 * their number. */
void vti_lay_walls_of_body(int32_t solid_count, const vt_solid *solids, int32_t aimed,
                           vt_triangles *t)
{
    add_walls(solid_count, solids, aimed, LEAST_OF_SHAPE, 0, t);
    if (t->count > VT_MOST_PANELS)
        add_walls(solid_count, solids, aimed, LEAST_OF_SHAPE, 1, t);
    if (t->count > VT_MOST_PANELS / 2 && t->count > most_for(aimed))
        add_walls(solid_count, solids, aimed, 1, 0, t);
    if (t->count > VT_MOST_PANELS)
        add_walls(solid_count, solids, aimed, 1, 1, t);
}

double vti_least_inscribed(int32_t solid_count, const vt_solid *solids)
{
    double least = INFINITY;
    for (int32_t n = 0; n < solid_count; n++)
        if (!is_plane(&solids[n]))
            least = fmin(least, solids[n].inscribed);
    return least;
}

/* Whether the shape is thinner somewhere than panels are wide; what is left of several shapes is as
 * thick as 3 volume / area, 1 to 1.5 times what it is. */
static int is_thin(const vt_panel_set *set, int32_t solid_count)
{
    const int is_left = set->hole && solid_count > 1;
    return set->thickness < set->side ||
           (is_left && -3 * set->volume < set->side * vti_area_of_panels(set));
}

/* What vti_solve_panels does for others. */
static vt_status solve_square(vt_panel_set *set)
{
    const size_t count = (size_t)set->count, bytes = sizeof *set->inverse * count * count;
    set->open = 1;
    set->beyond = vti_allocate(bytes);
    if (!set->beyond)
        return vti_fail(VT_OUT_OF_MEMORY, "no memory for %d panels", set->count);
    memset(set->inverse, 0, bytes);
    for (size_t j = 0; j < count; j++) {
        set->inverse[j * count + j] = 2;
        for (size_t i = 0; i < count; i++)
            set->beyond[j * count + i] =
                (float)(2 * vti_triangle_potential(set->corner[j], set->normal[j], set->center[i]));
    }
    return VT_OK;
}

/* Panels that are cut out of several solids close what they have in common: over a closed surface
 * the normals sum to nothing. Edges are cut by halving, round solids are as flat as their
 * triangles.
 */
static vt_status check_closed(const vt_panel_set *set)
{
    const double most_open = 0.1; /* of the area: those of coarse panels are .06 */
    double sum[3] = {0, 0, 0}, area = 0;
    for (int32_t n = 0; n < set->count; n++) {
        vti_add_scaled(sum, set->area[n], set->normal[n]);
        area += set->area[n];
    }
    const double open = vti_sqrt(vti_dot(sum, sum)) / area;
    if (open <= most_open)
        return VT_OK;
    return vti_fail(
        VT_INVALID_ARGUMENT,
        "its %d panels leave %.2g %% of the surface open, as where a small shape ends at "
        "one far larger; allowed are %g %%: give more panels, shapes of like size, or "
        "panels 0",
        set->count, 100 * open, 100 * most_open);
}

/* What beside an edge is nearer to it than 1e-9 of its length cannot be told from it
 * (geometry/triangle_source.c): past a bar of 100 000 times its breadth the flow is wrong by a
 * tenth, past one of 400 000 it is another one. */
static vt_status check_slenderness(int32_t solid_count, const vt_solid *solids)
{
    const double most = 50000;
    for (int32_t n = 0; n < solid_count; n++) {
        const double found = vti_slenderness(&solids[n]);
        if (found > most)
            return vti_fail(VT_INVALID_ARGUMENT,
                            "shape %d is %.3g times as long as it is broad, and the flow past it "
                            "would be wrong; allowed are %g: give a shorter one, or panels 0",
                            n, found, most);
    }
    return VT_OK;
}

/* A system of so many equations is solved for the first frame. */
static vt_status check_count(int32_t count, int32_t aimed)
{
    return count <= VT_MOST_PANELS
               ? VT_OK
               : vti_fail(VT_INVALID_ARGUMENT,
                          "it would have %d panels where %d are aimed at; allowed are %d: give "
                          "fewer shapes, thicker ones, or panels 0",
                          count, aimed, VT_MOST_PANELS);
}

vt_status vti_create_panels(int32_t solid_count, const vt_solid *solids, int32_t hole,
                            int32_t aimed, const double origin[3], int threads, vt_panel_set **set)
{
    vt_triangles t = {0};
    vt_status status = VT_OK;
    *set = NULL;
    const int open = solid_count == 1 && is_plane(solids);
    if (hole && solid_count > 1 && !find_smallest(solid_count, solids))
        return vti_fail(
            VT_INVALID_ARGUMENT,
            "a container of %d planes alone has no panels, and the flow would go through "
            "its walls: make each plane a body, with its normal towards the fluid, or "
            "add a shape of finite size, or give panels 0 where that is meant",
            solid_count);
    if (!hole)
        status = check_slenderness(solid_count, solids);
    if (status)
        return status;
    if (open)
        vti_add_square((const double[3]){0, 0, 0}, solids->axis, 1, aimed, &t);
    else if (hole && solid_count == 1 && vti_slenderness(solids) > VT_SLENDER)
        vti_lay_walls_of_body(1, solids, most_for_hole(aimed), &t);
    else if (!hole || solid_count == 1)
        vti_lay_walls_of_body(solid_count, solids, aimed, &t);
    else
        add_walls_of_hole(solid_count, solids, aimed, &t);
    if (hole && !t.failed)
        turn_over(&t);
    const int32_t count = t.count;
    if (!t.failed)
        status = check_count(count, aimed);
    if (!status && !t.failed && count > 0)
        *set = vti_make_panels(&t, hole && !open, origin, NULL);
    if (!status && (t.failed || (count > 0 && !*set)))
        status = vti_fail(VT_OUT_OF_MEMORY, "no memory for %d panels", count);
    if (*set) {
        (*set)->thickness = 2 * vti_least_inscribed(solid_count, solids);
        (*set)->is_thin = !open && is_thin(*set, solid_count);
    }
    const int vain = hole && *set && (*set)->is_thin;
    if (!status && *set && hole && solid_count > 1)
        status = check_closed(*set);
    if (!status && *set && !vain)
        status = open ? solve_square(*set) : vti_solve_panels(*set, threads);
    if (status || vain) {
        vti_release_panels(*set);
        *set = NULL;
    }
    vti_free(t.item);
    return status;
}
