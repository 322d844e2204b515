/* The choice among the Poisson solvers. */
#include "field/poisson_choice.h"

void vti_run_poisson(const vt_stage_table *stages, const vt_method *method, vt_grid *grid,
                     vt_poisson_plan *plan, vt_arena *arena, int threads)
{
    switch (method->poisson) {
    case VT_POISSON_MULTIGRID:
        stages->multigrid(grid, method->cycles, arena, threads);
        break;
    case VT_POISSON_NESTED:
        stages->nested(grid, method->steps, method->downsampling, arena, threads);
        break;
    default:
        stages->poisson(grid, plan, arena, threads);
    }
}
