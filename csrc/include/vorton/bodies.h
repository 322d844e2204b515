/* Bodies and containers. */
#ifndef VORTON_BODIES_H
#define VORTON_BODIES_H

#include "vorton/shapes.h"

VT_BEGIN_C

/* A body, rigid unless it is given deformed vertices, or a container: body.def. */
typedef struct vt_body_def {
    size_t struct_size;
#include "vorton/body.def"
} vt_body_def;

/* *id (may be NULL) receives 0, 1, ...; at most 4096. Errors name the body; also an error: a solid
 * that a source added before, and still to bear, lies inside of for good, or a container that it
 * lies outside of; a container that holds none of the particles alive; a body that starts outside
 * of a container, unless keys lead it in, or two that move by themselves deep in each other. */
VT_API vt_status vt_add_body(vt_simulation *simulation, const vt_body_def *def, int32_t *id);

VT_API int32_t vt_body_count(const vt_simulation *simulation);

/* The id of body number `index`, 0 .. vt_body_count - 1, in the order in which they were added: the
 * index itself until a body is removed. */
VT_API vt_status vt_get_body_id(const vt_simulation *simulation, int32_t index, int32_t *id);

/* Name and state of a body; body_state.def lists and explains the members. */
typedef struct vt_body_state {
    size_t struct_size;
    char name[64];
#define VT_BODY_STATE(type, name, unit, description) VT_MEMBER_##type(name)
#include "vorton/body_state.def"
} vt_body_state;

/* Where body `id` is now, and how it moves from now on. */
VT_API vt_status vt_get_body(vt_simulation *simulation, int32_t id, vt_body_state *state);

/* What somebody outside sets of a body: body_change.def. */
typedef struct vt_body_change {
    size_t struct_size;
#include "vorton/body_change.def"
} vt_body_change;

/* Sets a body where it is, or how it moves from now on. A body that does not move by itself keeps
 * these velocities from now on; so may a container, a held body and one without mass be led. */
VT_API vt_status vt_set_body(vt_simulation *simulation, int32_t id, const vt_body_change *change);

/* Gives a body that moves by itself an impulse, N s, at a point, m (NULL: its centre), and an
 * angular impulse, N m s (NULL: none): its velocities change at once, against the inertia of body
 * and added mass. */
VT_API vt_status vt_apply_impulse(vt_simulation *simulation, int32_t id, const double impulse[3],
                                  const double *point, const double *angular_impulse);

/* Signed distance (count, m) of points (count x 3, m) from the walls of body `id` as it is now, > 0
 * where particles may be: exact for one shape; where shapes of one body overlap, a lower bound of
 * the depth inside. nearest (count x 3, may be NULL): the points of the walls; normal (count x 3,
 * may be NULL): unit vectors along which the distance grows. */
VT_API vt_status vt_body_distance(vt_simulation *simulation, int32_t id, int64_t count,
                                  const double *points, double *distance, double *nearest,
                                  double *normal);

/* Panels of body `id`; 0: it has none. */
VT_API vt_status vt_count_panels(vt_simulation *simulation, int32_t id, int32_t *count);

/* The panels of body `id` as they are now, in the world: centroid, normal towards the fluid (count
 * x 3, m), area (count, m^2), source density (count, m/s), velocity of the fluid at that side
 * (count x 3, m/s). Without a flow density is 0 and velocity the wind. Pointers may be NULL.
 * added_mass: impulse and angular impulse over the density of the fluid that the body gives it, in
 * axes of its own space about the centre of its volume, where it moves (rows 0-2) and turns (3-5)
 * at unit rate: 6 x 6, m^3, m^4, m^5. */
typedef struct vt_panel_arrays {
    size_t struct_size;
    double *center, *normal, *area;
    float *density, *velocity;
    double *added_mass;
} vt_panel_arrays;
VT_API vt_status vt_get_panels(vt_simulation *simulation, int32_t id,
                               const vt_panel_arrays *arrays);

VT_END_C

#endif
