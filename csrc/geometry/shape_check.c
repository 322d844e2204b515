#include "geometry/shape_check.h"

#include "base/math_double.h"
#include "base/status.h"
#include "base/vec3.h"
#include "geometry/mesh_inside.h"

static vt_status check_length(const char *name, double value)
{
    if (!(value >= VT_LEAST_LENGTH && value <= VT_MOST_LENGTH))
        return vti_fail(VT_INVALID_ARGUMENT, "shape: %s must be %g .. %g m, got %g", name,
                        VT_LEAST_LENGTH, VT_MOST_LENGTH, value);
    return VT_OK;
}

static vt_status check_center(const vt_shape *shape)
{
    for (int c = 0; c < 3; c++)
        if (!(vti_abs(shape->center[c]) <= VT_MOST_LENGTH))
            return vti_fail(VT_INVALID_ARGUMENT,
                            "shape: center[%d] must be finite and within %g m, got %g", c,
                            VT_MOST_LENGTH, shape->center[c]);
    return VT_OK;
}

static vt_status check_axis(const vt_shape *shape, const char *what)
{
    const double *const axis = shape->axis;
    for (int c = 0; c < 3; c++)
        if (!vti_is_finite(axis[c]))
            return vti_fail(VT_INVALID_ARGUMENT, "shape: axis[%d] must be finite, got %g", c,
                            axis[c]);
    if (axis[0] == 0.0 && axis[1] == 0.0 && axis[2] == 0.0)
        return vti_fail(VT_INVALID_ARGUMENT, "shape: axis of a %s must not be 0 0 0", what);
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
                   : vti_fail(VT_INVALID_ARGUMENT,
                              "shape: offset must be 0 m where there is no layer, got %g",
                              shape->offset);
    if (!(vti_abs(shape->offset) <= VT_MOST_LENGTH))
        return vti_fail(VT_INVALID_ARGUMENT, "shape: offset must be finite and within %g m, got %g",
                        VT_MOST_LENGTH, shape->offset);
    return check_length("layer", shape->layer);
}

/* A polytope passes: its points are checked where its hull is made. */
vt_status vti_check_shape(const vt_shape *shape)
{
    if (!shape)
        return vti_fail(VT_INVALID_ARGUMENT, "shape must not be NULL");
    const vt_status layer = check_layer(shape);
    if (layer != VT_OK)
        return layer;
    if (shape->kind == VT_SHAPE_MESH || shape->kind == VT_SHAPE_POLYTOPE)
        return shape->kind == VT_SHAPE_MESH ? vti_check_mesh(shape) : VT_OK;
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
        return vti_fail(VT_INVALID_ARGUMENT, "shape: kind must be one of VT_SHAPE_..., got %d",
                        shape->kind);
    }
}
