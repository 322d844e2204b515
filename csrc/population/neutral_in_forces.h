/* Neutral vortons where forces act on the fluid: what carries the vorticity that they make. */
#pragma once

#include "population/brick_lattice.h"

/* Makes sources of the nodes in the shapes of forces on the fluid; 0 where there is no memory. */
int vti_mark_forces(const vt_simulation *s, vt_shell_lattice *lattice);
