/* How often the volumes of vortons fill the space that they lie in.
 *
 * Cleaning takes V grad div A off each vorton: together what diverges, where volumes fill space
 * once. Bodies shed from each of their panels a layer one core thick, and those of all panels along
 * the flow come to lie in one: behind a body volumes overlap several times over. What cleaning
 * takes in a substep, a share of up to .6 times that, was more than twice what diverges, and
 * strengths that no field shows grew twofold in each: balls of three and six cells blew up in
 * winds of 4 and 8 m/s (tests/test_newborn.py). */
#pragma once

#include "state/simulation.h"

/* Of each vorton, by its row, in s->arena, from records sorted by grid row: the volume of the
 * vortons in the 27 cells about it, over that of the cells. NULL without a grid, or where no body
 * sheds. */
const float *vti_find_cover(vt_simulation *s, int64_t count, const vt_record *sorted,
                            const uint32_t *row_start);
