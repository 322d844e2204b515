/* The Poisson stage of a frame, by the solver that the method names. */
#ifndef VORTON_STATE_SOLVE_POISSON_H
#define VORTON_STATE_SOLVE_POISSON_H

#include "stages/stages.h"

/* Vector potential inside: minus Laplace A = field / spacing^2, with the face values; in place.
 * method: the rows poisson, cycles, steps, downsampling. */
void vt_run_poisson(const vt_stage_table *stages, const vt_method *method, vt_grid *grid,
                    vt_poisson_plan *plan, vt_arena *arena, int threads);

#endif
