/* The transforms of a simulation: what is checked when one is made, and what is kept of it. */
#pragma once

#include "model/pose.h"

void vti_destroy_transforms(vt_transforms *transforms);

/* Fills `to` with copies; on failure it is to be destroyed all the same. */
vt_status vti_copy_transforms(const vt_transforms *from, vt_transforms *to);

/* Whether `id` is 0 or that of a transform; the error names `parent`. */
vt_status vti_check_parent(const vt_transforms *transforms, int32_t id);

vt_status vti_keep_transform(vt_transforms *transforms, const vt_transform_def *def);

/* Whether two spaces never move against each other: neither moves, or each is still within one that
 * moves, of the same definition. */
int vti_move_as_one(const vt_transforms *transforms, int32_t a, int32_t b);
