#include "geometry/panel_mesh.h"

#include <math.h>

#include "base/memory.h"
#include "base/vec3.h"

void vti_add_triangle(vt_triangles *t, const double a[3], const double b[3], const double c[3])
{
    if (t->count == t->room && !t->failed) {
        const int32_t room = t->room ? 2 * t->room : 64;
        vt_triangle *const more = vti_resize(t->item, sizeof *more * (size_t)room);
        t->failed = !more;
        if (more) {
            t->item = more;
            t->room = room;
        }
    }
    if (t->failed)
        return;
    memcpy(t->item[t->count][0], a, 3 * sizeof *a);
    memcpy(t->item[t->count][1], b, 3 * sizeof *b);
    memcpy(t->item[t->count][2], c, 3 * sizeof *c);
    t->count++;
}

static int whole(double x, int least)
{
    const int n = (int)(x + 0.5);
    return n < least ? least : n;
}

/* Even steps would leave what happens at edges between the panels: 3 parts of 4 are those of a
 * cosine, finest at both ends. */
static double graded(int k, int n)
{
    const double x = (double)k / n;
    return 0.375 * (1 - vti_cos_pi(x)) + 0.25 * x;
}

/* The same, finest at the far end alone. */
static double graded_outward(int k, int n)
{
    const double x = (double)k / n;
    return 0.75 * vti_sin_pi(0.5 * x) + 0.25 * x;
}

/* ---- triangles and quadrilaterals ---- */

/* Corner (i, j) of a triangle cut n times along each side. */
static void lattice_point(const double a[3], const double b[3], const double c[3], int i, int j,
                          int n, double point[3])
{
    for (int k = 0; k < 3; k++)
        point[k] = a[k] + (b[k] - a[k]) * i / n + (c[k] - a[k]) * j / n;
}

/* n x n triangles; `place` moves their corners to where they belong (NULL: they stay). */
static void add_lattice(vt_triangles *t, const double a[3], const double b[3], const double c[3],
                        int n, void (*place)(const void *, double *), const void *context)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n - i; j++) {
            double p[4][3];
            lattice_point(a, b, c, i, j, n, p[0]);
            lattice_point(a, b, c, i + 1, j, n, p[1]);
            lattice_point(a, b, c, i, j + 1, n, p[2]);
            lattice_point(a, b, c, i + 1, j + 1, n, p[3]);
            for (int k = 0; k < 4 && place; k++)
                place(context, p[k]);
            vti_add_triangle(t, p[0], p[1], p[2]);
            if (i + j < n - 1)
                vti_add_triangle(t, p[1], p[3], p[2]);
        }
}

/* An even number: with diagonals as below a face looks the same from behind, and thin sides have
 * the centroids of opposite panels opposite each other. */
static int even(double x)
{
    return 2 * whole(0.5 * x, 1);
}

/* A plane quadrilateral, cut n[0] times along its first side and n[1] times along the second, with
 * diagonals from its corners towards its middle. */
static void add_quadrilateral(vt_triangles *t, double corner[4][3], const int n[2])
{
    for (int i = 0; i < n[0]; i++)
        for (int j = 0; j < n[1]; j++) {
            double p[2][2][3];
            for (int a = 0; a < 2; a++)
                for (int b = 0; b < 2; b++) {
                    double low[3], high[3];
                    const double u = graded(i + a, n[0]);
                    vti_point_between(corner[0], corner[1], u, low);
                    vti_point_between(corner[3], corner[2], u, high);
                    vti_point_between(low, high, graded(j + b, n[1]), p[a][b]);
                }
            if ((2 * i < n[0]) == (2 * j < n[1])) {
                vti_add_triangle(t, p[0][0], p[1][0], p[1][1]);
                vti_add_triangle(t, p[0][0], p[1][1], p[0][1]);
            } else {
                vti_add_triangle(t, p[1][0], p[1][1], p[0][1]);
                vti_add_triangle(t, p[1][0], p[0][1], p[0][0]);
            }
        }
}

/* ---- how long solids are ---- */

typedef struct elongation {
    double axis[3];         /* unit vector */
    double length, breadth; /* along it, and the widest across it, m */
} elongation;

/* Turns a unit vector towards the longest axis of the corners of a polytope about a centre. */
static void turn_to_longest(const vt_polytope *p, double axis[3])
{
    double sum[3] = {0, 0, 0};
    for (int32_t v = 0; v < p->vertex_count; v++) {
        double arm[3];
        vti_subtract(p->vertex[v], p->center, arm);
        vti_add_scaled(sum, vti_dot(arm, axis), arm);
    }
    if (vti_normalise(sum) > 0)
        memcpy(axis, sum, sizeof sum);
}

static elongation elongation_of_polytope(const vt_polytope *p)
{
    enum { TURNS = 4 }; /* of a slender one each leaves less than a hundredth of the error */
    elongation e = {.axis = {1, 0, 0}};
    double farthest = 0, low = INFINITY, high = -INFINITY, square = 0, arm[3];
    for (int32_t v = 0; v < p->vertex_count; v++) {
        vti_subtract(p->vertex[v], p->center, arm);
        if (vti_dot(arm, arm) > farthest) {
            farthest = vti_dot(arm, arm);
            memcpy(e.axis, arm, sizeof arm);
        }
    }
    vti_normalise(e.axis);
    for (int n = 0; n < TURNS; n++)
        turn_to_longest(p, e.axis);
    for (int32_t v = 0; v < p->vertex_count; v++) {
        vti_subtract(p->vertex[v], p->center, arm);
        const double along = vti_dot(arm, e.axis);
        vti_add_scaled(arm, -along, e.axis);
        low = fmin(low, along);
        high = fmax(high, along);
        square = fmax(square, vti_dot(arm, arm));
    }
    e.length = high - low;
    e.breadth = 2 * vti_sqrt(square);
    return e;
}

static elongation elongation_of(const vt_solid *solid)
{
    if (solid->kind == VT_SHAPE_POLYTOPE)
        return elongation_of_polytope(&solid->polytope);
    elongation e = {.length = 2 * solid->half, .breadth = 2 * solid->radius};
    memcpy(e.axis, solid->axis, sizeof e.axis);
    return e;
}

/* Panels as wide as long, but two across a thin side and eight around a round one, would be without
 * bound: their number grows with the root of the length. */
static int is_slender(const elongation *e)
{
    return e->length > VT_SLENDER * e->breadth;
}

/* ---- balls ---- */

typedef struct ball {
    const vt_solid *solid;
    double radius;  /* of a sphere */
    double axis[3]; /* of a hull: rays lean towards it, as if it had been pulled along it */
    double pull;    /* how many times */
} ball;

static void place_on_sphere(const void *context, double *point)
{
    const ball *const b = context;
    vti_normalise(point);
    for (int c = 0; c < 3; c++)
        point[c] = b->solid->center[c] + b->radius * point[c];
}

/* Where the ray from the centre leaves a polytope. */
static void place_on_hull(const void *context, double *point)
{
    const ball *const b = context;
    const vt_polytope *const p = &b->solid->polytope;
    double least = 0;
    vti_normalise(point);
    if (b->pull > 1)
        vti_add_scaled(point, (b->pull - 1) * vti_dot(b->axis, point), b->axis);
    for (int32_t f = 0; f < p->face_count; f++) {
        const double along = vti_dot(p->plane[f], point);
        const double room = p->plane[f][3] - vti_dot(p->plane[f], p->center);
        if (along > 0 && (least == 0 || room < least * along))
            least = room / along;
    }
    for (int c = 0; c < 3; c++)
        point[c] = p->center[c] + least * point[c];
}

/* A regular icosahedron, each of its faces cut n times along each side. */
static void add_icosphere(vt_triangles *t, int n, void (*place)(const void *, double *),
                          const void *context)
{
    static const int8_t face[20][3] = {{0, 11, 5}, {0, 5, 1},  {0, 1, 7},   {0, 7, 10}, {0, 10, 11},
                                       {1, 5, 9},  {5, 11, 4}, {11, 10, 2}, {10, 7, 6}, {7, 1, 8},
                                       {3, 9, 4},  {3, 4, 2},  {3, 2, 6},   {3, 6, 8},  {3, 8, 9},
                                       {4, 9, 5},  {2, 4, 11}, {6, 2, 10},  {8, 6, 7},  {9, 8, 1}};
    const double g = 0.5 + 0.5 * vti_sqrt(5);
    const double vertex[12][3] = {{-1, g, 0}, {1, g, 0}, {-1, -g, 0}, {1, -g, 0},
                                  {0, -1, g}, {0, 1, g}, {0, -1, -g}, {0, 1, -g},
                                  {g, 0, -1}, {g, 0, 1}, {-g, 0, -1}, {-g, 0, 1}};
    for (int f = 0; f < 20; f++)
        add_lattice(t, vertex[face[f][0]], vertex[face[f][1]], vertex[face[f][2]], n, place,
                    context);
}

static double volume_of(const vt_triangles *t, int32_t first, const double center[3])
{
    double sum = 0;
    for (int32_t n = first; n < t->count; n++) {
        double p[3][3], cross[3];
        for (int k = 0; k < 3; k++)
            vti_subtract(t->item[n][k], center, p[k]);
        vti_cross(p[1], p[2], cross);
        sum += vti_dot(p[0], cross) / 6;
    }
    return sum;
}

/* Scales what lies across the axis (NULL: everything) about the centre until the volume is right.
 */
static void match_volume(vt_triangles *t, int32_t first, const vt_solid *solid, const double *axis)
{
    const double ratio = solid->volume / volume_of(t, first, solid->center);
    const double factor = axis ? vti_sqrt(ratio) : vti_cbrt(ratio);
    for (int32_t n = first; n < t->count; n++)
        for (int k = 0; k < 3; k++) {
            double way[3], across[3];
            for (int c = 0; c < 3; c++)
                way[c] = across[c] = t->item[n][k][c] - solid->center[c];
            if (axis)
                vti_add_scaled(across, -vti_dot(way, axis), axis);
            vti_add_scaled(t->item[n][k], factor - 1, across);
        }
}

static int icosphere_cuts(int32_t aimed)
{
    return whole(vti_sqrt(aimed / 20.0), 1);
}

static void add_sphere(const vt_solid *solid, int32_t aimed, vt_triangles *t)
{
    const ball b = {.solid = solid, .radius = solid->radius};
    const int32_t first = t->count;
    add_icosphere(t, icosphere_cuts(aimed), place_on_sphere, &b);
    if (!t->failed)
        match_volume(t, first, solid, NULL);
}

/* ---- surfaces of revolution ---- */

enum { MOST_RINGS = 256 };

/* From the low end of the axis to the high one. */
typedef struct profile {
    int count;
    double across[MOST_RINGS], along[MOST_RINGS];
} profile;

static void add_ring(profile *p, double across, double along)
{
    if (p->count == MOST_RINGS)
        return;
    p->across[p->count] = across;
    p->along[p->count++] = along;
}

static void add_revolution(vt_triangles *t, const vt_solid *solid, const profile *p, int around)
{
    static const double hint[3] = {1, 0, 0};
    double side[2][3];
    vti_normal_to(solid->axis, hint, side[0]);
    vti_cross(solid->axis, side[0], side[1]);
    for (int r = 0; r + 1 < p->count; r++)
        for (int n = 0; n < around; n++) {
            double q[2][2][3]; /* [ring][place around] */
            for (int a = 0; a < 2; a++)
                for (int b = 0; b < 2; b++) {
                    const double turn = 2.0 * (n + b) / around;
                    memcpy(q[a][b], solid->center, sizeof q[a][b]);
                    vti_add_scaled(q[a][b], p->along[r + a], solid->axis);
                    vti_add_scaled(q[a][b], p->across[r + a] * vti_cos_pi(turn), side[0]);
                    vti_add_scaled(q[a][b], p->across[r + a] * vti_sin_pi(turn), side[1]);
                }
            if (p->across[r] > 0)
                vti_add_triangle(t, q[0][0], q[0][1], q[1][1]);
            if (p->across[r + 1] > 0)
                vti_add_triangle(t, q[0][0], q[1][1], q[1][0]);
        }
}

static void add_cylinder(const vt_solid *solid, double side, vt_triangles *t)
{
    profile p = {.count = 0};
    const int caps = whole(solid->radius / side, 2), wall = whole(2 * solid->half / side, 2);
    for (int k = 0; k < caps; k++)
        add_ring(&p, solid->radius * graded_outward(k, caps), -solid->half);
    for (int k = 0; k <= wall; k++)
        add_ring(&p, solid->radius, solid->half * (2 * graded(k, wall) - 1));
    for (int k = caps - 1; k >= 0; k--)
        add_ring(&p, solid->radius * graded_outward(k, caps), solid->half);
    add_revolution(t, solid, &p, whole(2 * VT_PI * solid->radius / side, 8));
}

static void add_capsule(const vt_solid *solid, double side, vt_triangles *t)
{
    profile p = {.count = 0};
    const double r = solid->radius, h = solid->half;
    const int cap = whole(0.5 * VT_PI * r / side, 2), wall = whole(2 * h / side, 1);
    for (int k = 0; k < cap; k++)
        add_ring(&p, r * vti_sin_pi(0.5 * k / cap), -h - r * vti_cos_pi(0.5 * k / cap));
    for (int k = 0; k <= wall; k++)
        add_ring(&p, r, h * (2.0 * k / wall - 1));
    for (int k = cap - 1; k >= 0; k--)
        add_ring(&p, r * vti_sin_pi(0.5 * k / cap), h + r * vti_cos_pi(0.5 * k / cap));
    add_revolution(t, solid, &p, whole(2 * VT_PI * r / side, 8));
}

/* ---- polytopes ---- */

static double length_between(const double a[3], const double b[3])
{
    return vti_sqrt(vti_square_between(a, b));
}

/* A face of four corners as a net, others as triangles about their middle. */
static void add_face(const vt_polytope *p, int32_t face, double side, vt_triangles *t)
{
    const int32_t *const corner = p->corner + p->first[face];
    const int32_t count = p->first[face + 1] - p->first[face];
    double middle[3] = {0, 0, 0}, at[4][3];
    for (int32_t k = 0; k < count; k++)
        vti_add_scaled(middle, 1.0 / count, p->vertex[corner[k]]);
    for (int32_t k = 0; k < count && k < 4; k++)
        memcpy(at[k], p->vertex[corner[k]], sizeof at[k]);
    if (count == 4) {
        const double u = length_between(at[0], at[1]) + length_between(at[2], at[3]);
        const double v = length_between(at[1], at[2]) + length_between(at[3], at[0]);
        add_quadrilateral(t, at, (int[2]){even(0.5 * u / side), even(0.5 * v / side)});
        return;
    }
    if (count == 3) {
        const double mean = (length_between(at[0], at[1]) + length_between(at[1], at[2]) +
                             length_between(at[2], at[0])) /
                            3;
        add_lattice(t, at[0], at[1], at[2], whole(mean / side, 1), NULL, NULL);
        return;
    }
    for (int32_t k = 0; k < count; k++) {
        const double *const a = p->vertex[corner[k]], *const b = p->vertex[corner[(k + 1) % count]];
        const double mean =
            (length_between(a, b) + length_between(a, middle) + length_between(b, middle)) / 3;
        add_lattice(t, a, b, middle, whole(mean / side, 1), NULL, NULL);
    }
}

static double area_of_face(const vt_polytope *p, int32_t face)
{
    const int32_t *const corner = p->corner + p->first[face];
    double sum[3] = {0, 0, 0};
    for (int32_t k = 1; k + 1 < p->first[face + 1] - p->first[face]; k++) {
        double cross[3];
        vti_cross_of_sides(p->vertex[corner[0]], p->vertex[corner[k]], p->vertex[corner[k + 1]],
                           cross);
        vti_add_scaled(sum, 0.5, cross);
    }
    return vti_sqrt(vti_dot(sum, sum));
}

/* A hull of so many faces is round enough for rays from its centre, which make 20 panels or more.
 */
static int is_round(const vt_polytope *p, int32_t aimed)
{
    return vti_least_triangles(p) > 2 * (aimed < 20 ? 20 : aimed);
}

int vti_lie_on_faces(const vt_solid *solid, int32_t aimed)
{
    return solid->kind == VT_SHAPE_PLANE ||
           (solid->kind == VT_SHAPE_POLYTOPE && !is_round(&solid->polytope, aimed));
}

static void add_hull(const vt_solid *solid, const elongation *e, int32_t aimed, vt_triangles *t)
{
    ball b = {.solid = solid, .pull = is_slender(e) ? e->length / e->breadth : 1};
    const int32_t first = t->count;
    memcpy(b.axis, e->axis, sizeof b.axis);
    add_icosphere(t, icosphere_cuts(aimed), place_on_hull, &b);
    if (!t->failed)
        match_volume(t, first, solid, NULL);
}

/* ---- planes ---- */

void vti_find_across(const double normal[3], double across[2][3])
{
    static const double none[3] = {0, 0, 0};
    vti_normal_to(normal, none, across[0]);
    vti_cross(normal, across[0], across[1]);
}

void vti_add_square(const double center[3], const double normal[3], double half, int32_t aimed,
                    vt_triangles *t)
{
    double across[2][3];
    const int n = even(vti_sqrt(0.5 * aimed));
    vti_find_across(normal, across);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double p[4][3];
            for (int k = 0; k < 4; k++) { /* counter-clockwise */
                memcpy(p[k], center, sizeof p[k]);
                vti_add_scaled(p[k], half * (2.0 * (i + (k == 1 || k == 2)) / n - 1), across[0]);
                vti_add_scaled(p[k], half * (2.0 * (j + (k > 1)) / n - 1), across[1]);
            }
            vti_add_triangle(t, p[0], p[1], p[2]);
            vti_add_triangle(t, p[0], p[2], p[3]);
        }
}

/* ---- all of them ---- */

double vti_solid_area(const vt_solid *solid)
{
    const double r = solid->radius, h = solid->half;
    double sum = 0;
    switch (solid->kind) {
    case VT_SHAPE_SPHERE:
        return 4 * VT_PI * r * r;
    case VT_SHAPE_CAPSULE:
        return 4 * VT_PI * r * (r + h);
    case VT_SHAPE_DISK:
        return 2 * VT_PI * r * (r + 2 * h);
    case VT_SHAPE_POLYTOPE:
        for (int32_t f = 0; f < solid->polytope.face_count; f++)
            sum += area_of_face(&solid->polytope, f);
        return sum;
    default:
        return 0;
    }
}

static void add_sides(const vt_solid *solid, double side, vt_triangles *t)
{
    const int32_t first = t->count;
    if (solid->kind == VT_SHAPE_POLYTOPE)
        for (int32_t f = 0; f < solid->polytope.face_count; f++)
            add_face(&solid->polytope, f, side, t);
    else if (solid->kind == VT_SHAPE_DISK)
        add_cylinder(solid, side, t);
    else if (solid->kind == VT_SHAPE_CAPSULE)
        add_capsule(solid, side, t);
    if (!t->failed && (solid->kind == VT_SHAPE_DISK || solid->kind == VT_SHAPE_CAPSULE))
        match_volume(t, first, solid, solid->axis);
}

/* Panels of a slender solid are as long as their number makes them: the shortest of which there are
 * no more than are aimed at, where so few can be. Long ones come first, as of short ones there may
 * be more than memory holds. */
static void add_long_sides(const vt_solid *solid, double longest, double shortest, int32_t aimed,
                           vt_triangles *t)
{
    const int32_t first = t->count;
    double side = longest, fits = longest;
    add_sides(solid, side, t);
    while (t->count - first <= aimed && 0.9 * side > shortest && !t->failed) {
        fits = side;
        side *= 0.9;
        t->count = first;
        add_sides(solid, side, t);
    }
    if (t->count - first <= aimed || side == longest || t->failed)
        return;
    t->count = first;
    add_sides(solid, fits, t);
}

double vti_slenderness(const vt_solid *solid)
{
    const elongation e = elongation_of(solid);
    return e.breadth > 0 ? e.length / e.breadth : 1;
}

void vti_add_triangles_of_solid(const vt_solid *solid, int32_t aimed, vt_triangles *triangles)
{
    const double side = vti_sqrt(2 * vti_solid_area(solid) / aimed);
    if (solid->kind == VT_SHAPE_SPHERE) {
        add_sphere(solid, aimed, triangles);
        return;
    }
    if (solid->kind == VT_SHAPE_PLANE)
        return;
    const elongation e = elongation_of(solid);
    if (solid->kind == VT_SHAPE_POLYTOPE && !vti_lie_on_faces(solid, aimed))
        add_hull(solid, &e, aimed, triangles);
    else if (is_slender(&e))
        add_long_sides(solid, e.length, side, aimed, triangles);
    else
        add_sides(solid, side, triangles);
}
