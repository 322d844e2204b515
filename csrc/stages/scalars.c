/* What the vortons carry besides vorticity, on the nodes: the mean over the vortons around a node,
 * weighted by their own volumes (part 8),
 *
 *   node = sum_i W V_i c_i / sum_i W V_i
 *
 * with W the trilinear weights, so that a value that is the same everywhere stays what it is,
 * however the vortons lie. Nodes that no vorton reaches are zero: ambient. */
#include "stages/scalars.h"

#include "stages/stages.h"

/* Records per block; nodes per block. */
enum { BLOCK = 4096, BLOCK_NODES = 16384 };

/* ---- from the columns to records ---- */

typedef struct collect_context {
    const vt_grid *grid;
    const vt_record *sorted;
    const vt_scalar_rows *rows;
    const vt_fluid *fluid;
    vt_record *records;
} collect_context;

VT_INLINE float value_of(const vt_scalar_lane *lane, int64_t home, float contrast, float warmer)
{
    switch (lane->kind) {
    case VT_SCALAR_CONTRAST:
        return contrast;
    case VT_SCALAR_TEMPERATURE:
        return warmer;
    case VT_SCALAR_COLUMN:
        return lane->column[home];
    default:
        return 0;
    }
}

static void collect_block(void *data, int64_t begin, int64_t end, int thread)
{
    (void)thread;
    const collect_context *const c = data;
    const vt_fluid fluid = *c->fluid;
    const vt_scalar_rows rows = *c->rows;
    for (int64_t i = begin; i < end; i++) {
        const vt_record *const from = c->sorted + i;
        vt_record *const to = c->records + i;
        const int64_t home = from->home;
        float position[3];
        for (int a = 0; a < 3; a++) {
            to->position[a] = from->position[a];
            position[a] =
                f1_fma(from->position[a], (float)c->grid->spacing, vt_grid_origin(c->grid, a));
        }
        const float volume = rows.volume[home];
        const float own = rows.density ? rows.density[home] : 0;
        const float ambient = vt_ambient_temperature(&fluid, position);
        const float temperature = rows.temperature ? rows.temperature[home] : ambient;
        const float contrast = vt_density_deviation(&fluid, position, temperature, own);
        to->volume = volume;
        for (int n = 0; n < 3; n++)
            to->strength[n] =
                volume * value_of(&rows.lane[n], home, contrast, temperature - ambient);
        to->home = from->home;
    }
}

void VT_NAME(collect_scalars)(const vt_grid *grid, int64_t count, const vt_record *sorted,
                              const vt_scalar_rows *rows, const vt_fluid *fluid, vt_record *records,
                              int threads)
{
    collect_context c = {grid, sorted, rows, fluid, records};
    vt_parallel_for(threads, count, BLOCK, collect_block, &c);
}

/* ---- from sums to means ---- */

typedef struct normalise_context {
    const vt_grid *grid;
    const uint32_t *row_start;
} normalise_context;

/* Whether any record lies in the four rows of cells that meet in row j of the nodes of plane k. */
static inline int is_met(const normalise_context *c, int64_t j, int64_t k)
{
    const int64_t rows = c->grid->cells[1], planes = c->grid->cells[2];
    const int64_t low = j > 0 ? j - 1 : 0, high = j < rows ? j + 1 : rows;
    uint32_t met = 0;
    for (int64_t layer = k > 0 ? k - 1 : 0; layer <= k && layer < planes; layer++)
        met |= c->row_start[layer * rows + high] - c->row_start[layer * rows + low];
    return met != 0;
}

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
    const normalise_context *const c = data;
    const vt_grid *const grid = c->grid;
    for (int64_t k = begin; k < end; k++)
        for (int64_t j = 0; j <= grid->cells[1]; j++)
            if (is_met(c, j, k))
                normalise_row(grid->nodes + k * grid->node_plane + j * grid->node_row,
                              grid->cells[0] + 1);
}

void VT_NAME(normalise)(vt_grid *grid, const uint32_t *row_start, int threads)
{
    normalise_context c = {grid, row_start};
    vt_parallel_for(threads, grid->cells[2] + 1, 1 + BLOCK_NODES / grid->node_plane,
                    normalise_block, &c);
}

/* ---- gradient ---- */

typedef struct slope_context {
    const vt_grid *from;
    vt_grid *to;
} slope_context;

/* Nodes 1 .. cells - 1 of a row: half the differences over two cells, and the value itself. */
static void slope_row(const f4 *from, int64_t row, int64_t plane, int64_t cells, f4 *to)
{
    for (int64_t i = 1; i < cells; i++) {
        const f4 x = from[i + 1] - from[i - 1], y = from[i + row] - from[i - row];
        const f4 z = from[i + plane] - from[i - plane];
        to[i] = (f4){0.5f * x[0], 0.5f * y[0], 0.5f * z[0], from[i][0]};
    }
    to[0] = to[cells] = to[cells + 1] = (f4){0};
}

static void slope_planes(void *data, int64_t begin, int64_t end, int thread)
{
    (void)thread;
    const slope_context *const c = data;
    const int64_t row = c->to->node_row, plane = c->to->node_plane;
    const int32_t *const cells = c->to->cells;
    for (int64_t k = begin; k < end; k++)
        for (int64_t j = 0; j <= cells[1]; j++) {
            const int64_t at = k * plane + j * row;
            if (k > 0 && k < cells[2] && j > 0 && j < cells[1])
                slope_row(c->from->nodes + at, row, plane, cells[0], c->to->nodes + at);
            else
                memset(c->to->nodes + at, 0, sizeof(f4) * (size_t)(cells[0] + 2));
        }
}

void VT_NAME(slope)(const vt_grid *from, vt_grid *to, int threads)
{
    slope_context c = {from, to};
    vt_parallel_for(threads, to->cells[2] + 1, 1 + BLOCK_NODES / to->node_plane, slope_planes, &c);
}
