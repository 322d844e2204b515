/* The Poisson equation of a frame, solved as the method says. */
#pragma once

#include "kernels/dispatch.h"

/* From deposited nodes to the field: the right side of the Poisson equation. */
void vti_run_filters(const vt_stage_table *stages, const vt_method *method, vt_grid *grid,
                     vt_poisson_plan *plan, const vt_filter_sum *filters, vt_arena *arena,
                     int threads);

/* Vector potential inside: minus Laplace A = field / spacing^2, with the face values, from what the
 * filters make of the nodes; filters NULL: from what is in the field. method: the rows poisson,
 * cycles, steps, downsampling. */
void vti_run_poisson(const vt_stage_table *stages, const vt_method *method, vt_grid *grid,
                     vt_poisson_plan *plan, const vt_filter_sum *filters, vt_arena *arena,
                     int threads);
