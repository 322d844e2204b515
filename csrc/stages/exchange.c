/* Conservative exchange of strength between near vortons: what keeps the strength that vortons
 * carry close to the vorticity that the grid resolves, and the one knob for liveliness.
 *
 *   node:    w_n = sum_i W r_i alpha_i / sum_i W r_i V_i
 *   vorton:  alpha_i += r_i (V_i sum_n W w_n - alpha_i),   r_i = 1 - exp(-C S_i dt)
 *
 * with W the trilinear weights at the midpoint of the substep. The sum of the strengths is kept by
 * construction, nothing overshoots at any dt, and a lone vorton keeps its strength. */
#include "stages/sampling.h"
#include "stages/stages.h"

enum { BLOCK = 4096, PLANES = 2 };

typedef struct context {
    const vt_grid *grid;
    const vt_record *records;
    vt_record *weighted;
    const float *share;
    const vt_vorton_rows *rows;
} context;

static void weigh_block(void *data, int64_t begin, int64_t end, int thread)
{
    (void)thread;
    const context *const c = data;
    for (int64_t i = begin; i < end; i++) {
        const f4 p = f4_load(c->records[i].position), s = f4_load(c->records[i].strength);
        const f4 share = f4_set(c->share[i]), ps = p * share, ss = s * share;
        f8_store(c->weighted + i, f8_join(__builtin_shufflevector(p, ps, 0, 1, 2, 7), ss));
    }
}

/* Sums of strength become vorticity where there is volume; elsewhere they are zero already. */
static void normalise_block(void *data, int64_t begin, int64_t end, int thread)
{
    (void)thread;
    const context *const c = data;
    f4 *const nodes = c->grid->nodes;
    for (int64_t n = begin * c->grid->node_plane; n < end * c->grid->node_plane; n++)
        if (nodes[n][3] > 0)
            nodes[n] = nodes[n] / f4_set(nodes[n][3]);
}

static void mix_block(void *data, int64_t begin, int64_t end, int thread)
{
    (void)thread;
    const context *const c = data;
    const vt_grid *const grid = c->grid;
    for (int64_t i = begin; i < end; i += VL) {
        const int64_t left = end - i < VL ? end - i : VL;
        f4 low[VL];
        vf p[4];
        vt_cells cells;
        for (int l = 0; l < VL; l++)
            low[l] = f4_load(c->records[i + (l < left ? l : left - 1)].position);
        vt_nodes_to_lanes(low, p);
        vt_find_cells(&cells, p[0], p[1], p[2], vi_set((int32_t)grid->node_row),
                      vi_set((int32_t)grid->node_plane));
        for (int l = 0; l < left; l++) {
            const vt_record *const r = c->records + i + l;
            const f4 w = vt_sample_node(grid->nodes, grid->node_row, grid->node_plane, &cells, l);
            const f4 strength = f4_load(r->strength), share = f4_set(c->share[i + l]);
            const f4 a = f4_fma(share, f4_set(r->volume) * w - strength, strength);
            memcpy(c->rows->strength + 3 * (int64_t)r->home, &a, 12);
        }
    }
}

void VT_NAME(exchange)(const vt_grid *grid, int64_t count, const vt_record *records,
                       const float *share, const uint32_t *row_start, const vt_vorton_rows *rows,
                       vt_arena *arena, int threads)
{
    const size_t mark = vt_arena_mark(arena);
    const int64_t planes = grid->cells[2] + 1;
    vt_grid scratch = *grid;
    scratch.nodes = vt_arena_push(arena, sizeof(f4) * (size_t)(grid->node_plane * (planes + 1)));
    vt_record *const weighted = vt_arena_push(arena, sizeof(vt_record) * (size_t)count);
    context c = {&scratch, records, weighted, share, rows};
    vt_parallel_for(threads, count, BLOCK, weigh_block, &c);
    VT_NAME(deposit)(&scratch, weighted, row_start, threads);
    vt_parallel_for(threads, planes, PLANES, normalise_block, &c);
    vt_parallel_for(threads, count, BLOCK, mix_block, &c);
    vt_arena_pop(arena, mark);
}
