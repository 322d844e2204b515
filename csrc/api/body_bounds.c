#include "api/body_bounds.h"

#include <math.h>

static void add_point(const vt_pose *pose, const double local[3], double lower[3], double upper[3])
{
    double point[3];
    vti_pose_point(pose, local, point);
    vti_add_to_box(point, lower, upper);
}

/* How far a solid that is no polytope reaches along an axis of the world to either side of its
 * centre, m; axis: its own, in the world, of length 1. */
static double half_width(const vt_solid *solid, double axis)
{
    const double along = vti_abs(axis) * solid->half, slant = 1.0 - axis * axis;
    if (solid->kind == VT_SHAPE_DISK)
        return along + solid->radius * sqrt(fmax(slant, 0));
    return solid->kind == VT_SHAPE_CAPSULE ? along + solid->radius : solid->radius;
}

static void find_solid_bounds(const vt_solid *solid, const vt_pose *pose, double lower[3],
                              double upper[3])
{
    double center[3], axis[3];
    vti_empty_box(lower, upper);
    if (solid->kind == VT_SHAPE_POLYTOPE) {
        for (int32_t n = 0; n < solid->polytope.vertex_count; n++)
            add_point(pose, solid->polytope.vertex[n], lower, upper);
        return;
    }
    vti_pose_point(pose, solid->center, center);
    vti_pose_direction(pose, solid->axis, axis);
    for (int c = 0; c < 3; c++) {
        const double half =
            solid->kind == VT_SHAPE_PLANE ? INFINITY : pose->scale * half_width(solid, axis[c]);
        lower[c] = center[c] - half;
        upper[c] = center[c] + half;
        if (solid->kind == VT_SHAPE_PLANE && !(vti_abs(axis[c]) < 1)) /* it lies along the others */
            *(axis[c] > 0 ? &upper[c] : &lower[c]) = center[c];
    }
}

void vti_body_bounds(const vt_body *body, const vt_pose *pose, double lower[3], double upper[3])
{
    find_solid_bounds(&body->solids[0], pose, lower, upper);
    for (int32_t n = 1; n < body->solid_count; n++) {
        double low[3], high[3];
        find_solid_bounds(&body->solids[n], pose, low, high);
        for (int c = 0; c < 3; c++) {
            lower[c] = body->hole ? fmax(lower[c], low[c]) : fmin(lower[c], low[c]);
            upper[c] = body->hole ? fmin(upper[c], high[c]) : fmax(upper[c], high[c]);
        }
    }
}
