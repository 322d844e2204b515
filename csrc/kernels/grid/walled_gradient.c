#include "kernels/grid/walled_gradient.h"

#include "base/parallel.h"
#include "kernels/grid/scalar_means.h"

enum { BLOCK_NODES = 2048 };

/* A row of nodes and its neighbours; at a wall it is its own. */
typedef struct row_of_nodes {
    const f4 *here, *low_y, *high_y, *low_z, *high_z;
    float part_y, part_z; /* what makes differences between them those of a cell */
    int64_t cells;
} row_of_nodes;

typedef struct context context;

typedef void row_work(const context *c, const row_of_nodes *from, f4 *to);

struct context {
    const vt_grid *from;
    vt_grid *to;
    const float *spread;
    row_work *work;
};

static row_of_nodes find_row(const vt_grid *g, int64_t j, int64_t k)
{
    const f4 *const here = g->nodes + k * g->node_plane + j * g->node_row;
    const int64_t low_y = j > 0 ? g->node_row : 0, high_y = j < g->cells[1] ? g->node_row : 0;
    const int64_t low_z = k > 0 ? g->node_plane : 0;
    const int64_t high_z = k < g->cells[2] ? g->node_plane : 0;
    return (row_of_nodes){.here = here,
                          .low_y = here - low_y,
                          .high_y = here + high_y,
                          .low_z = here - low_z,
                          .high_z = here + high_z,
                          .part_y = low_y && high_y ? 0.5f : 1.0f,
                          .part_z = low_z && high_z ? 0.5f : 1.0f,
                          .cells = g->cells[0]};
}

/* Shared among the vortons that fill the node. */
static void slope_row(const context *c, const row_of_nodes *from, f4 *to)
{
    (void)c;
    const int64_t last = from->cells;
    for (int64_t i = 0; i <= last; i++) {
        const int64_t low = i > 0 ? i - 1 : i, high = i < last ? i + 1 : i;
        const float fill = from->here[i][3] > VT_EMPTY_FILL ? from->here[i][3] : VT_EMPTY_FILL;
        const float part = (high - low == 2 ? 0.5f : 1.0f) / fill;
        to[i] =
            (f4){part * (from->here[high][0] - from->here[low][0]),
                 from->part_y / fill * (from->high_y[i][0] - from->low_y[i][0]),
                 from->part_z / fill * (from->high_z[i][0] - from->low_z[i][0]), from->here[i][0]};
    }
    to[last + 1] = (f4){0};
}

/* One node, with its neighbours along x. */
VT_INLINE f4 spread_node(const row_of_nodes *r, const f4 spread[3], int64_t i, f4 low, f4 high)
{
    const f4 here = r->here[i], twice = here + here;
    f4 sum = f4_fma(spread[0], low + high - twice, here);
    sum = f4_fma(spread[1], r->low_y[i] + r->high_y[i] - twice, sum);
    sum = f4_fma(spread[2], r->low_z[i] + r->high_z[i] - twice, sum);
    sum[3] = here[3];
    return sum;
}

static void spread_row(const context *c, const row_of_nodes *from, f4 *to)
{
    const f4 *const here = from->here;
    const int64_t last = from->cells;
    const f4 spread[3] = {f4_set(c->spread[0]), f4_set(c->spread[1]), f4_set(c->spread[2])};
    to[0] = spread_node(from, spread, 0, here[0], here[1]);
    for (int64_t i = 1; i < last; i++)
        to[i] = spread_node(from, spread, i, here[i - 1], here[i + 1]);
    to[last] = spread_node(from, spread, last, here[last - 1], here[last]);
    to[last + 1] = (f4){0};
}

static void work_on_plane(void *data, int64_t k)
{
    const context *const c = data;
    for (int64_t j = 0; j <= c->to->cells[1]; j++) {
        const row_of_nodes from = find_row(c->from, j, k);
        c->work(c, &from, c->to->nodes + k * c->to->node_plane + j * c->to->node_row);
    }
}

void VT_NAME(walled_slope)(vt_grid *means, const float spread[3], vt_grid *slopes, int threads)
{
    const int64_t planes = slopes->cells[2] + 1, block = 1 + BLOCK_NODES / slopes->node_plane;
    context c = {means, slopes, spread, slope_row};
    vti_parallel_each(threads, planes, block, work_on_plane, &c);
    if (!(spread[0] > 0 || spread[1] > 0 || spread[2] > 0))
        return;
    c = (context){slopes, means, spread, spread_row};
    vti_parallel_each(threads, planes, block, work_on_plane, &c);
    c = (context){means, slopes, spread, spread_row};
    vti_parallel_each(threads, planes, block, work_on_plane, &c);
}
