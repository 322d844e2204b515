#include "preview/bricks.h"

#include <math.h>

#include "base/decay.h"
#include "base/math_double.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/status.h"
#include "preview/fire.h"

#define MOST_CELLS (INT64_C(1) << 28) /* larger boxes are read with merged voxels: 645^3 */

enum { RIM_BELOW = 1, RIM_ABOVE = BRICK_SIDE - BRICK - RIM_BELOW };

/* First and last leaf along each axis, in leaves; last < first when there is none. */
typedef struct span {
    int32_t first[3], last[3];
} span;

static span span_of_leaves(const vt_leaves *leaves)
{
    span s = {{INT32_MAX, INT32_MAX, INT32_MAX}, {INT32_MIN, INT32_MIN, INT32_MIN}};
    for (int64_t row = 0; row < leaves->count; row++) {
        int32_t voxel[3];
        vti_leaf_origin(leaves->keys[row], voxel);
        for (int axis = 0; axis < 3; axis++) {
            const int32_t leaf = voxel[axis] >> 3;
            s.first[axis] = leaf < s.first[axis] ? leaf : s.first[axis];
            s.last[axis] = leaf > s.last[axis] ? leaf : s.last[axis];
        }
    }
    return s;
}

/* Bricks on the lattice of the world, so that the cells of a shot do not shift as its box grows,
 * with one more brick on each side for the rims. */
static void place_bricks(const span *s, double voxel_size, vt_bricks *bricks)
{
    for (bricks->merge_bits = 0;; bricks->merge_bits++) {
        const int32_t bits = bricks->merge_bits, merge = 1 << bits;
        int64_t cells = 1;
        bricks->cell = voxel_size * merge;
        for (int axis = 0; axis < 3; axis++) {
            const int32_t low = (s->first[axis] >> bits) - 1, high = (s->last[axis] >> bits) + 1;
            bricks->first[axis] = low * BRICK;
            bricks->count[axis] = high - low + 1;
            bricks->origin[axis] =
                voxel_size * ((double)bricks->first[axis] * merge + 0.5 * (merge - 1));
            cells *= BRICK * (int64_t)bricks->count[axis];
        }
        if (cells <= MOST_CELLS)
            return;
    }
}

static int64_t index_of(const vt_bricks *bricks, int32_t i, int32_t j, int32_t k)
{
    return ((int64_t)k * bricks->count[1] + j) * bricks->count[0] + i;
}

/* The brick that holds a leaf, and the leaf's first cell in it. */
static void place_of_leaf(const vt_bricks *bricks, uint64_t key, int32_t brick[3], int32_t cell[3])
{
    int32_t voxel[3];
    vti_leaf_origin(key, voxel);
    for (int axis = 0; axis < 3; axis++) {
        const int32_t from_first = (voxel[axis] >> bricks->merge_bits) - bricks->first[axis];
        brick[axis] = from_first / BRICK;
        cell[axis] = from_first % BRICK;
    }
}

/* Marks the brick of a leaf and the neighbours whose rims its smoke reaches. */
static void mark_leaf(vt_bricks *bricks, const vt_leaves *leaves, int64_t row)
{
    int32_t brick[3], cell[3], low[3], high[3];
    if (!vti_leaf_bounds(leaves, row, low, high))
        return;
    place_of_leaf(bricks, leaves->keys[row], brick, cell);
    for (int axis = 0; axis < 3; axis++) {
        const int32_t least = cell[axis] + (low[axis] >> bricks->merge_bits);
        const int32_t most = cell[axis] + (high[axis] >> bricks->merge_bits);
        low[axis] = brick[axis] - (least < RIM_ABOVE);
        high[axis] = brick[axis] + (most >= BRICK - RIM_BELOW);
    }
    for (int32_t k = low[2]; k <= high[2]; k++)
        for (int32_t j = low[1]; j <= high[1]; j++)
            for (int32_t i = low[0]; i <= high[0]; i++)
                bricks->index[index_of(bricks, i, j, k)] = 0;
}

/* Numbers the marked bricks in order of place; place may be NULL. Returns how many. */
static int64_t number_bricks(vt_bricks *bricks, int32_t *place)
{
    int64_t stored = 0, b = 0;
    for (int32_t k = 0; k < bricks->count[2]; k++)
        for (int32_t j = 0; j < bricks->count[1]; j++)
            for (int32_t i = 0; i < bricks->count[0]; i++, b++) {
                if (bricks->index[b] < 0)
                    continue;
                if (place) {
                    const int32_t ijk[3] = {i, j, k};
                    memcpy(place + 3 * stored, ijk, sizeof ijk);
                    bricks->index[b] = (int32_t)stored;
                }
                stored++;
            }
    return stored;
}

/* ---- filling ---- */

typedef struct filling {
    const vt_leaves *leaves;
    const float *values; /* on the rows of the leaves */
    const vt_bricks *bricks;
    float *cells;
} filling;

static void copy_leaf(const float *values, float *cells)
{
    for (int x = 0; x < VT_LEAF_SIDE; x++)
        for (int y = 0; y < VT_LEAF_SIDE; y++)
            memcpy(cells + (x * BRICK_SIDE + y) * BRICK_SIDE,
                   values + (x * VT_LEAF_SIDE + y) * VT_LEAF_SIDE, VT_LEAF_SIDE * sizeof(float));
}

/* Adds the voxels' shares to merged cells. */
static void merge_leaf(const float *values, int32_t bits, float *cells)
{
    const float share = 1.0f / (float)(INT64_C(1) << (3 * bits));
    for (int x = 0; x < VT_LEAF_SIDE; x++)
        for (int y = 0; y < VT_LEAF_SIDE; y++)
            for (int z = 0; z < VT_LEAF_SIDE; z++)
                cells[((x >> bits) * BRICK_SIDE + (y >> bits)) * BRICK_SIDE + (z >> bits)] +=
                    share * *values++;
}

static void fill_cells(void *context, int64_t row)
{
    const filling *const f = context;
    const vt_bricks *const bricks = f->bricks;
    int32_t brick[3], cell[3];
    place_of_leaf(bricks, f->leaves->keys[row], brick, cell);
    const int32_t b = bricks->index[index_of(bricks, brick[0], brick[1], brick[2])];
    if (b < 0)
        return;
    const float *const values = f->values + row * VT_LEAF_VOXELS;
    float *const cells =
        f->cells + (int64_t)b * BRICK_VALUES + vti_brick_cell(cell[0], cell[1], cell[2]);
    if (bricks->merge_bits == 0)
        copy_leaf(values, cells);
    else
        merge_leaf(values, bricks->merge_bits, cells);
}

/* First and last cell of the rim (or of the inside) towards a neighbour at -1, 0 or 1. */
static void rim_towards(int side, int32_t *first, int32_t *last)
{
    *first = side < 0 ? -RIM_BELOW : side > 0 ? BRICK : 0;
    *last = side < 0 ? -1 : side > 0 ? BRICK + RIM_ABOVE - 1 : BRICK - 1;
}

/* Copies what the brick `to` sees of the inside of its neighbour at side[]. */
static void copy_rim(const float *from, float *to, const int side[3])
{
    int32_t first[3], last[3];
    for (int axis = 0; axis < 3; axis++)
        rim_towards(side[axis], &first[axis], &last[axis]);
    for (int32_t x = first[0]; x <= last[0]; x++)
        for (int32_t y = first[1]; y <= last[1]; y++)
            for (int32_t z = first[2]; z <= last[2]; z++)
                to[vti_brick_cell(x, y, z)] = from[vti_brick_cell(
                    x - BRICK * side[0], y - BRICK * side[1], z - BRICK * side[2])];
}

static void fill_rim(void *context, int64_t b)
{
    const filling *const f = context;
    const vt_bricks *const bricks = f->bricks;
    for (int n = 0; n < 27; n++) {
        const int side[3] = {n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1};
        int32_t at[3];
        _Bool inside = n != 13;
        for (int axis = 0; axis < 3; axis++) {
            at[axis] = bricks->place[3 * b + axis] + side[axis];
            inside = inside && at[axis] >= 0 && at[axis] < bricks->count[axis];
        }
        const int32_t from = inside ? bricks->index[index_of(bricks, at[0], at[1], at[2])] : -1;
        if (from >= 0)
            copy_rim(f->cells + (int64_t)from * BRICK_VALUES, f->cells + b * BRICK_VALUES, side);
    }
}

/* Values on the rows of the leaves as the bricks have them; NULL when there is no memory. */
static float *read_values(const vt_leaves *leaves, const float *values, int threads,
                          const vt_bricks *bricks)
{
    float *const cells =
        vti_allocate_zeroed((size_t)(bricks->stored + 1), BRICK_VALUES * sizeof(float));
    filling f = {leaves, values, bricks, cells};
    if (!cells)
        return NULL;
    /* Merged leaves share bricks: one after the other. */
    vti_parallel_each(bricks->merge_bits == 0 ? threads : 1, leaves->count, 32, fill_cells, &f);
    vti_parallel_each(threads, bricks->stored, 32, fill_rim, &f);
    return cells;
}

static _Bool read_leaves(const vt_leaves *leaves, int threads, vt_bricks *bricks)
{
    const int64_t places = (int64_t)bricks->count[0] * bricks->count[1] * bricks->count[2];
    bricks->index = vti_allocate((size_t)places * sizeof(int32_t));
    if (!bricks->index)
        return 0;
    for (int64_t b = 0; b < places; b++)
        bricks->index[b] = -1;
    for (int64_t row = 0; row < leaves->count; row++)
        mark_leaf(bricks, leaves, row);
    bricks->stored = number_bricks(bricks, NULL);
    bricks->place = vti_allocate((size_t)(bricks->stored + 1) * 3 * sizeof(int32_t));
    if (!bricks->place)
        return 0;
    number_bricks(bricks, bricks->place);
    bricks->density = read_values(leaves, leaves->values, threads, bricks);
    return bricks->density != NULL;
}

typedef struct weighting {
    const float *weight, *values;
    float *products;
} weighting;

static void multiply(void *context, int64_t begin, int64_t end)
{
    const weighting *const w = context;
    for (int64_t i = begin * VT_LEAF_VOXELS; i < end * VT_LEAF_VOXELS; i++)
        w->products[i] = w->weight[i] * w->values[i];
}

static vt_status read_dye(const vt_volume *volume, int threads, vt_bricks *bricks)
{
    const vt_leaves *const leaves = &volume->density;
    float *const products = vti_borrow((size_t)leaves->count * VT_LEAF_VOXELS * sizeof(float));
    weighting w = {leaves->values, volume->field[VT_VOLUME_temperature], products};
    if (products) {
        vti_parallel_for(threads, leaves->count, 16, multiply, &w);
        bricks->warmth = read_values(leaves, products, threads, bricks);
    }
    vti_return_borrowed(products);
    return bricks->warmth ? VT_OK
                          : vti_fail(VT_OUT_OF_MEMORY, "no memory for the dye of a preview");
}

static void look_for_glow(void *context, int64_t b)
{
    const vt_bricks *const bricks = context;
    const float *const glow = bricks->glow + b * BRICK_VALUES;
    float most = 0.0f;
    for (int n = 0; n < BRICK_VALUES; n++)
        most = glow[n] > most ? glow[n] : most;
    bricks->glows[b] = most > 0.0f;
}

static vt_status read_fire(const vt_volume *volume, int threads, vt_bricks *bricks)
{
    float *glow, *warmth;
    const vt_status status = vti_find_glow(volume, threads, &glow, &warmth);
    if (status != VT_OK)
        return status;
    bricks->glow = read_values(&volume->density, glow, threads, bricks);
    bricks->warmth = read_values(&volume->density, warmth, threads, bricks);
    vti_return_borrowed(glow);
    vti_return_borrowed(warmth);
    bricks->glows = vti_allocate((size_t)bricks->stored + 1);
    if (!bricks->glow || !bricks->warmth || !bricks->glows)
        return vti_fail(VT_OUT_OF_MEMORY, "no memory for the fire of a preview");
    vti_parallel_each(threads, bricks->stored, 32, look_for_glow, bricks);
    return VT_OK;
}

vt_status vti_create_bricks(const vt_volume *volume, _Bool dyed, int threads, vt_bricks *bricks)
{
    memset(bricks, 0, sizeof *bricks);
    if (volume->density.count == 0)
        return VT_OK;
    const span s = span_of_leaves(&volume->density);
    place_bricks(&s, volume->voxel_size, bricks);
    vt_status status = VT_OK;
    if (!read_leaves(&volume->density, threads, bricks))
        status = vti_fail(VT_OUT_OF_MEMORY, "no memory for the preview of %lld leaves of smoke",
                          (long long)volume->density.count);
    else if (dyed)
        status = read_dye(volume, threads, bricks);
    else if (volume->field[VT_VOLUME_flame])
        status = read_fire(volume, threads, bricks);
    if (status != VT_OK)
        vti_destroy_bricks(bricks);
    return status;
}

void vti_destroy_bricks(vt_bricks *bricks)
{
    vti_free(bricks->index);
    vti_free(bricks->place);
    vti_free(bricks->density);
    vti_free(bricks->glow);
    vti_free(bricks->glows);
    vti_free(bricks->warmth);
    vti_free(bricks->light);
    vti_free(bricks->shade);
    memset(bricks, 0, sizeof *bricks);
}

/* ---- shadow on what is not smoke ---- */

/* Between the nodes; at: nodes from the first, inside of the lattice. */
static float shade_at(const vt_bricks *bricks, const double at[3])
{
    const int64_t row = 4 * bricks->count[0] + 1, plane = row * (4 * bricks->count[1] + 1);
    int64_t cell[3];
    float share[3];
    for (int axis = 0; axis < 3; axis++) {
        const int64_t last = 4 * (int64_t)bricks->count[axis] - 1;
        const int64_t low = at[axis] > 0.0 ? (int64_t)at[axis] : 0;
        cell[axis] = low < last ? low : last;
        share[axis] = (float)(at[axis] - (double)cell[axis]);
    }
    const float *const node = bricks->shade + cell[2] * plane + cell[1] * row + cell[0];
    float line[4];
    for (int n = 0; n < 4; n++) {
        const float *const from = node + (n >> 1) * plane + (n & 1) * row;
        line[n] = from[0] + share[0] * (from[1] - from[0]);
    }
    const float low = line[0] + share[1] * (line[1] - line[0]);
    return low + share[2] * (line[2] + share[1] * (line[3] - line[2]) - low);
}

float vti_key_through_smoke(const vt_bricks *bricks, const double point[3], const double way[3])
{
    double at[3], from = 0.0, to = INFINITY;
    if (!bricks->shade)
        return 1.0f;
    for (int axis = 0; axis < 3; axis++) {
        const double size = 4.0 * bricks->count[axis];
        at[axis] = (point[axis] - bricks->origin[axis]) / (2.0 * bricks->cell);
        if (vti_abs(way[axis]) < 1e-12) {
            if (at[axis] < 0.0 || at[axis] > size)
                return 1.0f;
            continue;
        }
        const double a = -at[axis] / way[axis], b = (size - at[axis]) / way[axis];
        from = a < b ? (a > from ? a : from) : (b > from ? b : from);
        to = a < b ? (b < to ? b : to) : (a < to ? a : to);
    }
    if (!(from < to))
        return 1.0f;
    for (int axis = 0; axis < 3; axis++)
        at[axis] += from * way[axis];
    return vti_decay(-shade_at(bricks, at));
}
