#include "geometry/cavities.h"

#include "base/memory.h"
#include "base/vec3.h"

/* Panels meet where a corner of one lies nearer to an edge of the other than these shares of how
 * thick the thinnest solid is, and of how wide panels are. */
static const double share_of_thickness = 0.2, share_of_side = 0.05;

/* A surface is closed where its normals sum to less than this share of its area: parts of it that
 * are small are left out, and round solids are as flat as their triangles. */
static const double most_open = 0.1;

static double square_to_edge(const double x[3], const double a[3], const double b[3])
{
    double edge[3], way[3], nearest[3];
    vti_subtract(b, a, edge);
    vti_subtract(x, a, way);
    const double square = vti_dot(edge, edge);
    const double at = square > 0 ? fmin(fmax(vti_dot(way, edge) / square, 0), 1) : 0;
    vti_point_between(a, b, at, nearest);
    return vti_square_between(x, nearest);
}

static int has_corner_at(vt_triangle a, vt_triangle b, double near)
{
    int found = 0;
    for (int k = 0; k < 3; k++)
        for (int e = 0; e < 3 && !found; e++)
            found = square_to_edge(a[k], b[e], b[(e + 1) % 3]) < near * near;
    return found;
}

/* From its centre to its farthest corner, m. */
static double reach_of(const vt_panel_set *set, int32_t n)
{
    double square = 0;
    for (int k = 0; k < 3; k++)
        square = fmax(square, vti_square_between(set->center[n], set->corner[n][k]));
    return vti_sqrt(square);
}

static int meet(const vt_panel_set *set, const double *reach, int32_t a, int32_t b, double near)
{
    const double limit = reach[a] + reach[b] + near;
    return vti_square_between(set->center[a], set->center[b]) < limit * limit &&
           (has_corner_at(set->corner[a], set->corner[b], near) ||
            has_corner_at(set->corner[b], set->corner[a], near));
}

static int32_t first_of(const int32_t *surface, int32_t n)
{
    while (surface[n] != n)
        n = surface[n];
    return n;
}

/* Gives each panel the number of the first one of its surface. */
static void find_surfaces(const vt_panel_set *set, const double *reach, int32_t *surface)
{
    const double near = fmin(share_of_thickness * set->thickness, share_of_side * set->side);
    for (int32_t n = 0; n < set->count; n++) {
        surface[n] = n;
        for (int32_t m = 0; m < n; m++) {
            const int32_t a = first_of(surface, n), b = first_of(surface, m);
            if (a != b && meet(set, reach, m, n, near))
                surface[a < b ? b : a] = a < b ? a : b;
        }
    }
    for (int32_t n = 0; n < set->count; n++)
        surface[n] = first_of(surface, n);
}

/* Whether the surface of which panel `first` is the first encloses, with its images, what its
 * normals point to. */
static int is_cavity(const vt_panel_set *set, const int32_t *surface, int32_t first)
{
    double sum[3] = {0, 0, 0}, from[3], area = 0, volume = 0;
    memcpy(from, set->center[first], sizeof from);
    for (int32_t k = 0; k < set->mirrors.count; k++) { /* to where the walls are open */
        const vt_mirror *const m = &set->mirrors.item[k];
        vti_add_scaled(from, m->offset - vti_dot(from, m->normal), m->normal);
    }
    for (int32_t n = first; n < set->count; n++)
        if (surface[n] == first) {
            double arm[3];
            vti_subtract(set->center[n], from, arm);
            vti_add_scaled(sum, set->area[n], set->normal[n]);
            volume += set->area[n] * vti_dot(arm, set->normal[n]) / 3;
            area += set->area[n];
        }
    for (int32_t k = 0; k < set->mirrors.count; k++)
        vti_add_scaled(sum, -vti_dot(sum, set->mirrors.item[k].normal),
                       set->mirrors.item[k].normal);
    return volume < 0 && vti_dot(sum, sum) < most_open * most_open * area * area;
}

int vti_find_cavities(const vt_panel_set *set, int32_t *cavity)
{
    const size_t count = (size_t)set->count;
    double *const reach = vti_allocate(sizeof *reach * count);
    int32_t *const surface = vti_allocate(sizeof *surface * count);
    const int failed = !reach || !surface;
    int32_t found = 0;
    for (int32_t n = 0; n < set->count && !failed; n++)
        reach[n] = reach_of(set, n);
    if (!failed && !set->hole)
        find_surfaces(set, reach, surface);
    for (int32_t n = 0; n < set->count && !failed; n++)
        if (set->hole)
            cavity[n] = 0;
        else if (surface[n] != n)
            cavity[n] = cavity[surface[n]];
        else
            cavity[n] = is_cavity(set, surface, n) ? found++ : -1;
    vti_free(reach);
    vti_free(surface);
    return failed ? -1 : 0;
}
