/* Eddies below the grid, which stir tracers alone: see kernels/particles/stir_tracers.h. Vortons,
 * and so the resolved flow, know nothing of them. */
#pragma once

#include "vorton.h"

/* Rows [first, first + count) of tracers begin with their place, and no speed. */
void vti_begin_in_eddies(vt_simulation *simulation, int64_t first, int64_t count);

/* After each substep of dt (s) by which the resolved flow has moved the tracers, while the nodes
 * hold its velocity; turned: angle by which its fast parts have turned meanwhile, rad. Stirs the
 * tracers once that is enough since the last time, and with the last substep of a step. */
void vti_stir_tracers(vt_simulation *simulation, double dt, double turned, int is_last);
