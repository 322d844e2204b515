#include "geometry/convex_solid.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "base/vec3.h"
#include "geometry/convex_hull.h"
#include "geometry/mesh_inside.h"
#include "geometry/shape_check.h"

/* What the volume of a convex mesh may differ from that of its hull. */
static const double convex = 1e-3;

/* ---- making ---- */

static vt_status create_box(const vt_shape *shape, vt_polytope *polytope)
{
    double corners[8][3];
    for (int n = 0; n < 8; n++)
        for (int c = 0; c < 3; c++)
            corners[n][c] = shape->center[c] + (n >> c & 1 ? 0.5 : -0.5) * shape->size[c];
    return vti_create_hull(8, &corners[0][0], polytope);
}

static vt_status create_hull_of_vertices(const vt_shape *shape, vt_polytope *polytope)
{
    const int64_t count = shape->vertices && shape->vertex_count > 0 ? shape->vertex_count : 0;
    double *const points = vti_allocate(sizeof(double) * 3 * (size_t)count + 1);
    if (!points)
        return vti_fail(VT_OUT_OF_MEMORY, "no memory for %lld points", (long long)count);
    for (int64_t i = 0; i < 3 * count; i++)
        points[i] = (double)shape->vertices[i];
    const vt_status status = vti_create_hull(count, points, polytope);
    vti_free(points);
    return status;
}

static vt_status create_mesh(const vt_shape *shape, vt_polytope *polytope)
{
    const vt_status status = create_hull_of_vertices(shape, polytope);
    if (status)
        return status;
    const double volume = vti_mesh_volume(shape), hull = polytope->volume;
    if (volume >= (1 - convex) * hull)
        return VT_OK;
    vti_destroy_polytope(polytope);
    return vti_fail(VT_INVALID_ARGUMENT,
                    "shape: the mesh is not convex: its volume is %g m^3, that of its hull %g m^3; "
                    "allowed are convex pieces",
                    volume, hull);
}

static void measure_polytope(vt_solid *solid)
{
    const vt_polytope *const p = &solid->polytope;
    memcpy(solid->center, p->center, sizeof p->center);
    solid->volume = p->volume;
    solid->inscribed = -vti_polytope_distance(p, p->center, INFINITY, NULL);
    for (int32_t v = 0; v < p->vertex_count; v++) {
        double way[3];
        vti_subtract(p->vertex[v], p->center, way);
        solid->circumscribed = fmax(solid->circumscribed, vti_sqrt(vti_dot(way, way)));
    }
}

static void measure_round(vt_solid *solid)
{
    const double r = solid->radius, h = solid->half, ball = 4.0 / 3.0 * VT_PI * r * r * r;
    solid->inscribed = solid->circumscribed = r;
    switch (solid->kind) {
    case VT_SHAPE_SPHERE:
        solid->volume = ball;
        break;
    case VT_SHAPE_CAPSULE:
        solid->volume = ball + 2 * VT_PI * r * r * h;
        solid->circumscribed = r + h;
        break;
    case VT_SHAPE_DISK:
        solid->volume = 2 * VT_PI * r * r * h;
        solid->inscribed = fmin(r, h);
        solid->circumscribed = vti_sqrt(r * r + h * h);
        break;
    default:
        solid->volume = solid->circumscribed = INFINITY;
        solid->inscribed = 0;
    }
}

vt_status vti_create_solid(const vt_shape *shape, vt_solid *solid)
{
    vt_status status = vti_check_shape(shape);
    if (!status && shape->layer > 0)
        status = vti_fail(VT_INVALID_ARGUMENT, "shape: layer is %g m; a body allows 0 alone",
                          shape->layer);
    if (status)
        return status;
    *solid = (vt_solid){.kind = shape->kind, .radius = shape->radius, .half = 0.5 * shape->size[2]};
    memcpy(solid->center, shape->center, sizeof solid->center);
    memcpy(solid->axis, shape->axis, sizeof solid->axis);
    vti_normalise(solid->axis);
    if (shape->kind == VT_SHAPE_BOX)
        status = create_box(shape, &solid->polytope);
    else if (shape->kind == VT_SHAPE_MESH)
        status = create_mesh(shape, &solid->polytope);
    else if (shape->kind == VT_SHAPE_POLYTOPE)
        status = create_hull_of_vertices(shape, &solid->polytope);
    if (status)
        return status;
    if (solid->polytope.memory) {
        solid->kind = VT_SHAPE_POLYTOPE;
        measure_polytope(solid);
    } else {
        measure_round(solid);
    }
    return VT_OK;
}

void vti_destroy_solid(vt_solid *solid)
{
    vti_destroy_polytope(&solid->polytope);
}

void vti_replace_hull(vt_solid *solid, const vt_polytope *hull)
{
    vti_destroy_polytope(&solid->polytope);
    *solid = (vt_solid){.kind = VT_SHAPE_POLYTOPE, .polytope = *hull};
    measure_polytope(solid);
}

int vti_copy_solid(const vt_solid *from, vt_solid *to)
{
    *to = *from;
    return vti_copy_polytope(&from->polytope, &to->polytope);
}

int vti_same_solid(const vt_solid *a, const vt_solid *b)
{
    const vt_polytope *const p = &a->polytope, *const q = &b->polytope;
    if (a->kind != b->kind || memcmp(a->center, b->center, sizeof a->center) != 0)
        return 0;
    if (a->kind != VT_SHAPE_POLYTOPE)
        return memcmp(a->axis, b->axis, sizeof a->axis) == 0 && a->radius == b->radius &&
               a->half == b->half;
    return p->vertex_count == q->vertex_count && p->corner_count == q->corner_count &&
           p->face_count == q->face_count &&
           memcmp(p->vertex, q->vertex, sizeof *p->vertex * (size_t)p->vertex_count) == 0 &&
           memcmp(p->corner, q->corner, sizeof *p->corner * (size_t)p->corner_count) == 0;
}

/* ---- round solids ---- */

/* A point relative to the centre: along the axis, and across it. */
typedef struct placed_point {
    double way[3], along, across, outward[3]; /* outward: unit vector across the axis */
} placed_point;

static placed_point place(const vt_solid *solid, const double point[3])
{
    static const double x_axis[3] = {1, 0, 0};
    placed_point p;
    for (int c = 0; c < 3; c++)
        p.way[c] = p.outward[c] = point[c] - solid->center[c];
    p.along = vti_dot(p.way, solid->axis);
    vti_add_scaled(p.outward, -p.along, solid->axis);
    p.across = vti_normalise(p.outward);
    if (!(p.across > 0))
        vti_normal_to(solid->axis, x_axis, p.outward);
    return p;
}

/* The nearest point of the line that a sphere or a capsule is round; way to the point from it. */
static double from_line(const vt_solid *solid, const double point[3], double way[3])
{
    double along = 0;
    vti_subtract(point, solid->center, way);
    if (solid->kind == VT_SHAPE_CAPSULE)
        along = fmax(fmin(vti_dot(way, solid->axis), solid->half), -solid->half);
    vti_add_scaled(way, -along, solid->axis);
    const double length = vti_normalise(way);
    if (!(length > 0))
        memcpy(way, place(solid, point).outward, sizeof(double) * 3);
    return length;
}

/* Of a sphere, where neither the square of the distance nor its root leaves the range of numbers.
 */
static double from_center(const vt_solid *solid, const double point[3], double *normal)
{
    double way[3];
    vti_subtract(point, solid->center, way);
    const double square = vti_dot(way, way), length = vti_sqrt(square);
    if (!normal)
        return length;
    if (!(square > 1e-200 && square < 1e200))
        return from_line(solid, point, normal);
    for (int c = 0; c < 3; c++)
        normal[c] = way[c] / length;
    return length;
}

static void along_axis(const vt_solid *solid, double sign, double normal[3])
{
    for (int c = 0; c < 3; c++)
        normal[c] = sign < 0 ? -solid->axis[c] : solid->axis[c];
}

static double distance_from_disk(const vt_solid *solid, const double point[3], double normal[3])
{
    const placed_point p = place(solid, point);
    const double end = vti_abs(p.along) - solid->half, side = p.across - solid->radius;
    if (end > side)
        along_axis(solid, p.along, normal);
    else
        memcpy(normal, p.outward, sizeof p.outward);
    return end > side ? end : side;
}

double vti_solid_breadth(const vt_solid *solid)
{
    return solid->volume / (4 * solid->inscribed * solid->circumscribed);
}

double vti_solid_distance(const vt_solid *solid, const double point[3], double normal[3])
{
    return vti_solid_room(solid, point, INFINITY, normal);
}

double vti_solid_room(const vt_solid *solid, const double point[3], double enough, double normal[3])
{
    double unused[3];
    double *const n = normal ? normal : unused;
    int32_t face;
    double distance;
    switch (solid->kind) {
    case VT_SHAPE_SPHERE:
        return from_center(solid, point, normal) - solid->radius;
    case VT_SHAPE_POLYTOPE:
        distance = vti_polytope_distance(&solid->polytope, point, enough, &face);
        memcpy(n, solid->polytope.plane[face], sizeof unused);
        return distance;
    case VT_SHAPE_PLANE:
        memcpy(n, solid->axis, sizeof unused);
        return vti_dot(solid->axis, point) - vti_dot(solid->axis, solid->center);
    case VT_SHAPE_DISK:
        return distance_from_disk(solid, point, n);
    default:
        return from_line(solid, point, n) - solid->radius;
    }
}

/* Beyond its rim a disk is nearest there. */
static double nearest_of_disk(const vt_solid *solid, const double point[3], double normal[3])
{
    const placed_point p = place(solid, point);
    const double end = vti_abs(p.along) - solid->half, side = p.across - solid->radius;
    if (!(end > 0 && side > 0))
        return distance_from_disk(solid, point, normal);
    along_axis(solid, p.along, normal);
    for (int c = 0; c < 3; c++)
        normal[c] *= end;
    vti_add_scaled(normal, side, p.outward);
    return vti_normalise(normal);
}

double vti_solid_nearest(const vt_solid *solid, const double point[3], double nearest[3],
                         double normal[3])
{
    if (solid->kind == VT_SHAPE_POLYTOPE)
        return vti_polytope_nearest(&solid->polytope, point, nearest, normal);
    const double distance = solid->kind == VT_SHAPE_DISK ? nearest_of_disk(solid, point, normal)
                                                         : vti_solid_distance(solid, point, normal);
    memcpy(nearest, point, 3 * sizeof *nearest);
    vti_add_scaled(nearest, -distance, normal);
    return distance;
}

/* ---- segments: the part between two shares of the way ---- */

typedef struct part {
    double enter, leave;
} part;

static const part nothing = {1, 0};

/* Where a + 2 b t + c t^2 < 0. */
static part below_zero(double a, double b, double c)
{
    const double root = b * b - a * c;
    if (!(c > 0)) /* no way at all along what counts */
        return a < 0 ? (part){-INFINITY, INFINITY} : nothing;
    if (!(root > 0))
        return nothing;
    /* without loss of digits where the segment ends near the surface */
    const double sum = b > 0 ? -(b + vti_sqrt(root)) : -b + vti_sqrt(root);
    const double first = sum / c, second = sum != 0 ? a / sum : 0;
    return first < second ? (part){first, second} : (part){second, first};
}

static part in_ball(const double center[3], double radius, const double from[3],
                    const double way[3])
{
    double start[3];
    vti_subtract(from, center, start);
    return below_zero(vti_dot(start, start) - radius * radius, vti_dot(start, way),
                      vti_dot(way, way));
}

static part in_tube(const vt_solid *solid, const double from[3], const double way[3])
{
    double start[3], across[3];
    for (int c = 0; c < 3; c++) {
        start[c] = from[c] - solid->center[c];
        across[c] = way[c];
    }
    vti_add_scaled(start, -vti_dot(start, solid->axis), solid->axis);
    vti_add_scaled(across, -vti_dot(way, solid->axis), solid->axis);
    return below_zero(vti_dot(start, start) - solid->radius * solid->radius, vti_dot(start, across),
                      vti_dot(across, across));
}

/* Between the two ends. */
static part in_slab(const vt_solid *solid, const double from[3], const double way[3])
{
    const double start = vti_dot(from, solid->axis) - vti_dot(solid->center, solid->axis);
    const double step = vti_dot(way, solid->axis);
    if (step == 0)
        return vti_abs(start) < solid->half ? (part){-INFINITY, INFINITY} : nothing;
    const double a = (-solid->half - start) / step, b = (solid->half - start) / step;
    return a < b ? (part){a, b} : (part){b, a};
}

static part common(part a, part b)
{
    return (part){fmax(a.enter, b.enter), fmin(a.leave, b.leave)};
}

/* Of two parts that touch, as those of one convex solid do. */
static part joined(part a, part b)
{
    if (!(a.enter < a.leave))
        return b;
    if (!(b.enter < b.leave))
        return a;
    return (part){fmin(a.enter, b.enter), fmax(a.leave, b.leave)};
}

static part in_capsule(const vt_solid *solid, const double from[3], const double way[3])
{
    part p = common(in_tube(solid, from, way), in_slab(solid, from, way));
    for (int end = -1; end <= 1; end += 2) {
        double center[3];
        memcpy(center, solid->center, sizeof center);
        vti_add_scaled(center, end * solid->half, solid->axis);
        p = joined(p, in_ball(center, solid->radius, from, way));
    }
    return p;
}

static part behind_plane(const vt_solid *solid, const double from[3], const double way[3])
{
    const double start = vti_solid_distance(solid, from, NULL), step = vti_dot(solid->axis, way);
    return step < 0 ? (part){-start / step, INFINITY} : nothing;
}

/* The part of the line behind all planes of a polytope, each moved outward by a margin. */
static part behind_faces(const vt_polytope *p, double margin, const double from[3],
                         const double way[3])
{
    part all = {-INFINITY, INFINITY};
    for (int32_t f = 0; f < p->face_count; f++) {
        const double start = vti_dot(p->plane[f], from) - p->plane[f][3] - margin;
        const double step = vti_dot(p->plane[f], way);
        if (step == 0 && start > 0)
            return nothing;
        if (step < 0)
            all.enter = fmax(all.enter, -start / step);
        else if (step > 0)
            all.leave = fmin(all.leave, -start / step);
    }
    return all;
}

int vti_solid_cut(const vt_solid *solid, double margin, const double from[3], const double to[3],
                  double *enter, double *leave)
{
    vt_solid grown = *solid;
    double way[3];
    part p;
    vti_subtract(to, from, way);
    grown.radius += margin;
    if (grown.radius <= 0 && solid->radius > 0)
        return 0;
    if (solid->kind == VT_SHAPE_POLYTOPE) {
        p = behind_faces(&solid->polytope, margin, from, way);
    } else if (solid->kind == VT_SHAPE_SPHERE) {
        p = in_ball(solid->center, grown.radius, from, way);
    } else if (solid->kind == VT_SHAPE_CAPSULE) {
        p = in_capsule(&grown, from, way);
    } else if (solid->kind == VT_SHAPE_DISK) {
        grown.half += margin;
        p = common(in_tube(&grown, from, way), in_slab(&grown, from, way));
    } else {
        const double start = vti_solid_distance(solid, from, NULL) - margin;
        const double step = vti_dot(solid->axis, way);
        p = step < 0    ? (part){-start / step, INFINITY}
            : step > 0  ? (part){-INFINITY, -start / step}
            : start < 0 ? (part){-INFINITY, INFINITY}
                        : nothing;
    }
    *enter = p.enter;
    *leave = p.leave;
    return p.enter < p.leave;
}

int vti_solid_enter(const vt_solid *solid, const double from[3], const double to[3], double *share,
                    double normal[3])
{
    double way[3], point[3];
    part p = {0, 1};
    int32_t face;
    if (solid->kind == VT_SHAPE_POLYTOPE) {
        if (!vti_polytope_clip(&solid->polytope, from, to, &p.enter, &p.leave, &face) || face < 0)
            return 0;
        memcpy(normal, solid->polytope.plane[face], 3 * sizeof *normal);
        *share = p.enter;
        return 1;
    }
    vti_subtract(to, from, way);
    if (solid->kind == VT_SHAPE_SPHERE)
        p = in_ball(solid->center, solid->radius, from, way);
    else if (solid->kind == VT_SHAPE_CAPSULE)
        p = in_capsule(solid, from, way);
    else if (solid->kind == VT_SHAPE_DISK)
        p = common(in_tube(solid, from, way), in_slab(solid, from, way));
    else
        p = behind_plane(solid, from, way);
    if (!(p.enter < p.leave && p.enter >= 0 && p.enter <= 1))
        return 0;
    memcpy(point, from, sizeof point);
    vti_add_scaled(point, p.enter, way);
    vti_solid_distance(solid, point, normal);
    *share = p.enter;
    return 1;
}
