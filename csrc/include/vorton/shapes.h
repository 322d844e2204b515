/* Shapes, and transforms that place things. */
#ifndef VORTON_SHAPES_H
#define VORTON_SHAPES_H

#include "vorton/animation.h"
#include "vorton/simulation.h"

VT_BEGIN_C

/* ---- shapes ---- */

/* Births, force fields and removals take the first four kinds, bodies all. */
enum {
    VT_SHAPE_SPHERE,
    VT_SHAPE_BOX,
    VT_SHAPE_DISK, /* a cylinder */
    VT_SHAPE_MESH,
    VT_SHAPE_CAPSULE, /* all points nearer than radius to a straight line */
    VT_SHAPE_PLANE,   /* half of space: all behind a plane */
    VT_SHAPE_POLYTOPE /* the convex hull of points */
};

/* A shape: shape.def. */
typedef struct vt_shape {
    size_t struct_size;
#include "vorton/shape.def"
} vt_shape;

/* Volume in m^3 (of a layer: area of the surface x thickness); checks the shape (a mesh without a
 * layer must be closed). */
VT_API vt_status vt_shape_volume(const vt_shape *shape, double *volume);

/* ---- transforms ---- */

/* A space that moves, turns and grows, for things to be placed in: transform.def. */
typedef struct vt_transform_def {
    size_t struct_size;
#include "vorton/transform.def"
} vt_transform_def;

/* *id receives 1, 2, ...: what `parent` means elsewhere. */
VT_API vt_status vt_add_transform(vt_simulation *simulation, const vt_transform_def *def,
                                  int32_t *id);

/* From the space of a transform to the world at a time, s: scaled rotation, and position in the
 * last column. id 0 is the world. */
VT_API vt_status vt_get_pose(vt_simulation *simulation, int32_t id, double time,
                             double matrix[3][4]);

/* ---- what was added, by its id ----
 *
 * vt_add_... gives what it adds an id, 0, 1, ..., which *id (may be NULL) receives: it counts the
 * sources, of all kinds together, the winds of both kinds, the force fields, the kills and the
 * bodies each for themselves, is never used again in this simulation, and is the same in copies of
 * it.
 *
 * vt_change_... puts another definition in the place of that of `id`, which an add of the same name
 * made, from now on: between two steps, however often. It is checked as if it were added;
 * VT_INVALID_ARGUMENT also where there is no such id, and for a source that has been born whole (a
 * ring whose time has come, say). What was born stays as it is. A source keeps its random sequence,
 * and what it bears at once it bears once. On failure nothing has changed.
 *
 * vt_remove_... takes it away: what it has borne, moved or shed stays. Transforms cannot be changed
 * nor removed: what moves otherwise gets another one, as the `parent` of a changed definition. */

VT_API vt_status vt_remove_source(vt_simulation *simulation, int32_t id);
VT_API vt_status vt_remove_wind(vt_simulation *simulation, int32_t id);
VT_API vt_status vt_remove_force(vt_simulation *simulation, int32_t id);
VT_API vt_status vt_remove_kill(vt_simulation *simulation, int32_t id);

/* Particles may then be where the body was; vortons that it shed stay. The other bodies keep their
 * ids. What a body is does not change: vt_set_body moves it; for another shape remove it and add
 * another. */
VT_API vt_status vt_remove_body(vt_simulation *simulation, int32_t id);

VT_END_C

#endif
