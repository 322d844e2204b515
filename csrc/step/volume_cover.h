/* How often the volumes of vortons fill the space that they lie in.
 *
 * Cleaning takes V grad div A off each vorton: together what diverges, where volumes fill space
 * once. Bodies shed from each of their panels a layer one core thick, and those of all panels along
 * the flow come to lie in one: behind a body volumes overlap several times over. So they do where
 * walls hold vortons that the flow brings: heavy fluid in a crate lay up to ten times over along
 * the edges of its floor. What cleaning takes in a substep, a share of up to .6 times that, was
 * more than twice what diverges, and strengths that no field shows grew twofold in each: balls of
 * three and six cells blew up in winds of 4 and 8 m/s (tests/test_newborn.py), and crates whose
 * walls slip after some 50 frames (tests/test_blow_up.py). */
#pragma once

#include "state/simulation.h"

/* Of each vorton, by its row, in s->arena, from records sorted by grid row: the volume of the
 * vortons in the 27 cells about it, weighed by how near they are, over that of a cell. NULL without
 * a grid, or panels. */
const float *vti_find_cover(vt_simulation *s, int64_t count, const vt_record *sorted,
                            const uint32_t *row_start);
