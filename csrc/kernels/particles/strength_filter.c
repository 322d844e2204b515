#include "kernels/particles/strength_filter.h"

#include "base/parallel.h"
#include "kernels/grid/deposit.h"
#include "kernels/grid/scalar_means.h"
#include "kernels/grid/trilinear.h"

enum { BLOCK = 512 };

typedef struct context {
    const vt_grid *grid;
    const vt_record *records;
    float *strength;
} context;

VT_INLINE void find_records(const context *c, int64_t i, int64_t left, vt_cells *cells)
{
    vf position[4];
    vti_load_records(c->records + i, left, 0, position);
    vti_find_record_cells(cells, c->grid, position);
}

static void mix_block(void *data, int64_t begin, int64_t end)
{
    const context context = *(const struct context *)data, *const c = &context;
    const f4 *const nodes = c->grid->nodes;
    const int64_t row = c->grid->node_row, plane = c->grid->node_plane;
    for (int64_t i = begin; i < end; i += VL) {
        const int64_t left = end - i < VL ? end - i : VL;
        vt_cells cells;
        if (i + 2 * VL <= end) { /* the next ones */
            find_records(c, i + VL, VL, &cells);
            vti_prefetch_cells(nodes, row, plane, &cells);
            for (int l = 0; l < VL; l++)
                __builtin_prefetch(c->strength + 3 * (int64_t)c->records[i + VL + l].home, 1);
        }
        find_records(c, i, left, &cells);
        for (int l = 0; l < left; l++) {
            const vt_record *const r = c->records + i + l;
            float *const strength = c->strength + 3 * (int64_t)r->home;
            const f4 w = vti_sample_node(nodes, row, plane, &cells, l);
            const f4 change = f4_set(r->volume) * w - f4_load(r->strength);
            f4_store_three(strength, f4_load_three(strength) + change);
        }
    }
}

void VT_NAME(filter_strengths)(vt_grid *grid, int64_t count, const vt_record *records,
                               const uint32_t *row_start, float *strength, int threads)
{
    vt_grid nodes = *grid;
    const context c = {&nodes, records, strength};
    nodes.fourth = 0; /* what is deposited is sampled with the same weights, so that none is lost */
    VT_NAME(deposit)(&nodes, records, row_start, threads);
    VT_NAME(normalise)(&nodes, row_start, NULL, threads);
    vti_parallel_for(threads, count, BLOCK, mix_block, (void *)&c);
}
