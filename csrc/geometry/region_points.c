#include "geometry/region_points.h"

#include <math.h>

#include "animation/definition.h"
#include "base/growing_array.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/status.h"
#include "base/vec3.h"
#include "geometry/convex_solid.h"
#include "geometry/mesh_cells.h"
#include "geometry/mesh_inside.h"
#include "geometry/shape_check.h"
#include "geometry/surface_points.h"

/* A mesh that fills less than `ample` of its bounding box gets cells; one that fills less than
 * `least_share` of these is refused. */
static const double ample = 0.1, least_share = 1.0 / 500.0;

/* ---- checks ---- */

/* What has an inside to be born in. */
static vt_status check_shape(const vt_shape *shape)
{
    if (shape && (shape->kind < VT_SHAPE_SPHERE || shape->kind > VT_SHAPE_MESH))
        return vti_fail(VT_INVALID_ARGUMENT,
                        "shape: kind must be 0 (sphere), 1 (box), 2 (disk) or 3 (mesh), got %d",
                        shape->kind);
    return vti_check_shape(shape);
}

static double volume_of(const vt_shape *shape)
{
    const double r = shape->radius, *size = shape->size;
    if (shape->layer > 0.0)
        return shape->layer * vti_surface_area(shape);
    switch (shape->kind) {
    case VT_SHAPE_SPHERE:
        return 4.0 / 3.0 * VT_PI * r * r * r;
    case VT_SHAPE_BOX:
        return size[0] * size[1] * size[2];
    case VT_SHAPE_DISK:
        return VT_PI * r * r * size[2];
    default:
        return vti_mesh_volume(shape);
    }
}

static vt_status shape_volume_now(const vt_shape *shape, double *volume)
{
    const int is_solid = shape && shape->kind > VT_SHAPE_MESH && shape->kind <= VT_SHAPE_POLYTOPE;
    vt_solid solid;
    const vt_status status = is_solid ? vti_create_solid(shape, &solid) : check_shape(shape);
    if (status != VT_OK)
        return status;
    if (volume)
        *volume = is_solid ? solid.volume : volume_of(shape);
    if (is_solid)
        vti_destroy_solid(&solid);
    return volume ? VT_OK : vti_fail(VT_INVALID_ARGUMENT, "volume must not be NULL");
}

vt_status vt_shape_volume(const vt_shape *shape, double *volume)
{
    vt_accepted accepted;
    vt_status status = vti_accept(&vti_shape_definition, shape, &accepted);
    if (!status)
        status = shape_volume_now(accepted.def, volume);
    vti_give_back(&accepted);
    return status;
}

/* ---- bounds ---- */

/* Half the edges of the box of births, centred at the shape's center. */
static void half_edges(const vt_shape *shape, double half[3][3])
{
    const double x_axis[3] = {1, 0, 0};
    for (int c = 0; c < 3; c++)
        half[c][c] = shape->kind == VT_SHAPE_SPHERE ? shape->radius : 0.5 * shape->size[c];
    if (shape->kind != VT_SHAPE_DISK)
        return;
    memcpy(half[2], shape->axis, sizeof half[2]);
    vti_normalise(half[2]);
    vti_normal_to(half[2], x_axis, half[0]);
    vti_cross(half[2], half[0], half[1]);
    for (int c = 0; c < 3; c++) {
        half[0][c] *= shape->radius;
        half[1][c] *= shape->radius;
        half[2][c] *= 0.5 * shape->size[2];
    }
}

static void set_bounds(vt_region *region)
{
    const vt_shape *const shape = &region->shape;
    double half[3][3] = {{0}};
    half_edges(shape, half);
    for (int c = 0; c < 3; c++) {
        double reach = vti_abs(half[0][c]) + vti_abs(half[1][c]) + vti_abs(half[2][c]);
        if (shape->kind == VT_SHAPE_DISK) /* the rim of a circle, not the corners of its box */
            reach =
                vti_sqrt(half[0][c] * half[0][c] + half[1][c] * half[1][c]) + vti_abs(half[2][c]);
        region->lower[c] = shape->center[c] - reach;
        region->upper[c] = shape->center[c] + reach;
        region->corner[c] = shape->center[c] - half[0][c] - half[1][c] - half[2][c];
        for (int e = 0; e < 3; e++)
            region->edge[e][c] = 2.0 * half[e][c];
    }
}

static void set_mesh_bounds(vt_region *region)
{
    const vt_shape *const mesh = &region->shape;
    for (int c = 0; c < 3; c++) {
        double lower = (double)mesh->vertices[c], upper = lower;
        for (int64_t v = 1; v < mesh->vertex_count; v++) {
            const double x = (double)mesh->vertices[3 * v + c];
            lower = x < lower ? x : lower;
            upper = x > upper ? x : upper;
        }
        region->lower[c] = region->corner[c] = lower;
        region->upper[c] = upper;
        for (int e = 0; e < 3; e++)
            region->edge[e][c] = e == c ? upper - lower : 0.0;
    }
}

/* ---- regions ---- */

/* The mesh of `from` becomes that of region; 0, or -1 without memory. */
static int copy_mesh(const vt_shape *from, vt_region *region)
{
    vt_shape *const mesh = &region->shape;
    mesh->vertices = vti_copy_of(from->vertices, (size_t)from->vertex_count * 3 * sizeof(float));
    mesh->faces = vti_copy_of(from->faces, (size_t)from->face_count * 3 * sizeof(int32_t));
    return mesh->vertices && mesh->faces ? 0 : -1;
}

/* Births are tried until one is inside: a mesh too thin for that, or for float, is refused. */
static vt_status check_thickness(const vt_region *region)
{
    const double share = region->volume / region->box_volume;
    int inside = 0;
    for (uint64_t n = 0; share >= least_share && !inside && (double)n * share < 100.0; n++) {
        double uvw[3];
        float point[3];
        vti_sequence_point(0, n, uvw);
        inside = vti_region_point(region, uvw, point);
    }
    if (inside)
        return VT_OK;
    return vti_fail(
        VT_INVALID_ARGUMENT,
        "shape: the mesh is too thin to be filled: its volume, %g m^3, must be at least "
        "1/500 of the cells around it, %g m^3, and wide enough for float coordinates; a "
        "layer on its surface can be as thin as one likes",
        region->volume, region->box_volume);
}

static vt_status create_mesh_region(vt_region *region, const vt_shape *shape)
{
    if (copy_mesh(shape, region))
        return vti_fail(VT_OUT_OF_MEMORY, "no memory for a mesh of %lld faces",
                        (long long)shape->face_count);
    set_mesh_bounds(region);
    return vti_create_mesh_columns(&region->shape, &region->columns);
}

/* What decides where births are tried. */
static vt_status prepare_births(vt_region *region)
{
    region->box_volume = 1.0;
    for (int e = 0; e < 3; e++)
        region->box_volume *= vti_sqrt(vti_dot(region->edge[e], region->edge[e]));
    if (region->shape.layer > 0.0) {
        region->box_volume = region->volume;
        return vti_create_surface(region);
    }
    if (region->shape.kind != VT_SHAPE_MESH)
        return VT_OK;
    const vt_status status =
        region->volume < ample * region->box_volume ? vti_create_mesh_cells(region) : VT_OK;
    return status == VT_OK ? check_thickness(region) : status;
}

vt_status vti_create_region(const vt_shape *shape, vt_region *region)
{
    vt_status status = check_shape(shape);
    if (status != VT_OK)
        return status;
    *region = (vt_region){.shape = *shape, .volume = volume_of(shape)};
    region->shape.vertices = NULL;
    region->shape.faces = NULL;
    if (shape->kind == VT_SHAPE_MESH)
        status = create_mesh_region(region, shape);
    else
        set_bounds(region);
    if (status == VT_OK)
        status = prepare_births(region);
    for (int c = 0; c < 3; c++) {
        const double reach = 0.5 * shape->layer + vti_abs(shape->offset);
        region->lower[c] -= reach;
        region->upper[c] += reach;
    }
    if (status != VT_OK)
        vti_destroy_region(region);
    return status;
}

/* ---- growth ---- */

static vt_status check_growth(const vt_shape *shape, const char *name, int is_radius)
{
    const int right = is_radius ? shape->kind == VT_SHAPE_SPHERE || shape->kind == VT_SHAPE_DISK
                                : shape->kind == VT_SHAPE_BOX || shape->kind == VT_SHAPE_DISK;
    if (right && shape->layer == 0.0)
        return VT_OK;
    return vti_fail(
        VT_INVALID_ARGUMENT,
        "%s: what may change is the radius of a sphere or a disk and the size of a box or "
        "a disk, not of a layer on the surface; kind is %d",
        name, shape->kind);
}

vt_status vti_create_growing_region(const vt_shape *shape, const char *name, int32_t count,
                                    const vt_animation *animations, double at, vt_region *region)
{
    vt_animation own[2];
    int32_t found = 0;
    const size_t length = strlen(name);
    vt_shape largest = *shape;
    for (int32_t a = 0; a < count; a++) {
        const char *const parameter = animations[a].parameter;
        const vt_track *const track = &animations[a].track;
        if (strncmp(parameter, name, length) != 0 || parameter[length] != '.')
            continue;
        const int is_radius = strcmp(parameter + length + 1, "radius") == 0;
        double *const value = is_radius ? &largest.radius : largest.size, least;
        const vt_status status = check_growth(shape, parameter, is_radius);
        if (status)
            return status;
        if (!isnan(at))
            vt_evaluate_track(track, at, value);
        for (int c = 0; c < track->components && isnan(at); c++)
            vti_track_extremes(track, c, &least, &value[c]);
        own[found++] = (vt_animation){parameter + length + 1, *track};
    }
    vt_status status = vti_create_region(&largest, region);
    if (!status && isnan(at)) {
        status = vti_copy_animations(&vti_shape_definition, found, own, &region->growth);
        if (status)
            vti_destroy_region(region);
    }
    return status;
}

vt_status vti_check_shape_is_there(const vt_shape *shape, int32_t count,
                                   const vt_animation *animations)
{
    const int grows = vti_find_track(count, animations, "shape.radius") ||
                      vti_find_track(count, animations, "shape.size");
    if (!grows || shape)
        return VT_OK;
    return vti_fail(VT_INVALID_ARGUMENT, "shape is NULL; allowed with animations of it is a shape");
}

vt_region vti_region_at(const vt_region *region, double time)
{
    vt_region now = *region;
    if (region->growth.count == 0)
        return now;
    now.growth = (vt_animations){0};
    vti_animate(&region->growth, time, &now.shape);
    set_bounds(&now);
    now.volume = volume_of(&now.shape);
    return now;
}

void vti_destroy_region(vt_region *region)
{
    vti_free((void *)(uintptr_t)region->shape.vertices);
    vti_free((void *)(uintptr_t)region->shape.faces);
    vti_destroy_mesh_columns(&region->columns);
    vti_free(region->area_before);
    vti_free(region->cell);
    vti_destroy_animations(&region->growth);
    *region = (vt_region){0};
}

int vti_copy_region(const vt_region *from, vt_region *to)
{
    *to = *from;
    to->shape.vertices = NULL;
    to->shape.faces = NULL;
    to->columns = (vt_mesh_columns){0};
    int failed = vti_copy_animations(&vti_shape_definition, from->growth.count, from->growth.items,
                                     &to->growth) != VT_OK;
    to->area_before = vti_copy_of(from->area_before, sizeof(double) * (size_t)(from->parts + 1));
    to->cell = vti_copy_of(from->cell, sizeof *from->cell * (size_t)from->cell_count);
    failed |= !to->area_before != !from->area_before || !to->cell != !from->cell;
    if (from->shape.kind == VT_SHAPE_MESH)
        failed |= copy_mesh(&from->shape, to);
    if (from->columns.first && !failed)
        failed |= vti_copy_mesh_columns(&from->columns, &to->columns);
    if (failed)
        vti_destroy_region(to);
    return failed ? -1 : 0;
}

int vti_region_point(const vt_region *region, const double uvw[3], float point[3])
{
    const double x = 2.0 * uvw[0] - 1.0, y = 2.0 * uvw[1] - 1.0, z = 2.0 * uvw[2] - 1.0;
    if (region->area_before) {
        vti_surface_point(region, uvw, point);
        return 1;
    }
    if (region->cell) {
        vti_mesh_cell_point(region, uvw, point);
        return vti_region_contains(region, point);
    }
    for (int c = 0; c < 3; c++)
        point[c] = (float)(region->corner[c] + uvw[0] * region->edge[0][c] +
                           uvw[1] * region->edge[1][c] + uvw[2] * region->edge[2][c]);
    switch (region->shape.kind) {
    case VT_SHAPE_SPHERE:
        return x * x + y * y + z * z <= 1.0;
    case VT_SHAPE_BOX:
        return 1;
    case VT_SHAPE_DISK:
        return x * x + y * y <= 1.0;
    default:
        return vti_region_contains(region, point);
    }
}

int vti_region_contains(const vt_region *region, const float point[3])
{
    const vt_shape *const shape = &region->shape;
    double offset[3], part[3];
    if (shape->kind == VT_SHAPE_MESH)
        return vti_mesh_contains(shape, &region->columns, point);
    for (int c = 0; c < 3; c++)
        offset[c] = (double)point[c] - shape->center[c];
    if (shape->kind == VT_SHAPE_SPHERE)
        return vti_dot(offset, offset) <= shape->radius * shape->radius;
    /* Position along the edges of the box, from its middle: 1/2 on its faces. */
    for (int e = 0; e < 3; e++)
        part[e] = vti_dot(offset, region->edge[e]) / vti_dot(region->edge[e], region->edge[e]);
    if (shape->kind == VT_SHAPE_DISK)
        return part[0] * part[0] + part[1] * part[1] <= 0.25 && vti_abs(part[2]) <= 0.5;
    return vti_abs(part[0]) <= 0.5 && vti_abs(part[1]) <= 0.5 && vti_abs(part[2]) <= 0.5;
}
