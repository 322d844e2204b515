/* Parameters of definitions that change in time: the table of a definition says which may. */
#pragma once

#include "animation/definition_checks.h"

/* Animations of one definition, with copies of their tracks; `parameter` is the name in the
 * table. */
typedef struct vt_animations {
    int32_t count;
    vt_animation *items;
    size_t *offsets;
} vt_animations;

/* Checks all that the table of a definition says: ranges, animations, and that it ends when it
 * starts, or later. Messages name the members as the table does: "ring.core". */
vt_status vti_check_definition(const vt_definition *definition, const void *def);

/* Copies of animations that were checked. On failure there is nothing to destroy. */
vt_status vti_copy_animations(const vt_definition *definition, int32_t count,
                              const vt_animation *animations, vt_animations *copy);
void vti_destroy_animations(vt_animations *animations);

/* The track of a parameter, NULL for a constant. */
const vt_track *vti_find_animation(const vt_animations *animations, const char *parameter);

/* The same in a definition. */
const vt_track *vti_find_track(int32_t count, const vt_animation *animations,
                               const char *parameter);

/* Writes what the animated parameters are at a time into a definition. */
void vti_animate(const vt_animations *animations, double time, void *def);
