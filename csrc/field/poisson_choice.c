/* The choice among the Poisson solvers. */
#include "field/poisson_choice.h"

void vti_run_filters(const vt_stage_table *stages, const vt_method *method, vt_grid *grid,
                     vt_poisson_plan *plan, const vt_filter_sum *filters, vt_arena *arena,
                     int threads)
{
    if (method->poisson == VT_POISSON_DIRECT) {
        stages->filter_modes(grid, plan, filters, arena, threads);
        return;
    }
    for (int n = 0; n < filters->count; n++)
        stages->filter(grid, &filters->taps[n], filters->share[n], n > 0, arena, threads);
}

void vti_run_poisson(const vt_stage_table *stages, const vt_method *method, vt_grid *grid,
                     vt_poisson_plan *plan, const vt_filter_sum *filters, vt_arena *arena,
                     int threads)
{
    if (method->poisson == VT_POISSON_DIRECT) {
        stages->poisson(grid, plan, filters, arena, threads);
        return;
    }
    if (filters)
        vti_run_filters(stages, method, grid, plan, filters, arena, threads);
    if (method->poisson == VT_POISSON_MULTIGRID)
        stages->multigrid(grid, method->cycles, arena, threads);
    else
        stages->nested(grid, method->steps, method->downsampling, arena, threads);
}
