#include "field/scalar_potential.h"

#include "base/math_double.h"
#include "field/room_grid.h"
#include "kernels/grid/mirror.h"
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

/* ---- in a room ---- */

typedef struct plane_sums {
    const vt_grid *grid;
    double *sum; /* of each plane */
    float mean;
} plane_sums;

static void sum_plane(void *data, int64_t k)
{
    const plane_sums *const c = data;
    const int32_t *const n = c->grid->cells;
    double sum = 0;
    for (int64_t j = 0; j <= n[1]; j++) {
        const float *const row = c->grid->field[0] + k * c->grid->plane + j * c->grid->row;
        double along = -0.5 * ((double)row[0] + (double)row[n[0]]);
        for (int64_t i = 0; i <= n[0]; i++)
            along += (double)row[i];
        sum += vti_share_before_walls(j, n[1]) * along;
    }
    c->sum[k] = vti_share_before_walls(k, n[2]) * sum;
}

static void lower_plane(void *data, int64_t k)
{
    const plane_sums *const c = data;
    for (int64_t j = 0; j <= c->grid->cells[1]; j++) {
        float *const row = c->grid->field[0] + k * c->grid->plane + j * c->grid->row;
        for (int64_t i = 0; i <= c->grid->cells[0]; i++)
            row[i] -= c->mean;
    }
}

/* What is in a room cannot expand as a whole: the mean of the charges is taken away everywhere. */
static void take_mean_away(vt_simulation *s, vt_grid *grid)
{
    const int64_t planes = grid->cells[2] + 1;
    const size_t mark = vti_arena_mark(&s->arena);
    plane_sums c = {grid, vti_arena_push(&s->arena, sizeof(double) * (size_t)planes), 0};
    double sum = 0, cells = 1;
    vti_parallel_each(s->def.threads, planes, 1, sum_plane, &c);
    for (int64_t k = 0; k < planes; k++)
        sum += c.sum[k];
    for (int a = 0; a < 3; a++)
        cells *= grid->cells[a];
    c.mean = (float)(sum / cells);
    vti_parallel_each(s->def.threads, planes, 1, lower_plane, &c);
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
        return vti_core_filter(s, VT_NODES_SPLINES, 1);
    if (s->grid.fourth)
        return vti_taps_of_fourth_order(vti_sqrt(sigma * sigma - 0.125), VT_NODES_VELOCITY);
    return vti_gaussian_taps(vt_panel_variance);
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
    const vt_filter_taps taps = find_taps(s);
    stages->filter(&scalar, &taps, 1 / scalar.spacing, 0, arena, threads);
    if (scalar.walled)
        take_mean_away(s, &scalar);
    stages->poisson(&scalar, &s->plan, arena, threads);
    vti_arena_pop(arena, mark);
}
