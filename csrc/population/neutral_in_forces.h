/* Neutral vortons where forces act on the fluid: what carries the vorticity that they make. */
#pragma once

#include "population/brick_lattice.h"

/* Makes sources of the nodes in the shapes of forces on the fluid, but for some in walls, which
 * need no vortons. Of the capacity, `reserved` rows are kept free: where the shapes can be seen to
 * want more than there is room for, VT_OVER_CAPACITY names the force, or (not `refuses`) some nodes
 * are left out. VT_OUT_OF_MEMORY without a message. */
vt_status vti_mark_forces(vt_simulation *s, int64_t reserved, int refuses,
                          vt_shell_lattice *lattice);
