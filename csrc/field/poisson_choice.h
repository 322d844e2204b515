/* The Poisson equation of a frame, solved as the method says. */
#pragma once

#include "kernels/dispatch.h"

/* Vector potential inside: minus Laplace A = field / spacing^2, with the face values; in place.
 * method: the rows poisson, cycles, steps, downsampling. */
void vti_run_poisson(const vt_stage_table *stages, const vt_method *method, vt_grid *grid,
                     vt_poisson_plan *plan, vt_arena *arena, int threads);
