#include "population/implicit_diffusion.h"

#include "base/block_sums.h"
#include "kernels/grid/node_diffusion.h"
#include "population/kept_sums.h"
#include "state/predicates.h"

enum { BLOCK = 2048, MOST_PARTS = 8 };

/* Of the cells along an axis: no vorton is rounded onto the last plane of nodes. */
static const double last_place = 1 - 1e-6;

/* Lattices that are too large for the memory become as much wider. */
static const double widening = 1.25;

/* The most that f (1 - f) may be. */
static const double most_mixing = 0.25;

/* Of the strengths' changes: the most, in the mean, by which they are made to keep impulse. */
static const double most_change = 0.1;

typedef struct spread {
    vt_simulation *simulation;
    vt_fluid fluid;
    vt_grid grid;
    int64_t count;
    vt_record *records, *sorted;
    uint32_t *row_start;
    f4 *sampled;  /* by record */
    int heat;     /* what is spread: heat, or strength */
    double mixed; /* r */
    f4 *mixing;   /* by node */
    int64_t nodes;
    float *change; /* of the strengths, by row, m^3/s */
} spread;

/* ---- the lattice ---- */

static int64_t lay_out(vt_grid *g, const double least[3], const double most[3])
{
    for (int a = 0; a < 3; a++) {
        g->base[a] = vti_floor(least[a] / g->spacing);
        const double cells = vti_floor(most[a] / g->spacing) - g->base[a] + 1;
        g->cells[a] = cells < VT_MOST_CELLS ? (int32_t)cells : VT_MOST_CELLS + 1;
    }
    vti_grid_pitches(g);
    return g->node_plane * (g->cells[2] + 2);
}

static int fits(const vt_grid *g, int64_t nodes, int64_t most_nodes)
{
    int fit = nodes <= 2 * most_nodes;
    for (int a = 0; a < 3; a++)
        fit &= g->cells[a] <= VT_MOST_CELLS;
    return fit;
}

static void make_grid(spread *s, const double least[3], const double most[3])
{
    vt_arena *const arena = &s->simulation->arena;
    vt_grid *const g = &s->grid;
    g->spacing = s->simulation->vorton_spacing;
    int64_t nodes = lay_out(g, least, most);
    while (!fits(g, nodes, s->simulation->def.max_nodes)) {
        g->spacing *= widening;
        nodes = lay_out(g, least, most);
    }
    s->nodes = nodes;
    g->nodes = vti_arena_push(arena, sizeof(f4) * (size_t)nodes);
    g->filled = vti_arena_push(arena, (size_t)vti_grid_rows(g));
}

static void place_records(void *data, int64_t begin, int64_t end)
{
    const spread *const s = data;
    const float *const position = s->simulation->vortons.position;
    const vt_grid *const g = &s->grid;
    for (int64_t i = begin; i < end; i++) {
        vt_record *const record = s->records + i;
        *record = (vt_record){.home = (uint32_t)i};
        for (int a = 0; a < 3; a++) {
            const double x = (double)position[3 * i + a] / g->spacing - g->base[a];
            record->position[a] = (float)fmin(fmax(x, 0), last_place * g->cells[a]);
        }
    }
}

static void sort_records(spread *s)
{
    vt_simulation *const all = s->simulation;
    const size_t records = sizeof *s->records * (size_t)(s->count + VT_LANES);
    const size_t rows = (size_t)s->grid.cells[1] * (size_t)s->grid.cells[2];
    s->records = vti_arena_push(&all->arena, records);
    s->sorted = vti_arena_push(&all->arena, records);
    s->row_start = vti_arena_push(&all->arena, 4 * (rows + 1));
    s->sampled = vti_arena_push(&all->arena, sizeof(f4) * (size_t)s->count);
    vti_parallel_for(all->def.threads, s->count, BLOCK, place_records, s);
    all->stages->sort(&s->grid, s->count, s->records, s->sorted, s->row_start, &all->arena,
                      all->def.threads);
}

/* ---- what is spread ---- */

/* Mass of a vorton, as a volume of ambient fluid, m^3. */
static float mass_of(const spread *s, int64_t row)
{
    const vt_vortons *const v = &s->simulation->vortons;
    return (float)((double)v->volume[row] /
                   vti_volume_over_mass(&s->fluid, vti_volume_temperature(v, row)));
}

static void fill_records(void *data, int64_t begin, int64_t end)
{
    const spread *const s = data;
    const vt_vortons *const v = &s->simulation->vortons;
    for (int64_t i = begin; i < end; i++) {
        vt_record *const record = s->sorted + i;
        const int64_t row = record->home;
        record->volume = v->volume[row];
        if (s->heat) {
            record->strength[1] = mass_of(s, row);
            record->strength[0] = record->strength[1] * vti_warmth(v, &s->fluid, row);
        }
        for (int c = 0; c < 3 && !s->heat; c++)
            record->strength[c] = v->strength[3 * row + c];
    }
}

/* f (1 - f) along each axis, times the volume. */
static void fill_mixing(void *data, int64_t begin, int64_t end)
{
    const spread *const s = data;
    const float *const volume = s->simulation->vortons.volume;
    for (int64_t i = begin; i < end; i++) {
        vt_record *const record = s->sorted + i;
        record->volume = volume[record->home];
        for (int axis = 0; axis < 3; axis++) {
            const double x = (double)record->position[axis], f = x - vti_floor(x);
            record->strength[axis] = record->volume * (float)(f * (1 - f));
        }
    }
}

/* The nodes of how far the lattice mixes by itself. */
static void find_mixing(spread *s)
{
    vt_simulation *const all = s->simulation;
    vt_grid mixing = s->grid;
    mixing.nodes = vti_arena_push(&all->arena, sizeof(f4) * (size_t)s->nodes);
    vti_parallel_for(all->def.threads, s->count, BLOCK, fill_mixing, s);
    all->stages->deposit(&mixing, s->sorted, s->row_start, all->def.threads);
    s->mixing = mixing.nodes;
}

/* Heat is shared out by mass, strength by volume. */
static void take_back(void *data, int64_t begin, int64_t end)
{
    const spread *const s = data;
    const vt_vortons *const v = &s->simulation->vortons;
    const float mixed = (float)s->mixed;
    for (int64_t i = begin; i < end; i++) {
        const vt_record *const record = s->sorted + i;
        const int64_t row = record->home;
        const f4 w = s->sampled[i];
        if (s->heat)
            v->temperature[row] += w[0] - mixed * vti_warmth(v, &s->fluid, row);
        for (int c = 0; c < 3 && !s->heat; c++)
            s->change[3 * row + c] = record->volume * w[c] - mixed * record->strength[c];
    }
}

static void spread_out(spread *s, double reach2)
{
    vt_simulation *const all = s->simulation;
    const vt_stage_table *const stages = all->stages;
    const int threads = all->def.threads;
    vti_parallel_for(threads, s->count, BLOCK, fill_records, s);
    const double h = s->grid.spacing, reach = reach2 / (h * h);
    const vt_node_diffusion diffusion = {.components = s->heat ? 1 : 3,
                                         .capacity_lane = s->heat ? 1 : 3,
                                         .cell = h * h * h,
                                         .reach = reach,
                                         .parts = (int32_t)fmin(1 + 4 * reach, MOST_PARTS),
                                         .mixed = fmin(reach / most_mixing, 1),
                                         .mixing = s->mixing};
    s->mixed = diffusion.mixed;
    stages->deposit(&s->grid, s->sorted, s->row_start, threads);
    stages->diffuse_nodes(&s->grid, &diffusion, &all->arena, threads);
    stages->sample_records(&s->grid, s->count, s->sorted, s->sampled, threads);
    vti_parallel_for(threads, s->count, BLOCK, take_back, s);
}

/* ---- strength ---- */

static void sum_strength(void *data, int64_t begin, int64_t end, double *sum)
{
    const float *const strength = ((const spread *)data)->simulation->vortons.strength;
    for (int64_t n = 3 * begin; n < 3 * end; n++)
        sum[(n - 3 * begin) % 3] += (double)strength[n];
}

static void add_changes(void *data, int64_t begin, int64_t end)
{
    const spread *const s = data;
    for (int64_t n = 3 * begin; n < 3 * end; n++)
        s->simulation->vortons.strength[n] += s->change[n];
}

/* The changes have the sums that the heat equation gives them: no strength, no first moments, and
 * of sum x cross (x cross alpha) -4 reach2 times the sum of alpha. */
static void keep_sums(spread *s, double reach2)
{
    vt_simulation *const all = s->simulation;
    const vt_grid *const g = &s->grid;
    double strength[3], sum[VT_INVARIANTS] = {0};
    vt_frame frame = {.cap = 0};
    for (int a = 0; a < 3; a++) {
        frame.center[a] = (float)((g->base[a] + 0.5 * g->cells[a]) * g->spacing);
        frame.length = fmaxf(frame.length, (float)(0.5 * g->cells[a] * g->spacing));
    }
    vti_sum_blocks(&all->arena, all->def.threads, s->count, BLOCK, sum_strength, s, 3, strength);
    const double length = (double)frame.length;
    for (int a = 0; a < 3; a++)
        sum[VT_INVARIANTS - 3 + a] = -4 * reach2 / (length * length) * strength[a];
    vti_make_sums(all, s->change, &frame, most_change, sum);
}

void vti_diffuse_implicitly(vt_simulation *s, const double reach2[2], const double least[3],
                            const double most[3])
{
    const size_t mark = vti_arena_mark(&s->arena);
    const int64_t count = s->vortons.set.count;
    spread all = {.simulation = s, .fluid = vti_fluid_of(&s->def), .count = count};
    make_grid(&all, least, most);
    sort_records(&all);
    find_mixing(&all);
    if (reach2[0] > 0) {
        all.change = vti_arena_push(&s->arena, 12 * (size_t)count);
        spread_out(&all, reach2[0]);
        if (s->bodies.count == 0)
            keep_sums(&all, reach2[0]);
        vti_parallel_for(s->def.threads, count, BLOCK, add_changes, &all);
    }
    all.heat = 1;
    if (reach2[1] > 0)
        spread_out(&all, reach2[1]);
    vti_arena_pop(&s->arena, mark);
}
