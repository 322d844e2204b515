#include "geometry/surface_points.h"

#include "base/memory.h"
#include "base/status.h"
#include "base/vec3.h"

/* ---- areas ---- */

static void corners_of(const vt_shape *mesh, int64_t face, double corner[3][3])
{
    for (int i = 0; i < 3; i++)
        for (int c = 0; c < 3; c++)
            corner[i][c] = (double)mesh->vertices[3 * (int64_t)mesh->faces[3 * face + i] + c];
}

/* Unit normal of a triangle; returns its area. */
static double triangle_normal(double corner[3][3], double normal[3])
{
    vti_cross_of_sides(corner[0], corner[1], corner[2], normal);
    return 0.5 * vti_normalise(normal);
}

static int64_t part_count(const vt_shape *shape)
{
    switch (shape->kind) {
    case VT_SHAPE_SPHERE:
        return 1;
    case VT_SHAPE_BOX:
        return 6;
    case VT_SHAPE_DISK:
        return 3;
    default:
        return shape->face_count;
    }
}

static double part_area(const vt_shape *shape, int64_t part)
{
    const double r = shape->radius, *size = shape->size;
    double corner[3][3], normal[3];
    switch (shape->kind) {
    case VT_SHAPE_SPHERE:
        return 4.0 * VT_PI * r * r;
    case VT_SHAPE_BOX: /* two faces normal to x, then y, then z */
        return size[(part / 2 + 1) % 3] * size[(part / 2 + 2) % 3];
    case VT_SHAPE_DISK: /* lower end, upper end, rim */
        return part < 2 ? VT_PI * r * r : 2.0 * VT_PI * r * size[2];
    default:
        corners_of(shape, part, corner);
        return triangle_normal(corner, normal);
    }
}

double vti_surface_area(const vt_shape *shape)
{
    double area = 0.0;
    for (int64_t part = 0; part < part_count(shape); part++)
        area += part_area(shape, part);
    return area;
}

vt_status vti_create_surface(vt_region *region)
{
    const int64_t parts = part_count(&region->shape);
    region->area_before = vti_allocate(sizeof(double) * (size_t)(parts + 1));
    if (!region->area_before)
        return vti_fail(VT_OUT_OF_MEMORY, "no memory for a surface of %lld parts",
                        (long long)parts);
    region->area_before[0] = 0.0;
    for (int64_t part = 0; part < parts; part++)
        region->area_before[part + 1] = region->area_before[part] + part_area(&region->shape, part);
    region->parts = parts;
    return VT_OK;
}

/* ---- points ---- */

/* The part on which an area from the first one on ends, and which share of that part it leaves. */
static int64_t choose_part(const vt_region *region, double u, double *rest)
{
    const double *const before = region->area_before, area = u * before[region->parts];
    int64_t low = 0, high = region->parts;
    while (high - low > 1) {
        const int64_t middle = (low + high) / 2;
        if (before[middle] <= area)
            low = middle;
        else
            high = middle;
    }
    const double own = before[low + 1] - before[low];
    *rest = own > 0.0 ? (area - before[low]) / own : 0.0;
    return low;
}

static void circle_at(const vt_region *region, double radius, double turn, double place[3])
{
    vti_add_scaled(place, 0.5 * radius * vti_cos_pi(2.0 * turn), region->edge[0]);
    vti_add_scaled(place, 0.5 * radius * vti_sin_pi(2.0 * turn), region->edge[1]);
}

static void sphere_place(const vt_region *region, double u, double v, double place[3],
                         double normal[3])
{
    const double z = 1.0 - 2.0 * u, across = vti_sqrt(1.0 - z * z);
    normal[0] = across * vti_cos_pi(2.0 * v);
    normal[1] = across * vti_sin_pi(2.0 * v);
    normal[2] = z;
    memcpy(place, region->shape.center, sizeof(double[3]));
    vti_add_scaled(place, region->shape.radius, normal);
}

static void box_place(const vt_region *region, int64_t part, double u, double v, double place[3],
                      double normal[3])
{
    const int64_t axis = part / 2, upper = part % 2;
    memset(normal, 0, sizeof(double[3]));
    normal[axis] = upper ? 1.0 : -1.0;
    memcpy(place, region->corner, sizeof(double[3]));
    vti_add_scaled(place, upper ? 1.0 : 0.0, region->edge[axis]);
    vti_add_scaled(place, u, region->edge[(axis + 1) % 3]);
    vti_add_scaled(place, v, region->edge[(axis + 2) % 3]);
}

static void disk_place(const vt_region *region, int64_t part, double u, double v, double place[3],
                       double normal[3])
{
    memcpy(place, region->shape.center, sizeof(double[3]));
    memset(normal, 0, sizeof(double[3]));
    if (part == 2) {
        circle_at(region, 1.0, u, place);
        circle_at(region, 1.0, u, normal);
        vti_add_scaled(place, v - 0.5, region->edge[2]);
    } else {
        circle_at(region, vti_sqrt(u), v, place);
        vti_add_scaled(place, part ? 0.5 : -0.5, region->edge[2]);
        vti_add_scaled(normal, part ? 1.0 : -1.0, region->edge[2]);
    }
    vti_normalise(normal);
}

static void mesh_place(const vt_region *region, int64_t face, double u, double v, double place[3],
                       double normal[3])
{
    double corner[3][3];
    corners_of(&region->shape, face, corner);
    triangle_normal(corner, normal);
    const double root = vti_sqrt(u);
    for (int c = 0; c < 3; c++)
        place[c] = corner[0][c] + root * ((1.0 - v) * (corner[1][c] - corner[0][c]) +
                                          v * (corner[2][c] - corner[0][c]));
}

void vti_surface_point(const vt_region *region, const double uvw[3], float point[3])
{
    const vt_shape *const shape = &region->shape;
    double place[3], normal[3], u;
    const int64_t part = choose_part(region, uvw[0], &u);
    if (shape->kind == VT_SHAPE_SPHERE)
        sphere_place(region, u, uvw[1], place, normal);
    else if (shape->kind == VT_SHAPE_BOX)
        box_place(region, part, u, uvw[1], place, normal);
    else if (shape->kind == VT_SHAPE_DISK)
        disk_place(region, part, u, uvw[1], place, normal);
    else
        mesh_place(region, part, u, uvw[1], place, normal);
    vti_add_scaled(place, shape->offset + (uvw[2] - 0.5) * shape->layer, normal);
    vti_narrow(place, point);
}
