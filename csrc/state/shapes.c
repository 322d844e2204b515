#include "state/shapes.h"

#include "core/mathd.h"
#include "core/random.h"
#include "core/status.h"
#include "core/vec3.h"
#include "state/solids.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A mesh that fills less than `ample` of its bounding box gets cells; one that fills less than
 * `least_share` of these is refused. */
static const double ample = 0.1, least_share = 1.0 / 500.0;

vt_shape vt_default_shape(void)
{
    return (vt_shape){.kind = VT_SHAPE_SPHERE, .axis = {0, 0, 1}, .radius = 1, .size = {1, 1, 1}};
}

/* ---- checks ---- */

static vt_status check_length(const char *name, double value)
{
    if (!(value >= VT_LEAST_LENGTH && value <= VT_MOST_LENGTH))
        return vt_fail(VT_INVALID_ARGUMENT, "shape: %s must be %g .. %g m, got %g", name,
                       VT_LEAST_LENGTH, VT_MOST_LENGTH, value);
    return VT_OK;
}

static vt_status check_center(const vt_shape *shape)
{
    for (int c = 0; c < 3; c++)
        if (!(vt_abs(shape->center[c]) <= VT_MOST_LENGTH))
            return vt_fail(VT_INVALID_ARGUMENT,
                           "shape: center[%d] must be finite and within %g m, got %g", c,
                           VT_MOST_LENGTH, shape->center[c]);
    return VT_OK;
}

static vt_status check_axis(const vt_shape *shape, const char *what)
{
    const double *const axis = shape->axis;
    for (int c = 0; c < 3; c++)
        if (!vt_is_finite(axis[c]))
            return vt_fail(VT_INVALID_ARGUMENT, "shape: axis[%d] must be finite, got %g", c,
                           axis[c]);
    if (axis[0] == 0.0 && axis[1] == 0.0 && axis[2] == 0.0)
        return vt_fail(VT_INVALID_ARGUMENT, "shape: axis of a %s must not be 0 0 0", what);
    return VT_OK;
}

static vt_status check_disk(const vt_shape *shape)
{
    vt_status status = check_length("radius of a disk", shape->radius);
    if (status == VT_OK)
        status = check_axis(shape, "disk");
    return status ? status : check_length("size[2], the thickness of a disk,", shape->size[2]);
}

static vt_status check_capsule(const vt_shape *shape)
{
    vt_status status = check_length("radius of a capsule", shape->radius);
    if (status == VT_OK)
        status = check_axis(shape, "capsule");
    return status ? status : check_length("size[2], the length of a capsule,", shape->size[2]);
}

static vt_status check_box(const vt_shape *shape)
{
    static const char *const names[] = {"size[0] of a box", "size[1] of a box", "size[2] of a box"};
    vt_status status = VT_OK;
    for (int c = 0; c < 3 && status == VT_OK; c++)
        status = check_length(names[c], shape->size[c]);
    return status;
}

static vt_status check_layer(const vt_shape *shape)
{
    if (shape->layer == 0.0)
        return shape->offset == 0.0
                   ? VT_OK
                   : vt_fail(VT_INVALID_ARGUMENT,
                             "shape: offset must be 0 m where there is no layer, got %g",
                             shape->offset);
    if (!(vt_abs(shape->offset) <= VT_MOST_LENGTH))
        return vt_fail(VT_INVALID_ARGUMENT, "shape: offset must be finite and within %g m, got %g",
                       VT_MOST_LENGTH, shape->offset);
    return check_length("layer", shape->layer);
}

/* A polytope passes: its points are checked where its hull is made. */
vt_status vt_check_shape(const vt_shape *shape)
{
    if (!shape)
        return vt_fail(VT_INVALID_ARGUMENT, "shape must not be NULL");
    const vt_status layer = check_layer(shape);
    if (layer != VT_OK)
        return layer;
    if (shape->kind == VT_SHAPE_MESH || shape->kind == VT_SHAPE_POLYTOPE)
        return shape->kind == VT_SHAPE_MESH ? vt_check_mesh(shape) : VT_OK;
    const vt_status status = check_center(shape);
    if (status != VT_OK)
        return status;
    switch (shape->kind) {
    case VT_SHAPE_SPHERE:
        return check_length("radius of a sphere", shape->radius);
    case VT_SHAPE_BOX:
        return check_box(shape);
    case VT_SHAPE_DISK:
        return check_disk(shape);
    case VT_SHAPE_CAPSULE:
        return check_capsule(shape);
    case VT_SHAPE_PLANE:
        return check_axis(shape, "plane");
    default:
        return vt_fail(VT_INVALID_ARGUMENT, "shape: kind must be one of VT_SHAPE_..., got %d",
                       shape->kind);
    }
}

/* What has an inside to be born in. */
static vt_status check_shape(const vt_shape *shape)
{
    if (shape && (shape->kind < VT_SHAPE_SPHERE || shape->kind > VT_SHAPE_MESH))
        return vt_fail(VT_INVALID_ARGUMENT,
                       "shape: kind must be 0 (sphere), 1 (box), 2 (disk) or 3 (mesh), got %d",
                       shape->kind);
    return vt_check_shape(shape);
}

static double volume_of(const vt_shape *shape)
{
    const double r = shape->radius, *size = shape->size;
    if (shape->layer > 0.0)
        return shape->layer * vt_surface_area(shape);
    switch (shape->kind) {
    case VT_SHAPE_SPHERE:
        return 4.0 / 3.0 * VT_PI * r * r * r;
    case VT_SHAPE_BOX:
        return size[0] * size[1] * size[2];
    case VT_SHAPE_DISK:
        return VT_PI * r * r * size[2];
    default:
        return vt_mesh_volume(shape);
    }
}

vt_status vt_shape_volume(const vt_shape *shape, double *volume)
{
    const int is_solid = shape && shape->kind > VT_SHAPE_MESH && shape->kind <= VT_SHAPE_POLYTOPE;
    vt_solid solid;
    const vt_status status = is_solid ? vt_create_solid(shape, &solid) : check_shape(shape);
    if (status != VT_OK)
        return status;
    if (volume)
        *volume = is_solid ? solid.volume : volume_of(shape);
    if (is_solid)
        vt_destroy_solid(&solid);
    return volume ? VT_OK : vt_fail(VT_INVALID_ARGUMENT, "volume must not be NULL");
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
    vt_normalise(half[2]);
    vt_normal_to(half[2], x_axis, half[0]);
    vt_cross(half[2], half[0], half[1]);
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
        double reach = vt_abs(half[0][c]) + vt_abs(half[1][c]) + vt_abs(half[2][c]);
        if (shape->kind == VT_SHAPE_DISK) /* the rim of a circle, not the corners of its box */
            reach = vt_sqrt(half[0][c] * half[0][c] + half[1][c] * half[1][c]) + vt_abs(half[2][c]);
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

static void *copy_of(const void *data, size_t bytes)
{
    void *const copy = malloc(bytes);
    if (copy)
        memcpy(copy, data, bytes);
    return copy;
}

/* The mesh of `from` becomes that of region; 0, or -1 without memory. */
static int copy_mesh(const vt_shape *from, vt_region *region)
{
    vt_shape *const mesh = &region->shape;
    mesh->vertices = copy_of(from->vertices, (size_t)from->vertex_count * 3 * sizeof(float));
    mesh->faces = copy_of(from->faces, (size_t)from->face_count * 3 * sizeof(int32_t));
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
        vt_sequence_point(0, n, uvw);
        inside = vt_region_point(region, uvw, point);
    }
    if (inside)
        return VT_OK;
    return vt_fail(VT_INVALID_ARGUMENT,
                   "shape: the mesh is too thin to be filled: its volume, %g m^3, must be at least "
                   "1/500 of the cells around it, %g m^3, and wide enough for float coordinates; a "
                   "layer on its surface can be as thin as one likes",
                   region->volume, region->box_volume);
}

static vt_status create_mesh_region(vt_region *region, const vt_shape *shape)
{
    if (copy_mesh(shape, region))
        return vt_fail(VT_OUT_OF_MEMORY, "no memory for a mesh of %lld faces",
                       (long long)shape->face_count);
    set_mesh_bounds(region);
    return vt_create_mesh_columns(&region->shape, &region->columns);
}

/* What decides where births are tried. */
static vt_status prepare_births(vt_region *region)
{
    region->box_volume = 1.0;
    for (int e = 0; e < 3; e++)
        region->box_volume *= vt_sqrt(vt_dot(region->edge[e], region->edge[e]));
    if (region->shape.layer > 0.0) {
        region->box_volume = region->volume;
        return vt_create_surface(region);
    }
    if (region->shape.kind != VT_SHAPE_MESH)
        return VT_OK;
    const vt_status status =
        region->volume < ample * region->box_volume ? vt_create_mesh_cells(region) : VT_OK;
    return status == VT_OK ? check_thickness(region) : status;
}

vt_status vt_create_region(const vt_shape *shape, vt_region *region)
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
        const double reach = 0.5 * shape->layer + vt_abs(shape->offset);
        region->lower[c] -= reach;
        region->upper[c] += reach;
    }
    if (status != VT_OK)
        vt_destroy_region(region);
    return status;
}

/* ---- growth ---- */

static const vt_parameter growth_parameters[] = {
    {"radius", offsetof(vt_shape, radius), {1, 0, VT_MOST_LENGTH, 0, "m"}},
    {"size", offsetof(vt_shape, size), {3, 0, VT_MOST_LENGTH, 0, "m"}},
    {0}};

static vt_status check_growth(const vt_shape *shape, const char *name, int is_radius)
{
    const int right = is_radius ? shape->kind == VT_SHAPE_SPHERE || shape->kind == VT_SHAPE_DISK
                                : shape->kind == VT_SHAPE_BOX || shape->kind == VT_SHAPE_DISK;
    if (right && shape->layer == 0.0)
        return VT_OK;
    return vt_fail(
        VT_INVALID_ARGUMENT,
        "%s: what may change is the radius of a sphere or a disk and the size of a box or "
        "a disk, not of a layer on the surface; kind is %d",
        name, shape->kind);
}

vt_status vt_create_growing_region(const vt_shape *shape, const char *name, int32_t count,
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
            vt_track_extremes(track, c, &least, &value[c]);
        own[found++] = (vt_animation){parameter + length + 1, *track};
    }
    vt_status status = vt_create_region(&largest, region);
    if (!status && isnan(at)) {
        status = vt_copy_animations(growth_parameters, found, own, &region->growth);
        if (status)
            vt_destroy_region(region);
    }
    return status;
}

vt_status vt_check_shape_is_there(const vt_shape *shape, int32_t count,
                                  const vt_animation *animations)
{
    const int grows = vt_find_track(count, animations, "shape.radius") ||
                      vt_find_track(count, animations, "shape.size");
    if (!grows || shape)
        return VT_OK;
    return vt_fail(VT_INVALID_ARGUMENT, "shape is NULL; allowed with animations of it is a shape");
}

vt_region vt_region_at(const vt_region *region, double time)
{
    vt_region now = *region;
    if (region->growth.count == 0)
        return now;
    now.growth = (vt_animations){0};
    vt_animate(&region->growth, time, &now.shape);
    set_bounds(&now);
    now.volume = volume_of(&now.shape);
    return now;
}

void vt_destroy_region(vt_region *region)
{
    free((void *)(uintptr_t)region->shape.vertices);
    free((void *)(uintptr_t)region->shape.faces);
    vt_destroy_mesh_columns(&region->columns);
    free(region->area_before);
    free(region->cell);
    vt_destroy_animations(&region->growth);
    *region = (vt_region){0};
}

int vt_copy_region(const vt_region *from, vt_region *to)
{
    *to = *from;
    to->shape.vertices = NULL;
    to->shape.faces = NULL;
    to->columns = (vt_mesh_columns){0};
    to->area_before = NULL;
    to->cell = NULL;
    int failed = vt_copy_animations(growth_parameters, from->growth.count, from->growth.items,
                                    &to->growth) != VT_OK;
    if (from->area_before) {
        to->area_before = copy_of(from->area_before, sizeof(double) * (size_t)(from->parts + 1));
        failed |= !to->area_before;
    }
    if (from->cell) {
        to->cell = copy_of(from->cell, sizeof *from->cell * (size_t)from->cell_count);
        failed |= !to->cell;
    }
    if (from->shape.kind == VT_SHAPE_MESH)
        failed |= copy_mesh(&from->shape, to);
    if (from->columns.first && !failed)
        failed |= vt_copy_mesh_columns(&from->columns, &to->columns);
    if (failed)
        vt_destroy_region(to);
    return failed ? -1 : 0;
}

int vt_region_point(const vt_region *region, const double uvw[3], float point[3])
{
    const double x = 2.0 * uvw[0] - 1.0, y = 2.0 * uvw[1] - 1.0, z = 2.0 * uvw[2] - 1.0;
    if (region->area_before) {
        vt_surface_point(region, uvw, point);
        return 1;
    }
    if (region->cell) {
        vt_mesh_cell_point(region, uvw, point);
        return vt_region_contains(region, point);
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
        return vt_region_contains(region, point);
    }
}

int vt_region_contains(const vt_region *region, const float point[3])
{
    const vt_shape *const shape = &region->shape;
    double offset[3], part[3];
    if (shape->kind == VT_SHAPE_MESH)
        return vt_mesh_contains(shape, &region->columns, point);
    for (int c = 0; c < 3; c++)
        offset[c] = (double)point[c] - shape->center[c];
    if (shape->kind == VT_SHAPE_SPHERE)
        return vt_dot(offset, offset) <= shape->radius * shape->radius;
    /* Position along the edges of the box, from its middle: 1/2 on its faces. */
    for (int e = 0; e < 3; e++)
        part[e] = vt_dot(offset, region->edge[e]) / vt_dot(region->edge[e], region->edge[e]);
    if (shape->kind == VT_SHAPE_DISK)
        return part[0] * part[0] + part[1] * part[1] <= 0.25 && vt_abs(part[2]) <= 0.5;
    return vt_abs(part[0]) <= 0.5 && vt_abs(part[1]) <= 0.5 && vt_abs(part[2]) <= 0.5;
}
