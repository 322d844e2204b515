#include "potential.h"

#include "field.h"

int vt_has_charges(const vt_simulation *s)
{
    const float *const swelling = s->vortons.swelling;
    if (!s->vortons.set.used[VT_VORTON_swelling])
        return 0;
    for (int64_t i = 0; i < s->vortons.set.count; i++)
        if (swelling[i] != 0)
            return 1;
    return 0;
}

int64_t vt_collect_charges(const vt_simulation *s, int64_t count, const vt_record *sorted,
                           vt_record *charges)
{
    const float *const swelling = s->vortons.swelling;
    int64_t found = 0;
    for (int64_t i = 0; i < count; i++) {
        const float charge = swelling[sorted[i].home];
        if (charge != 0)
            charges[found++] = vt_charge(sorted[i].position, charge);
    }
    return found;
}

void vt_solve_potential(vt_simulation *s, int64_t count, const vt_record *charges)
{
    const vt_stage_table *const stages = s->stages;
    const int threads = s->def.threads;
    vt_arena *const arena = &s->arena;
    s->grid.has_potential = count > 0;
    if (count == 0)
        return;
    vt_grid scalar = s->grid;
    scalar.field[0] = s->grid.field[3];
    scalar.scalar = 1;
    const size_t mark = vt_arena_mark(arena);
    const size_t rows = (size_t)scalar.cells[1] * (size_t)scalar.cells[2];
    vt_record *const sorted = vt_arena_push(arena, sizeof *sorted * (size_t)(count + VL));
    uint32_t *const row_start = vt_arena_push(arena, 4 * (rows + 1));
    stages->sort(&scalar, count, charges, sorted, row_start, arena, threads);
    stages->deposit(&scalar, sorted, row_start, threads);
    stages->moments(&scalar, &s->charges, arena, threads);
    stages->boundary_clusters(&scalar, &s->charges, s->def.method.opening_angle, arena, threads);
    const double variance = s->panels.exist ? vt_panel_variance : vt_filter_variance(s);
    stages->filter(&scalar, variance, 1 / scalar.spacing, arena, threads);
    stages->poisson(&scalar, &s->plan, arena, threads);
    vt_arena_pop(arena, mark);
}
