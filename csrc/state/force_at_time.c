#include "state/force_at_time.h"

#include <math.h>

#include "base/vec3.h"
#include "state/placed_region.h"
#include "state/simulation.h"

vt_acting_force vti_force_at(const vt_simulation *s, const vt_force *force, double time)
{
    vt_acting_force acting = {.force = force,
                              .pose = vti_pose_at(&s->transforms, force->def.parent, time)};
    const vt_pose *const pose = &acting.pose;
    vt_current_force *const now = &acting.now;
    vt_force_def def = force->def;
    vti_animate(&force->animations, time, &def);
    if (force->has_region)
        acting.region = vti_region_at(&force->region, time);
    now->kind = def.kind;
    now->strength = def.strength;
    vti_normalise(def.axis); /* half way between opposite keys it has no direction: no vortex */
    vti_pose_point(pose, def.center, now->center);
    vti_pose_direction(pose, def.axis, now->axis);
    vti_pose_direction(pose, def.velocity, now->target);
    now->radius = def.radius * pose->scale;
    vti_subtract(now->target, s->winds.velocity, now->target);
    return acting;
}

int vti_does_act(const vt_acting_force *acting)
{
    const int leads =
        acting->now.kind == VT_FORCE_VORTEX && acting->force->def.acts_on == VT_FORCE_ON_FLUID;
    return leads || acting->now.strength != 0;
}

int vti_acts_at(const vt_acting_force *acting, const double world[3])
{
    return !acting->force->has_region || vti_placed_contains(&acting->region, &acting->pose, world);
}

int vti_acts_near(const vt_acting_force *acting, const double world[3], double reach)
{
    const vt_region *const region = &acting->region;
    const vt_shape *const shape = &region->shape;
    if (!acting->force->has_region)
        return 1;
    const double local = reach / acting->pose.scale;
    double place[3], d[3], axis[3] = {shape->axis[0], shape->axis[1], shape->axis[2]};
    vti_pose_point_back(&acting->pose, world, place);
    for (int a = 0; a < 3; a++)
        if (place[a] < region->lower[a] - local || place[a] > region->upper[a] + local)
            return 0;
    vti_subtract(place, shape->center, d);
    if (shape->kind == VT_SHAPE_SPHERE)
        return vti_sqrt(vti_dot(d, d)) <= shape->radius + local;
    if (shape->kind != VT_SHAPE_DISK)
        return 1;
    vti_normalise(axis);
    const double along = vti_dot(d, axis);
    vti_add_scaled(d, -along, axis);
    return vti_abs(along) <= 0.5 * shape->size[2] + local &&
           vti_sqrt(vti_dot(d, d)) <= shape->radius + local;
}

/* ---- falling off ---- */

/* From 0 at the surface to 1 in a depth of `width`. */
static double rise(double depth, double width)
{
    const double t = depth > 0 ? fmin(depth / width, 1) : 0;
    return t * t * (3 - 2 * t);
}

/* From the surface of a sphere, a box or a disk to the point that lies deepest in it. */
static double depth_of(const vt_shape *shape)
{
    const double *const size = shape->size;
    if (shape->kind == VT_SHAPE_SPHERE)
        return shape->radius;
    if (shape->kind == VT_SHAPE_BOX)
        return 0.5 * fmin(size[0], fmin(size[1], size[2]));
    return fmin(shape->radius, 0.5 * size[2]);
}

/* In the space of the shape, whose walls each have a part in it. */
static double share_in_shape(const vt_shape *shape, double falloff, const double point[3])
{
    const double width = falloff * depth_of(shape);
    double d[3], axis[3] = {shape->axis[0], shape->axis[1], shape->axis[2]}, share = 1;
    vti_subtract(point, shape->center, d);
    if (!(width > 0))
        return 0;
    if (shape->kind == VT_SHAPE_SPHERE)
        return rise(shape->radius - vti_sqrt(vti_dot(d, d)), width);
    if (shape->kind == VT_SHAPE_BOX) {
        for (int a = 0; a < 3; a++)
            share *= rise(0.5 * shape->size[a] - vti_abs(d[a]), width);
        return share;
    }
    vti_normalise(axis);
    const double along = vti_dot(d, axis);
    vti_add_scaled(d, -along, axis);
    return rise(0.5 * shape->size[2] - vti_abs(along), width) *
           rise(shape->radius - vti_sqrt(vti_dot(d, d)), width);
}

double vti_share_at(const vt_acting_force *acting, const double world[3])
{
    const vt_force *const force = acting->force;
    double place[3];
    if (!force->has_region)
        return 1;
    if (!(force->def.falloff > 0) || acting->region.shape.kind == VT_SHAPE_MESH)
        return vti_acts_at(acting, world);
    vti_pose_point_back(&acting->pose, world, place);
    return share_in_shape(&acting->region.shape, force->def.falloff, place);
}

/* ---- bounds ---- */

int vti_acting_box(const vt_acting_force *acting, double low[3], double high[3])
{
    const vt_region *const region = &acting->region;
    if (!acting->force->has_region)
        return 0;
    vti_empty_box(low, high);
    for (int corner = 0; corner < 8; corner++) {
        double point[3], world[3];
        for (int a = 0; a < 3; a++)
            point[a] = corner >> a & 1 ? region->upper[a] : region->lower[a];
        vti_pose_point(&acting->pose, point, world);
        vti_add_to_box(world, low, high);
    }
    return 1;
}

/* Cores over half the width of a shape, over the radius of a vortex, of eddies or of points, and
 * over the spacing of a grid. A jet out of a ball keeps its impulse within 1e-6 a frame with .15;
 * with .225 it loses .2 % of it. */
static const double cores_in_shape = 0.15, cores_in_radius = 0.25, cores_in_spacing = 1;

double vti_core_for_force(const vt_acting_force *acting)
{
    const vt_region *const region = &acting->region;
    const int kind = acting->now.kind;
    double core = INFINITY;
    for (int a = 0; a < 3 && acting->force->has_region; a++)
        core = fmin(core, 0.5 * cores_in_shape * acting->pose.scale *
                              (region->upper[a] - region->lower[a]));
    if (kind == VT_FORCE_VORTEX || kind == VT_FORCE_TURBULENCE || kind == VT_FORCE_POINTS)
        core = fmin(core, cores_in_radius * acting->now.radius);
    for (int a = 0; a < 3 && kind == VT_FORCE_GRID; a++)
        core = fmin(core, cores_in_spacing * acting->pose.scale * acting->force->def.spacing[a]);
    return isfinite(core) ? core : 0;
}

/* What leads fluid to a speed within a time pushes it no further than that speed does: as much as
 * what reaches it within a cell. */
static double reaching(double speed, double time, double spacing)
{
    return fmin(speed / time, speed * speed / spacing);
}

double vti_largest_acceleration(const vt_acting_force *acting, double spacing)
{
    const vt_current_force *const now = &acting->now;
    const double strength = fabs(now->strength), time = acting->force->def.time;
    if (now->kind == VT_FORCE_VORTEX) /* .638 of strength / (2 pi R), at 1.12 R */
        return reaching(0.1016 * strength / now->radius, time, spacing);
    if (now->kind == VT_FORCE_DRAG)
        return reaching(strength * vti_sqrt(vti_dot(now->target, now->target)), time, spacing);
    if (acting->force->grid.values)
        return strength * acting->force->largest;
    return strength * (now->kind == VT_FORCE_TURBULENCE ? 2.5 : 1);
}
