/* Parameters of definitions: a table for each definition says which of its numbers may change in
 * time, and what they may be. The constants are checked by the same table. */
#ifndef VORTON_STATE_ANIMATION_H
#define VORTON_STATE_ANIMATION_H

#include <stddef.h>

#include "state/track.h"

/* A table is an array of these that ends with a name of NULL. */
typedef struct vt_parameter {
    const char *name;
    size_t offset; /* of its double, or doubles, in the definition; VT_OF_SHAPE: not there */
    vt_track_range range;
} vt_parameter;

/* Rows for a shape of the definition, by the name of the member: what of it may change. The region
 * that is made of it has the animations (state/shapes.h), those of the definition leave them out.
 */
#define VT_OF_SHAPE SIZE_MAX
#define VT_SHAPE_PARAMETERS(name)                                                                  \
    {name ".radius", VT_OF_SHAPE, {1, 0, 1e9, 0, "m"}},                                            \
    {                                                                                              \
        name ".size", VT_OF_SHAPE, {3, 0, 1e9, 0, "m"}                                             \
    }

/* Animations of one definition, with copies of their tracks; `parameter` is the name in the
 * table. */
typedef struct vt_animations {
    int32_t count;
    vt_animation *items;
    size_t *offsets;
} vt_animations;

/* Checks the constants of the definition. */
vt_status vt_check_parameters(const vt_parameter *table, const void *def);

/* Checks from when to when a definition acts, s: 0 <= start <= end, which may be infinite. */
vt_status vt_check_times(double start, double end);

/* Checks names, that none comes twice, and the tracks; `what` is "an emitter" or the like. */
vt_status vt_check_animations(const vt_parameter *table, const char *what, int32_t count,
                              const vt_animation *animations);

/* Keys (count x 3) of a direction, none of which may be 0. */
vt_status vt_check_directions(const char *name, int64_t count, const double *values);

/* The same of an animated parameter, where it is animated. */
vt_status vt_check_animated_direction(const char *name, int32_t count,
                                      const vt_animation *animations);

/* Copies of animations that were checked. On failure there is nothing to destroy. */
vt_status vt_copy_animations(const vt_parameter *table, int32_t count,
                             const vt_animation *animations, vt_animations *copy);
void vt_destroy_animations(vt_animations *animations);

/* The track of a parameter, NULL for a constant. */
const vt_track *vt_find_animation(const vt_animations *animations, const char *parameter);

/* The same in a definition. */
const vt_track *vt_find_track(int32_t count, const vt_animation *animations, const char *parameter);

/* Writes what the animated parameters are at a time into a definition. */
void vt_animate(const vt_animations *animations, double time, void *def);

#endif
