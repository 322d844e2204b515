/* Checks of definitions by their tables, and what of them may be animated. */
#pragma once

#include "animation/definition_tables.h"
#include "animation/track.h"

/* Checks every constant of a definition: the message begins with `what` ("ring."). */
vt_status vti_check_rows(const vt_definition *definition, const char *what, const void *def);

/* Checks every number of the arrays that a definition points to; those that may be left out may be
 * NULL. */
vt_status vti_check_arrays(const vt_definition *definition, const char *what, const void *def);

/* NULL where the definition has no member of this name. */
const vt_row *vti_row_named(const vt_definition *definition, const char *name);

/* A parameter that may be animated: how errors call it, where its numbers lie in the definition,
 * and what its keys may be. */
typedef struct vt_parameter {
    const char *name;
    size_t offset; /* VT_OF_SHAPE: not in the definition, but in the region made of its shape */
    vt_track_range range;
} vt_parameter;

#define VT_OF_SHAPE SIZE_MAX

/* Returns 0 where no parameter of the definition that may be animated has this name: that of a
 * member, of a member of its fluid, or "shape.radius" and the like. */
int vti_find_parameter(const vt_definition *definition, const char *name, vt_parameter *parameter);

/* Parameter `index`, in the order of the table; returns 0 past the last. */
int vti_parameter_at(const vt_definition *definition, int index, vt_parameter *parameter);
