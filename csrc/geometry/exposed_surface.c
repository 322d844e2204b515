#include "geometry/exposed_surface.h"

#include "base/memory.h"
#include "base/vec3.h"
#include "geometry/panel_mesh.h"

/* Triangles in all, and how often the sides of each are cut to see how much of it is exposed, at
 * first and where that is a part of it. */
enum { AIMED = 800, FEWEST = 12, FEW_CUTS = 3, CUTS = 12 };

/* From the wall to where the fluid before it is looked for, in radii of all solids together: what
 * is no farther apart touches. Boards thinner than that would hide nothing. */
static const double share_of_radius = 1e-4;

typedef struct surface {
    const vt_solid *solids;
    int hole;
    double step;     /* to the fluid, m */
    int32_t own;     /* number of the solid */
    int32_t *others; /* that it may touch */
    int32_t other_count;
} surface;

/* Moves a point near the surface of the own solid to it; normal: outwards. */
static void move_to_wall(const surface *s, double point[3], double normal[3])
{
    const double room = vti_solid_distance(&s->solids[s->own], point, normal);
    vti_add_scaled(point, -room, normal);
}

static void step_to_fluid(const surface *s, const double normal[3], double point[3])
{
    vti_add_scaled(point, s->hole ? -s->step : s->step, normal);
}

/* Whether a point of the wall is one of another solid's, too, which faces the same way. */
static int is_common(const surface *s, const vt_solid *other, const double wall[3],
                     const double normal[3])
{
    double outward[3];
    const double room = vti_solid_distance(other, wall, outward);
    return vti_abs(room) < s->step && vti_dot(outward, normal) > 0.5;
}

static int is_exposed(const surface *s, const double wall[3], const double normal[3])
{
    double fluid[3];
    memcpy(fluid, wall, sizeof fluid);
    step_to_fluid(s, normal, fluid);
    for (int32_t n = 0; n < s->other_count; n++) {
        const vt_solid *const other = &s->solids[s->others[n]];
        const double reach = other->circumscribed + 2 * s->step;
        if (!s->hole && vti_square_between(fluid, other->center) > reach * reach)
            continue;
        if ((vti_solid_distance(other, fluid, NULL) < 0) != s->hole)
            return 0;
        if (s->others[n] < s->own && is_common(s, other, wall, normal))
            return 0;
    }
    return 1;
}

static void point_of(vt_triangle corner, double u, double v, double point[3])
{
    for (int c = 0; c < 3; c++)
        point[c] =
            corner[0][c] + u * (corner[1][c] - corner[0][c]) + v * (corner[2][c] - corner[0][c]);
}

/* Share of a triangle that is exposed: of the cuts x cuts parts of it. */
static double share_of_parts(const surface *s, vt_triangle corner, int cuts)
{
    int exposed = 0;
    for (int n = 0; n < 2 * cuts * cuts; n++) {
        const int i = n / 2 / cuts, j = n / 2 % cuts, mirrored = n % 2;
        const double middle = (1 + mirrored) / 3.0;
        double point[3], normal[3];
        if (i + j + mirrored >= cuts)
            continue;
        point_of(corner, (i + middle) / cuts, (j + middle) / cuts, point);
        move_to_wall(s, point, normal);
        exposed += is_exposed(s, point, normal);
    }
    return exposed / (double)(cuts * cuts);
}

static double exposed_share(const surface *s, vt_triangle corner)
{
    const double share = share_of_parts(s, corner, FEW_CUTS);
    return share > 0 && share < 1 ? share_of_parts(s, corner, CUTS) : share;
}

static void find_others(surface *s, int32_t solid_count)
{
    const vt_solid *const own = &s->solids[s->own];
    s->other_count = 0;
    for (int32_t n = 0; n < solid_count; n++) {
        const vt_solid *const other = &s->solids[n];
        const double reach = own->circumscribed + other->circumscribed + 2 * s->step;
        if (n != s->own &&
            (s->hole || vti_square_between(own->center, other->center) <= reach * reach))
            s->others[s->other_count++] = n;
    }
}

/* Spots of the triangles of the own solid, whose area they share out. */
static int32_t add_spots(const surface *s, const vt_triangles *t, vt_spot *spots)
{
    int32_t found = 0;
    double flat = 0;
    for (int32_t n = 0; n < t->count; n++)
        flat += vti_triangle_area(t->item[n]);
    const double scale = vti_solid_area(&s->solids[s->own]) / flat;
    for (int32_t n = 0; n < t->count; n++) {
        const double share = exposed_share(s, t->item[n]);
        double normal[3];
        vt_spot *const spot = &spots[found];
        if (!(share > 0))
            continue;
        point_of(t->item[n], 1.0 / 3, 1.0 / 3, spot->point);
        move_to_wall(s, spot->point, normal);
        step_to_fluid(s, normal, spot->point);
        spot->area = scale * share * vti_triangle_area(t->item[n]);
        found++;
    }
    return found;
}

/* Radius of a sphere about the first solid that holds all. */
static double find_radius(int32_t solid_count, const vt_solid *solids)
{
    double radius = 0;
    for (int32_t n = 0; n < solid_count; n++)
        radius = fmax(radius, solids[n].circumscribed +
                                  vti_sqrt(vti_square_between(solids[n].center, solids->center)));
    return radius;
}

int vti_create_spots(int32_t solid_count, const vt_solid *solids, int hole, vt_spot **spots,
                     int32_t *count)
{
    surface s = {.solids = solids,
                 .hole = hole,
                 .step = share_of_radius * find_radius(solid_count, solids),
                 .others = vti_allocate(sizeof *s.others * (size_t)solid_count)};
    const int32_t aimed = AIMED / solid_count > FEWEST ? AIMED / solid_count : FEWEST;
    vt_triangles t = {.failed = !s.others};
    *spots = NULL;
    *count = 0;
    for (s.own = 0; s.own < solid_count && !t.failed; s.own++) {
        t.count = 0;
        vti_add_triangles_of_solid(&solids[s.own], aimed, &t);
        if (t.failed || t.count == 0)
            continue;
        const size_t bytes = sizeof **spots * (size_t)(*count + t.count);
        vt_spot *const grown = vti_resize(*spots, bytes);
        t.failed = !grown;
        if (t.failed)
            continue;
        *spots = grown;
        find_others(&s, solid_count);
        *count += add_spots(&s, &t, *spots + *count);
    }
    vti_free(t.item);
    vti_free(s.others);
    if (!t.failed)
        return 0;
    vti_free(*spots);
    *spots = NULL;
    *count = 0;
    return -1;
}
