/* Conservative exchange of strength between near vortons: what keeps the strength that vortons
 * carry close to the vorticity that the grid resolves, and the one knob for liveliness.
 *
 *   node:    w_n = sum_i W r_i alpha_i / sum_i W r_i V_i
 *   vorton:  alpha_i += r_i V_i sum_n W w_n - r_i alpha_i,   r_i = 1 - exp(-C S_i dt)
 *
 * with W the trilinear weights at the midpoint of the substep. The sum of the strengths is kept by
 * construction, nothing overshoots at any dt, and a lone vorton keeps its strength. */
#include "stages/sampling.h"
#include "stages/stages.h"

enum { BLOCK = 2048, BLOCK_NODES = 16384 };

typedef struct context {
    const vt_grid *grid;
    const vt_record *records;
    const uint32_t *row_start;
    float *strength;
} context;

/* Whether any record lies in the four rows of cells that meet in row j of the nodes of plane k. */
static inline int is_met(const context *c, int64_t j, int64_t k)
{
    const int64_t rows = c->grid->cells[1], planes = c->grid->cells[2];
    const int64_t low = j > 0 ? j - 1 : 0, high = j < rows ? j + 1 : rows;
    uint32_t met = 0;
    for (int64_t layer = k > 0 ? k - 1 : 0; layer <= k && layer < planes; layer++)
        met |= c->row_start[layer * rows + high] - c->row_start[layer * rows + low];
    return met != 0;
}

/* Sums of strength become vorticity where there is volume; elsewhere they are zero already. */
VT_INLINE void normalise_row(f4 *row, int64_t nodes)
{
    float *const values = (float *)row;
    for (int64_t i = 0; i < 4 * nodes; i += VL) {
        const vf sum = vf_load(values + i), volume = vf_fourths(sum);
        vf_store(values + i, vf_select(volume > (vf){0}, sum / volume, sum));
    }
}

static void normalise_block(void *data, int64_t begin, int64_t end, int thread)
{
    (void)thread;
    const context *const c = data;
    const vt_grid *const grid = c->grid;
    for (int64_t k = begin; k < end; k++)
        for (int64_t j = 0; j <= grid->cells[1]; j++)
            if (is_met(c, j, k))
                normalise_row(grid->nodes + k * grid->node_plane + j * grid->node_row,
                              grid->cells[0] + 1);
}

VT_INLINE void find_records(const context *c, int64_t i, int64_t left, vt_cells *cells)
{
    vf position[4];
    vt_load_records(c->records + i, left, 0, position);
    vt_find_record_cells(cells, c->grid, position);
}

static void mix_block(void *data, int64_t begin, int64_t end, int thread)
{
    (void)thread;
    const context context = *(const struct context *)data, *const c = &context;
    const f4 *const nodes = c->grid->nodes;
    const int64_t row = c->grid->node_row, plane = c->grid->node_plane;
    for (int64_t i = begin; i < end; i += VL) {
        const int64_t left = end - i < VL ? end - i : VL;
        vt_cells cells;
        if (i + 2 * VL <= end) { /* the next ones */
            find_records(c, i + VL, VL, &cells);
            vt_prefetch_cells(nodes, row, plane, &cells);
            for (int l = 0; l < VL; l++)
                __builtin_prefetch(c->strength + 3 * (int64_t)c->records[i + VL + l].home, 1);
        }
        find_records(c, i, left, &cells);
        for (int l = 0; l < left; l++) {
            const vt_record *const r = c->records + i + l;
            float *const strength = c->strength + 3 * (int64_t)r->home;
            const f4 w = vt_sample_node(nodes, row, plane, &cells, l);
            const f4 change = f4_set(r->volume) * w - f4_load(r->strength);
            f4_store_three(strength, f4_load_three(strength) + change);
        }
    }
}

void VT_NAME(exchange)(vt_grid *grid, int64_t count, const vt_record *records,
                       const uint32_t *row_start, float *strength, int threads)
{
    context c = {grid, records, row_start, strength};
    VT_NAME(deposit)(grid, records, row_start, threads);
    vt_parallel_for(threads, grid->cells[2] + 1, 1 + BLOCK_NODES / grid->node_plane,
                    normalise_block, &c);
    vt_parallel_for(threads, count, BLOCK, mix_block, &c);
}
