/* Density differences beside walls (part 14). What lies behind a wall says nothing about the fluid
 * before it, so differences are taken between open nodes alone: over two cells, or over one where
 * only one neighbour is open. Fluid at rest, whose density changes with height alone, then feels no
 * difference across the wall, whatever the wall is like, while a surface that is tilted keeps its
 * own. Nodes in walls next to open ones take the mean of those, for the cells that walls cut.
 *
 * In containers differences are then spread twice among open neighbours across gravity: vortons
 * that lie unevenly in a level surface make it rough from node to node, while along gravity, where
 * it is thin, nothing is lost. The sum of what is spread stays what it was. */
#include "kernels/grid/masked_gradient.h"

#include "base/parallel.h"

enum { BLOCK_NODES = 2048, SPREADS = 2 };

typedef struct context context;

/* What is done to the nodes of one row, from number `at` of the grid's nodes on. */
typedef void row_work(const context *c, int64_t j, int64_t k, int64_t at);

struct context {
    vt_grid *from;
    vt_grid *to;
    const vt_node_marks *marks;
    const float *spread; /* along each axis, 0 .. 1/6 */
    row_work *work;
};

/* Whether any of the nodes that a row of differences looks at is in a wall. */
static int sees_wall(const context *c, int64_t j, int64_t k)
{
    const int64_t rows = c->to->cells[1] + 1;
    const uint8_t *const walled = c->marks->walled + k * rows + j;
    return walled[0] | walled[-1] | walled[1] | walled[-rows] | walled[rows];
}

/* The difference along one axis, per cell. */
VT_INLINE float slope_along(const f4 *at, const uint8_t *open, int64_t step)
{
    const int below = open[-step], above = open[step];
    const float low = below ? at[-step][0] : at[0][0], high = above ? at[step][0] : at[0][0];
    return below && above ? 0.5f * (high - low) : high - low;
}

/* All rows of these planes but those at the faces of the grid. */
static void work_on_planes(void *data, int64_t begin, int64_t end)
{
    const context *const c = data;
    const int32_t *const cells = c->to->cells;
    for (int64_t k = begin > 0 ? begin : 1; k < end && k < cells[2]; k++)
        for (int64_t j = 1; j < cells[1]; j++)
            c->work(c, j, k, k * c->to->node_plane + j * c->to->node_row);
}

/* Takes the differences at nodes that are in a wall or have a neighbour in one; all others have
 * theirs already. */
static void slope_row(const f4 *from, const uint8_t *open, int64_t row, int64_t plane,
                      int64_t cells, f4 *to)
{
    uint8_t clear[VT_MOST_CELLS + 1];
    for (int64_t i = 1; i < cells; i++)
        clear[i] = open[i] & open[i - 1] & open[i + 1] & open[i - row] & open[i + row] &
                   open[i - plane] & open[i + plane];
    for (int64_t i = 1; i < cells; i++) {
        if (clear[i])
            continue;
        to[i] = (f4){0};
        if (open[i])
            to[i] = (f4){slope_along(from + i, open + i, 1), slope_along(from + i, open + i, row),
                         slope_along(from + i, open + i, plane), from[i][0]};
    }
}

static void slope_beside_walls(const context *c, int64_t j, int64_t k, int64_t at)
{
    if (sees_wall(c, j, k))
        slope_row(c->from->nodes + at, c->marks->open + at, c->to->node_row, c->to->node_plane,
                  c->to->cells[0], c->to->nodes + at);
}

static void copy_planes(void *data, int64_t begin, int64_t end)
{
    const context *const c = data;
    const int64_t plane = c->to->node_plane;
    memcpy(c->from->nodes + begin * plane, c->to->nodes + begin * plane,
           sizeof(f4) * (size_t)((end - begin) * plane));
}

/* The difference that a node and its open neighbours even out along one axis. */
VT_INLINE f4 spread_along(const f4 *at, const uint8_t *open, int64_t step)
{
    const f4 below = open[-step] ? at[-step] : at[0], above = open[step] ? at[step] : at[0];
    return below + above - f4_set(2) * at[0];
}

static void spread_row(const context *c, int64_t j, int64_t k, int64_t at)
{
    (void)j, (void)k;
    const int64_t row = c->to->node_row, plane = c->to->node_plane;
    const f4 *const from = c->from->nodes + at;
    const uint8_t *const open = c->marks->open + at;
    f4 *const to = c->to->nodes + at;
    for (int64_t i = 1; i < c->to->cells[0]; i++) {
        if (!open[i])
            continue;
        const f4 x = spread_along(from + i, open + i, 1), y = spread_along(from + i, open + i, row);
        const f4 z = spread_along(from + i, open + i, plane);
        f4 sum = from[i] + f4_set(c->spread[0]) * x;
        sum = sum + f4_set(c->spread[1]) * y;
        sum = sum + f4_set(c->spread[2]) * z;
        to[i] = (f4){sum[0], sum[1], sum[2], from[i][3]};
    }
}

/* The mean of the open nodes around one in a wall. */
static f4 mean_around(const f4 *at, const uint8_t *open, int64_t row, int64_t plane)
{
    f4 sum = {0};
    float count = 0;
    for (int64_t z = -plane; z <= plane; z += plane)
        for (int64_t y = -row; y <= row; y += row)
            for (int64_t x = -1; x <= 1; x++)
                if (open[x + y + z]) {
                    sum += at[x + y + z];
                    count += 1;
                }
    return count > 0 ? sum / f4_set(count) : sum;
}

/* Whether any of the rows around a row has open nodes, node by node. */
static void find_open(const uint8_t *open, int64_t row, int64_t plane, int64_t nodes, uint8_t *any)
{
    memset(any, 0, (size_t)nodes);
    for (int64_t z = -plane; z <= plane; z += plane)
        for (int64_t y = -row; y <= row; y += row)
            for (int64_t i = 0; i < nodes; i++)
                any[i] |= open[i + y + z];
}

static void fill_row(const context *c, int64_t j, int64_t k, int64_t at)
{
    const int64_t row = c->to->node_row, plane = c->to->node_plane, cells = c->to->cells[0];
    const uint8_t *const open = c->marks->open + at;
    f4 *const to = c->to->nodes + at;
    uint8_t any[VT_MOST_CELLS + 1];
    if (!c->marks->walled[k * (c->to->cells[1] + 1) + j])
        return;
    find_open(open, row, plane, cells + 1, any);
    for (int64_t i = 1; i < cells; i++)
        if (!open[i] && (any[i - 1] | any[i] | any[i + 1]))
            to[i] = mean_around(to + i, open + i, row, plane);
}

void VT_NAME(masked_slope)(vt_grid *from, const vt_node_marks *marks, const float spread[3],
                           vt_grid *to, int threads)
{
    context c = {from, to, marks, spread, slope_beside_walls};
    const int64_t planes = to->cells[2] + 1, block = 1 + BLOCK_NODES / to->node_plane;
    vti_parallel_for(threads, planes, block, work_on_planes, &c);
    const int spreads = spread[0] > 0 || spread[1] > 0 || spread[2] > 0;
    c.work = spread_row;
    for (int pass = 0; pass < SPREADS && spreads; pass++) {
        vti_parallel_for(threads, planes, block, copy_planes, &c);
        vti_parallel_for(threads, planes, block, work_on_planes, &c);
    }
    c.work = fill_row;
    vti_parallel_for(threads, planes, block, work_on_planes, &c);
}
