/* What the vortons carry besides vorticity, on the nodes: the mean over the vortons around a node,
 * weighted by their own volumes (part 8),
 *
 *   node = sum_i W V_i c_i / sum_i W V_i
 *
 * with W the trilinear weights, so that a value that is the same everywhere stays what it is,
 * however the vortons lie. Nodes that no vorton reaches are zero: ambient.
 *
 * Of density differences the sum over all nodes matters, too: it is the weight of the fluid. Where
 * vortons lie crowded, so that they fill a node more than once, fluid that differs takes its place
 * and what is like the ambient fluid yields:
 *
 *   node = sum_i W V_i c_i / min(sum_i W V_i, max(h^3, H))
 *   H = (sum_i W V_i |c_i|)^2 / sum_i W V_i c_i^2
 *
 * with H the volume of what differs. By the mean a plume, in which neutral vortons lie among those
 * that rise, lost an eighth of its weight. And as often as vortons fill a node they would feel its
 * slope: each feels its share of it, so that together they get what a whole node gives. Neither
 * where nobody keeps neutral vortons: there a node has the mean of what it is filled with, and one
 * with few no more than they carry. Where walls lie on the faces of the grid, the cell of a node on
 * them is the part of it that has fluid. */
#include "kernels/grid/scalar_means.h"

#include <float.h>

#include "base/parallel.h"
#include "kernels/grid/trilinear.h"

/* Records per block; nodes per block. */
enum { BLOCK = 512, BLOCK_NODES = 2048 };

/* ---- from the columns to records ---- */

typedef struct collect_context {
    const vt_grid *grid;
    const vt_record *sorted;
    const vti_scalar_rows *rows;
    const vt_fluid *fluid;
    vt_record *records;
} collect_context;

/* Values that VL vortons carry; home is the row of each in the columns. */
typedef struct carried {
    vf ambient, temperature; /* K */
    vi home;
} carried;

VT_INLINE vf ambient_in(const vt_fluid *f, const vt_grid *grid, const vf cells[3])
{
    const vf scale = vf_set((float)grid->spacing);
    vf position[3];
    for (int a = 0; a < 3; a++)
        position[a] = vf_fma(cells[a], scale, vf_set(vti_grid_origin(grid, a)));
    return vti_ambient_of_lanes(f, position);
}

VT_INLINE vf contrast_of(const vti_scalar_rows *rows, const vt_fluid *f, const carried *v)
{
    const vf own = rows->density ? vf_gather(rows->density, v->home) : (vf){0};
    return vti_deviation_of_lanes(f, v->ambient, v->temperature, own);
}

VT_INLINE vf function_of_contrast(int kind, vf contrast)
{
    if (kind == VT_SCALAR_CONTRAST_SQUARE)
        return contrast * contrast;
    return kind == VT_SCALAR_CONTRAST_SIZE ? vf_max(contrast, -contrast) : contrast;
}

VT_INLINE vf value_of(const vti_scalar_rows *rows, const vt_fluid *fluid, int lane,
                      const carried *v)
{
    const vti_scalar_lane *const l = &rows->lane[lane];
    if (l->kind == VT_SCALAR_NONE)
        return (vf){0};
    if (l->kind == VT_SCALAR_COLUMN)
        return vf_gather(l->column, v->home);
    return l->kind == VT_SCALAR_TEMPERATURE
               ? v->temperature - v->ambient
               : function_of_contrast(l->kind, contrast_of(rows, fluid, v));
}

static void collect_block(void *data, int64_t begin, int64_t end)
{
    const collect_context *const c = data;
    const vt_fluid fluid = *c->fluid; /* copies: stores cannot change them */
    const vti_scalar_rows rows = *c->rows;
    for (int64_t i = begin; i < end; i += VL) {
        const int64_t left = end - i < VL ? end - i : VL;
        vf at[4], last[4];
        f4 low[VL], high[VL];
        vti_load_records(c->sorted + i, left, 0, at);
        vti_load_records(c->sorted + i, left, 1, last);
        carried v = {.home = (vi)last[3]};
        v.ambient = ambient_in(&fluid, c->grid, at);
        v.temperature = rows.temperature ? vf_gather(rows.temperature, v.home) : v.ambient;
        at[3] = vf_gather(rows.volume, v.home);
        for (int n = 0; n < 4; n++)
            last[n] = at[3] * value_of(&rows, &fluid, n, &v);
        vti_lanes_to_nodes(at, low);
        vti_lanes_to_nodes(last, high);
        for (int l = 0; l < left; l++)
            f8_store(c->records + i + l, f8_join(low[l], high[l]));
    }
}

void VT_NAME(collect_scalars)(const vt_grid *grid, int64_t count, const vt_record *sorted,
                              const vti_scalar_rows *rows, const vt_fluid *fluid,
                              vt_record *records, int threads)
{
    collect_context c = {grid, sorted, rows, fluid, records};
    vti_parallel_for(threads, count, BLOCK, collect_block, &c);
}

/* ---- from sums to means ---- */

typedef struct normalise_context {
    const vt_grid *grid;
    const uint32_t *row_start;
    const float *volume; /* NULL: in lane 3 */
    float cell;          /* m^3 */
    int shared;          /* whether ambient fluid yields */
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

/* Divides the sums of a row of nodes by their volumes: those in `volumes`, or, with NULL, in
 * lane 3. */
VT_INLINE void normalise_row(f4 *row, const float *volumes, int64_t nodes)
{
    float *const values = (float *)row;
    for (int64_t i = 0; i < 4 * nodes; i += VL) {
        const vf sum = vf_load(values + i);
        const vf volume = volumes ? vf_load_fourfold(volumes + i / 4) : vf_fourths(sum);
        vf_store(values + i, vf_select(volume > (vf){0}, sum / volume, sum));
    }
}

static void normalise_block(void *data, int64_t begin, int64_t end)
{
    const normalise_context *const c = data;
    const vt_grid *const grid = c->grid;
    for (int64_t k = begin; k < end; k++)
        for (int64_t j = 0; j <= grid->cells[1]; j++) {
            const int64_t at = k * grid->node_plane + j * grid->node_row;
            if (!is_met(c, j, k))
                continue;
            if (c->volume)
                normalise_row(grid->nodes + at, c->volume + at, grid->cells[0] + 1);
            else
                normalise_row(grid->nodes + at, NULL, grid->cells[0] + 1);
        }
}

void VT_NAME(normalise)(vt_grid *grid, const uint32_t *row_start, const float *volume, int threads)
{
    normalise_context c = {grid, row_start, volume, 0, 0};
    vti_parallel_for(threads, grid->cells[2] + 1, 1 + BLOCK_NODES / grid->node_plane,
                     normalise_block, &c);
}

VT_INLINE f4 find_contrast(f4 sum, float cell, int shared)
{
    const float volume = sum[3];
    const float differs = sum[2] > 0 ? sum[1] * (sum[1] / sum[2]) : 0;
    const float room = differs > cell ? differs : cell;
    return (f4){sum[0] / (volume < room || !shared ? volume : room), 0, 0, volume / cell};
}

/* The share of the cell around a node that lies in the grid, along one axis: beyond walls on its
 * faces there is no fluid. */
static inline float share_within(const vt_grid *grid, int axis, int64_t node)
{
    return grid->walled && (node == 0 || node == grid->cells[axis]) ? 0.5f : 1.0f;
}

static void normalise_contrasts(void *data, int64_t begin, int64_t end)
{
    const normalise_context *const c = data;
    const vt_grid *const grid = c->grid;
    for (int64_t k = begin; k < end; k++)
        for (int64_t j = 0; j <= grid->cells[1]; j++) {
            f4 *const row = grid->nodes + k * grid->node_plane + j * grid->node_row;
            const float cell = c->cell * share_within(grid, 1, j) * share_within(grid, 2, k);
            if (!is_met(c, j, k))
                continue;
            for (int64_t i = 0; i <= grid->cells[0]; i++)
                if (row[i][3] > 0)
                    row[i] = find_contrast(row[i], cell * share_within(grid, 0, i), c->shared);
        }
}

void VT_NAME(normalise_contrasts)(vt_grid *grid, const uint32_t *row_start, int shared, int threads)
{
    const float h = (float)grid->spacing;
    normalise_context c = {grid, row_start, NULL, h * h * h, shared};
    vti_parallel_for(threads, grid->cells[2] + 1, 1 + BLOCK_NODES / grid->node_plane,
                     normalise_contrasts, &c);
}

/* ---- gradient ---- */

typedef struct slope_context {
    const vt_grid *from;
    vt_grid *to;
    float low, high; /* what a node counts as filled is at least, and at most */
} slope_context;

/* The first lane of every four of a, b, c and d, as four. */
VT_INLINE vf join_firsts(vf a, vf b, vf c, vf d)
{
#if VL == 16
    const __m512 ab = _mm512_unpacklo_ps((__m512)a, (__m512)b);
    const __m512 cd = _mm512_unpacklo_ps((__m512)c, (__m512)d);
    return (vf)_mm512_unpacklo_pd((__m512d)ab, (__m512d)cd);
#elif VL == 8
    const __m256 ab = _mm256_unpacklo_ps((__m256)a, (__m256)b);
    const __m256 cd = _mm256_unpacklo_ps((__m256)c, (__m256)d);
    return (vf)_mm256_unpacklo_pd((__m256d)ab, (__m256d)cd);
#else
    return (vf){a[0], b[0], c[0], d[0]};
#endif
}

/* Nodes 1 .. cells - 1 of a row: half the differences over two cells, shared among the vortons that
 * fill the node, and the value itself. Of a vector of nodes only the first lanes count; what is
 * made past the end is cleared. */
VT_INLINE void slope_row(const f4 *nodes, int64_t row, int64_t plane, int64_t cells, float low,
                         float high, f4 *to)
{
    enum { NODE = 4 };
    const float *const from = (const float *)nodes;
    const vf least = vf_set(low), most = vf_set(high);
    for (int64_t i = NODE; i < NODE * cells; i += VL) {
        const vf x = vf_load(from + i + NODE) - vf_load(from + i - NODE);
        const vf y = vf_load(from + i + NODE * row) - vf_load(from + i - NODE * row);
        const vf z = vf_load(from + i + NODE * plane) - vf_load(from + i - NODE * plane);
        const vf here = vf_load(from + i);
        const vf part = vf_set(0.5f) / vf_min(vf_max(vf_fourths(here), least), most);
        vf_store((float *)to + i, join_firsts(part * x, part * y, part * z, here));
    }
    to[0] = to[cells] = to[cells + 1] = (f4){0};
}

static void slope_plane(void *data, int64_t k)
{
    const slope_context *const c = data;
    const int64_t row = c->to->node_row, plane = c->to->node_plane;
    const int32_t *const cells = c->to->cells;
    for (int64_t j = 0; j <= cells[1]; j++) {
        const int64_t at = k * plane + j * row;
        if (k > 0 && k < cells[2] && j > 0 && j < cells[1])
            slope_row(c->from->nodes + at, row, plane, cells[0], c->low, c->high,
                      c->to->nodes + at);
        else
            memset(c->to->nodes + at, 0, sizeof(f4) * (size_t)(cells[0] + 2));
    }
}

void VT_NAME(slope)(const vt_grid *from, int shared, vt_grid *to, int threads)
{
    slope_context c = {from, to, shared ? VT_EMPTY_FILL : 1, shared ? FLT_MAX : 1};
    vti_parallel_each(threads, to->cells[2] + 1, 1 + BLOCK_NODES / to->node_plane, slope_plane, &c);
}
