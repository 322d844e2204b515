/* The bricks of the sources of a shell. */
#pragma once

#include "population/brick_lattice.h"

/* Makes bricks for the vortons that need others around them, marks their nodes, and notes how long
 * the last of them lives; 0: no memory. */
int vti_mark_sources(vt_shell *shell);
