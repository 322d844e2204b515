#include "kernels/sums/cluster_moments.h"

#include "base/parallel.h"

enum { BLOCK_NODES = 1024 /* nodes that a block should have at least: 1 us */ };

typedef struct moments_work {
    const vt_grid *grid;
    const vt_moments *tree;
    vt_cluster *clusters;
    const float *zeros; /* a row of nodes */
    float *columns;     /* COLUMN_SUMS x column_pitch for each thread, thread_floats apart */
    int64_t thread_floats;
    int64_t column_pitch;
    int level; /* of the parents that are made now */
} moments_work;

/* Moments about a point that lies at -(x, y, z) from the present one. */
VT_INLINE void shift_moments(f4 m[MOMENTS], float x, float y, float z)
{
    const f4 sum = m[MOMENT_SUM], sum_y = m[MOMENT_Y] + sum * y, sum_z = m[MOMENT_Z] + sum * z;
    m[MOMENT_XX] += (m[MOMENT_X] * x - m[MOMENT_Z] * z) + sum * (0.5f * (x * x - z * z));
    m[MOMENT_YY] += (m[MOMENT_Y] * y - m[MOMENT_Z] * z) + sum * (0.5f * (y * y - z * z));
    m[MOMENT_XY] += m[MOMENT_X] * y + sum_y * x;
    m[MOMENT_XZ] += m[MOMENT_X] * z + sum_z * x;
    m[MOMENT_YZ] += m[MOMENT_Y] * z + sum_z * y;
    m[MOMENT_X] += sum * x;
    m[MOMENT_Y] = sum_y;
    m[MOMENT_Z] = sum_z;
}

/* The fourth lane of each moment is overwritten by the next, that of the last by the centre. */
VT_INLINE void store_cluster(vt_cluster *block, const f4 m[MOMENTS], const float centre[3],
                             float weight, uint32_t children)
{
    for (int t = 0; t < MOMENTS; t++)
        f4_store(block->moment[t], m[t]);
    memcpy(block->centre, centre, sizeof block->centre);
    block->weight = weight;
    block->children = children;
}

/* ---- leaves ---- */

enum { LEAF_ROWS = 64 /* in a leaf at most: the last one has less than two edges of nodes */ };

/* Sums over y and z of a column of nodes, of strength times 1, y, z, y^2, z^2, y z. */
enum { COLUMN_SUM, COLUMN_Y, COLUMN_Z, COLUMN_YY, COLUMN_ZZ, COLUMN_YZ, COLUMN_SUMS };

/* Columns of ny x nz nodes, row by row, for all nodes along x (`floats`, four each). */
VT_INLINE void sum_columns(const moments_work *w, const float *const rows[], int ny, int nz,
                           float middle, int64_t floats, float *columns)
{
    for (int64_t x = 0; x < floats; x += VL) {
        vf sum[COLUMN_SUMS] = {{0}};
        for (int k = 0; k < nz; k++) {
            vf level = {0}, level_y = {0}, level_yy = {0};
            for (int j = 0; j < ny; j++) {
                const vf node = vf_load(rows[k * ny + j] + x);
                const vf node_y = node * ((float)j - middle);
                level += node;
                level_y += node_y;
                level_yy += node_y * ((float)j - middle);
            }
            const float z = (float)k - middle;
            const vf level_z = level * z;
            sum[COLUMN_SUM] += level;
            sum[COLUMN_Y] += level_y;
            sum[COLUMN_Z] += level_z;
            sum[COLUMN_YY] += level_yy;
            sum[COLUMN_ZZ] += level_z * z;
            sum[COLUMN_YZ] += level_y * z;
        }
        for (int m = 0; m < COLUMN_SUMS; m++)
            vf_store(columns + m * w->column_pitch + x, sum[m]);
    }
}

/* One leaf from its nx columns; middle is that of the block in x, from its first node, and centre
 * its middle on the grid. */
VT_INLINE void make_leaf(const float *columns, int64_t pitch, int nx, float middle,
                         const float centre[3], vt_cluster *leaf)
{
    f4 m[MOMENTS] = {{0}}, yy = {0}, zz = {0};
    for (int i = 0; i < nx; i++) {
        const float *const column = columns + 4 * i;
        const f4 x = f4_set((float)i - middle);
        const f4 sum = f4_load(column + COLUMN_SUM * pitch), y = f4_load(column + COLUMN_Y * pitch),
                 z = f4_load(column + COLUMN_Z * pitch), sum_x = sum * x;
        m[MOMENT_SUM] += sum;
        m[MOMENT_X] += sum_x;
        m[MOMENT_XX] += sum_x * x;
        m[MOMENT_Y] += y;
        m[MOMENT_XY] += y * x;
        m[MOMENT_Z] += z;
        m[MOMENT_XZ] += z * x;
        m[MOMENT_YZ] += f4_load(column + COLUMN_YZ * pitch);
        yy += f4_load(column + COLUMN_YY * pitch);
        zz += f4_load(column + COLUMN_ZZ * pitch);
    }
    const float weight = m[MOMENT_SUM][3];
    if (!(weight > 0.0f)) {
        leaf->children = 0;
        return;
    }
    m[MOMENT_XX] = (m[MOMENT_XX] - zz) * f4_set(0.5f);
    m[MOMENT_YY] = (yy - zz) * f4_set(0.5f);
    const float off[3] = {m[MOMENT_X][3] / weight, m[MOMENT_Y][3] / weight,
                          m[MOMENT_Z][3] / weight};
    shift_moments(m, -off[0], -off[1], -off[2]);
    const float mean[3] = {centre[0] + off[0], centre[1] + off[1], centre[2] + off[2]};
    store_cluster(leaf, m, mean, weight, 1);
}

/* Nodes along an axis of the leaf at this place: the last also takes the last node. */
static int leaf_nodes(const moments_work *w, int axis, int32_t place)
{
    const int edge = w->tree->edge;
    return place < w->tree->blocks[0][axis] - 1 ? edge : w->grid->cells[axis] + 1 - place * edge;
}

/* Lists the rows of ny x nz nodes from (j, k) on; returns how many hold anything. */
static int find_rows(const moments_work *w, int64_t j, int64_t k, int ny, int nz,
                     const float *rows[LEAF_ROWS])
{
    int filled = 0;
    for (int n = 0; n < ny * nz; n++) {
        rows[n] = vti_filled_row(w->grid, j + n % ny, k + n / ny, w->zeros);
        filled += rows[n] != w->zeros;
    }
    return filled;
}

/* The leaves at (j, k), all along x. */
static void make_leaf_row(const moments_work *w, int32_t j, int32_t k, float *columns)
{
    const vt_grid *const grid = w->grid;
    const int32_t *const above = w->tree->blocks[1];
    const int edge = w->tree->edge, ny = leaf_nodes(w, 1, j), nz = leaf_nodes(w, 2, k);
    const float middle = 0.5f * (float)(edge - 1);
    const int64_t floats = 4 * ((int64_t)grid->cells[0] + 1);
    const float *rows[LEAF_ROWS];
    const int filled = find_rows(w, j * edge, k * edge, ny, nz, rows);
    if (filled && ny == 4 && nz == 4)
        sum_columns(w, rows, 4, 4, 1.5f, floats, columns);
    else if (filled)
        sum_columns(w, rows, ny, nz, middle, floats, columns);

    const int octant = (j & 1) << 1 | (k & 1) << 2;
    const int64_t row = (int64_t)above[0] * (j / 2 + (int64_t)above[1] * (k / 2));
    vt_cluster *const leaves = w->clusters + w->tree->first[0] + 8 * row + octant;
    float centre[3] = {0, (float)(j * edge) + middle, (float)(k * edge) + middle};
    for (int32_t i = 0; i < w->tree->blocks[0][0]; i++) {
        const float *const from = columns + 4 * edge * i;
        const int nx = leaf_nodes(w, 0, i);
        centre[0] = (float)(i * edge) + middle;
        vt_cluster *const leaf = leaves + 8 * (i / 2) + (i & 1);
        if (!filled)
            leaf->children = 0;
        else if (nx == 4)
            make_leaf(from, w->column_pitch, 4, 1.5f, centre, leaf);
        else
            make_leaf(from, w->column_pitch, nx, middle, centre, leaf);
    }
}

/* ---- moments of parents ---- */

/* Sums the moments of the occupied children about their mean position. */
static void merge_children(vt_cluster *parent, const vt_cluster *children, uint32_t occupied)
{
    float weight = 0, centre[3] = {0};
    for (int o = 0; o < 8; o++)
        if (occupied >> o & 1) {
            weight += children[o].weight;
            for (int axis = 0; axis < 3; axis++)
                centre[axis] += children[o].weight * children[o].centre[axis];
        }
    for (int axis = 0; axis < 3; axis++)
        centre[axis] /= weight;

    f4 m[MOMENTS] = {{0}};
    for (int o = 0; o < 8; o++)
        if (occupied >> o & 1) {
            f4 child[MOMENTS];
            for (int t = 0; t < MOMENTS; t++)
                child[t] = f4_load(children[o].moment[t]);
            const float *const from = children[o].centre;
            shift_moments(child, from[0] - centre[0], from[1] - centre[1], from[2] - centre[2]);
            for (int t = 0; t < MOMENTS; t++)
                m[t] += child[t];
        }
    store_cluster(parent, m, centre, weight, parent->children);
}

static int64_t row_major(const int32_t at[3], const int32_t size[3])
{
    return ((int64_t)at[2] * size[1] + at[1]) * size[0] + at[0];
}

/* Where the record of a block lies: among its seven siblings, which lie in the order of parents. */
static int64_t cluster_index(const vt_moments *tree, int level, const int32_t at[3])
{
    if (level == tree->levels - 1)
        return tree->first[level];
    const int32_t above[3] = {at[0] / 2, at[1] / 2, at[2] / 2};
    const int octant = (at[0] & 1) | (at[1] & 1) << 1 | (at[2] & 1) << 2;
    return tree->first[level] + 8 * row_major(above, tree->blocks[level + 1]) + octant;
}

/* The parent at block position at[] of w->level, from its children. */
static void make_parent(const moments_work *w, const int32_t at[3])
{
    const vt_moments *const tree = w->tree;
    const int32_t *const below = tree->blocks[w->level - 1];
    const int64_t child = tree->first[w->level - 1] + 8 * row_major(at, tree->blocks[w->level]);
    const vt_cluster *const children = &w->clusters[child];
    uint32_t occupied = 0;
    for (int o = 0; o < 8; o++) {
        const int exists = 2 * at[0] + (o & 1) < below[0] && 2 * at[1] + (o >> 1 & 1) < below[1] &&
                           2 * at[2] + (o >> 2) < below[2];
        if (exists && children[o].children)
            occupied |= 1u << o;
    }
    vt_cluster *const parent = &w->clusters[cluster_index(tree, w->level, at)];
    parent->children = occupied ? (uint32_t)(child << 5) | occupied : 0;
    if (occupied)
        merge_children(parent, children, occupied);
}

/* Leaves and their parents, a row of parents at a time. */
static void make_leaves(void *context, int64_t begin, int64_t end, int thread)
{
    const moments_work *const w = context;
    const int32_t *const leaves = w->tree->blocks[0], *const parents = w->tree->blocks[1];
    float *const columns = w->columns + thread * w->thread_floats;
    for (int64_t n = begin; n < end; n++) {
        int32_t at[3] = {0, (int32_t)(n % parents[1]), (int32_t)(n / parents[1])};
        for (int32_t k = 2 * at[2]; k < 2 * at[2] + 2 && k < leaves[2]; k++)
            for (int32_t j = 2 * at[1]; j < 2 * at[1] + 2 && j < leaves[1]; j++)
                make_leaf_row(w, j, k, columns);
        for (at[0] = 0; at[0] < parents[0]; at[0]++)
            make_parent(w, at);
    }
}

static void make_one_parent(void *context, int64_t n)
{
    const moments_work *const w = context;
    const int32_t *const size = w->tree->blocks[w->level];
    make_parent(w, (int32_t[3]){(int32_t)(n % size[0]), (int32_t)(n / size[0] % size[1]),
                                (int32_t)(n / ((int64_t)size[0] * size[1]))});
}

void VT_NAME(moments)(const vt_grid *grid, vt_moments *tree, vt_arena *arena, int threads)
{
    const size_t mark = vti_arena_mark(arena);
    vti_moments_layout(tree, grid->cells);
    moments_work w = {.grid = grid, .tree = tree, .clusters = tree->memory, .level = 1};
    w.column_pitch = (4 * ((int64_t)grid->cells[0] + 1) + VT_LANES - 1) / VT_LANES * VT_LANES;
    w.thread_floats = COLUMN_SUMS * w.column_pitch + VT_STREAMS_APART / (int64_t)sizeof *w.columns;
    w.columns = vti_arena_push(arena, (size_t)(threads * w.thread_floats) * 4);
    w.zeros =
        memset(vti_arena_push(arena, (size_t)w.column_pitch * 4), 0, (size_t)w.column_pitch * 4);
    const int64_t row_nodes = 4 * tree->edge * tree->edge * ((int64_t)grid->cells[0] + 1);
    vti_parallel_for_numbered(threads, (int64_t)tree->blocks[1][1] * tree->blocks[1][2],
                              1 + BLOCK_NODES / row_nodes, make_leaves, &w);
    for (w.level = 2; w.level < tree->levels; w.level++) {
        const int32_t *const size = tree->blocks[w.level];
        vti_parallel_each(threads, (int64_t)size[0] * size[1] * size[2], 64, make_one_parent, &w);
    }
    vti_arena_pop(arena, mark);
}
