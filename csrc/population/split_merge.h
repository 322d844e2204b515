/* Vortons that have been stretched too long become two, and crowds of weak ones fewer.
 *
 * Splitting: a vorton stands for a piece of a vortex tube; its strength grows as the piece does.
 * Each half gets half of everything, at a quarter of the length to either side along the strength:
 * the sum, the linear and the angular impulse stay as they are.
 *
 * Merging: of the two, a_1 at x_1 and a_2 at x_2, the sum a goes to the point x nearest to their
 * mean (weighted by size) with x cross a as near as possible to x_1 cross a_1 + x_2 cross a_2: what
 * is left of the impulse is its part along a, nothing for parallel strengths, and shared out
 * (conservation/impulse_correction.h). Where two meet depends on where cells lie, and vortons move
 * through them: without an end to what one may stand for, all would merge in time. */
#pragma once

#include "vorton.h"

/* Halves the vortons whose strength has grown to method.split times that of their birth, and those
 * that expanded until the grid sees gaps between them. Room and errors as above. */
vt_status vti_split_vortons(vt_simulation *s, int64_t reserved);

/* In each cell as wide as the finest cores with more than `most` vortons that have these flags,
 * merges the weakest of them with the nearest of the same cell with which it does not stand for too
 * much fluid. */
void vti_merge_vortons(vt_simulation *s, uint32_t flags, int32_t most);
