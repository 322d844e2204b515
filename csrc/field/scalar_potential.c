#include "field/scalar_potential.h"

#include "base/math_double.h"
#include "field/room_grid.h"
#include "state/predicates.h"

enum { ROWS = 64 };

typedef struct collecting {
    const float *swelling;
    const vt_record *sorted;
    const uint32_t *row_start;
    vt_record *charges;
    uint32_t *charge_start; /* first charge of each row; at first the number of charges in it */
} collecting;

static void count_row(void *data, int64_t row)
{
    const collecting c = *(const collecting *)data; /* a copy: stores cannot change it */
    uint32_t found = 0;
    for (uint32_t i = c.row_start[row]; i < c.row_start[row + 1]; i++)
        found += c.swelling[c.sorted[i].home] != 0;
    c.charge_start[row] = found;
}

static void collect_rows(void *data, int64_t begin, int64_t end)
{
    const collecting c = *(const collecting *)data;
    vt_record *to = c.charges + c.charge_start[begin];
    for (uint32_t i = c.row_start[begin]; i < c.row_start[end]; i++) {
        const float charge = c.swelling[c.sorted[i].home];
        if (charge != 0)
            *to++ = vti_charge(c.sorted[i].position, charge);
    }
}

int64_t vti_collect_charges(const vt_simulation *s, const vt_record *sorted,
                            const uint32_t *row_start, vt_record *charges, uint32_t *charge_start)
{
    const int64_t rows = (int64_t)s->grid.cells[1] * s->grid.cells[2];
    collecting c = {s->vortons.swelling, sorted, row_start, charges, charge_start};
    uint32_t sum = 0;
    if (!vti_has_charges(s))
        return 0;
    vti_parallel_each(s->def.threads, rows, ROWS, count_row, &c);
    for (int64_t row = 0; row < rows; row++) {
        const uint32_t found = charge_start[row];
        charge_start[row] = sum;
        sum += found;
    }
    charge_start[rows] = sum;
    vti_parallel_for(s->def.threads, rows, ROWS, collect_rows, &c);
    return sum;
}

static void deposit(vt_simulation *s, vt_grid *grid, int64_t count, const vt_record *charges)
{
    const size_t rows = (size_t)grid->cells[1] * (size_t)grid->cells[2];
    const size_t mark = vti_arena_mark(&s->arena);
    vt_record *const sorted = vti_arena_push(&s->arena, sizeof *sorted * (size_t)(count + VL));
    uint32_t *const row_start = vti_arena_push(&s->arena, 4 * (rows + 1));
    s->stages->sort(grid, count, charges, sorted, row_start, &s->arena, s->def.threads);
    s->stages->deposit(grid, sorted, row_start, s->def.threads);
    vti_arena_pop(&s->arena, mark);
}

/* The potential on the faces, and the moments for what lies beyond them; of neither is anything in
 * a room. */
static void find_boundary(vt_simulation *s, vt_grid *scalar)
{
    const int threads = s->def.threads;
    s->charges.levels = 0;
    if (scalar->walled) {
        vti_add_images_at_walls(scalar);
        return;
    }
    s->stages->moments(scalar, &s->charges, &s->arena, threads);
    s->stages->boundary_clusters(scalar, &s->charges, s->def.method.opening_angle, &s->arena,
                                 threads);
}

/* With panels all charges have the cores of theirs. What the grid lacks of those is added both at
 * nodes and where splines are sampled (kernels/bodies/panel_patches.h): between the two, whose
 * variances differ by 1/4, the cores are the right ones. */
static vt_filter_taps find_taps(const vt_simulation *s)
{
    const double sigma = (double)vt_panel_sigma;
    if (!s->panels.exist)
        return vti_core_filter(s, VT_NODES_SPLINES, 1, VT_NEAR_REACH);
    if (s->grid.fourth)
        return vti_taps_of_fourth_order(vti_sqrt(sigma * sigma - 0.125), VT_NODES_VELOCITY,
                                        VT_NEAR_REACH);
    return vti_gaussian_taps(vt_panel_variance, VT_NEAR_REACH);
}

void vti_solve_potential(vt_simulation *s, int64_t count, const vt_record *charges,
                         const uint32_t *row_start, int64_t outer_count,
                         const vt_outer_charge *outer)
{
    const vt_stage_table *const stages = s->stages;
    const int threads = s->def.threads;
    vt_arena *const arena = &s->arena;
    s->grid.has_potential = count > 0 || outer_count > 0;
    if (!s->grid.has_potential)
        return;
    s->charges.outer = outer;
    s->charges.outer_count = outer_count;
    const size_t mark = vti_arena_mark(arena);
    vt_grid scalar = s->grid;
    scalar.field[0] = s->grid.field[3];
    scalar.scalar = 1;
    scalar.filled = vti_arena_push(arena, (size_t)vti_grid_rows(&scalar));
    if (row_start)
        stages->deposit(&scalar, charges, row_start, threads);
    else
        deposit(s, &scalar, count, charges);
    find_boundary(s, &scalar);
    const vt_filter_sum filter = {1, VT_NEAR_REACH, {1 / scalar.spacing}, {find_taps(s)}};
    stages->poisson(&scalar, &s->plan, &filter, arena, threads);
    vti_arena_pop(arena, mark);
}
