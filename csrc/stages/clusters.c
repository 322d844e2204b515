/* Moments of blocks of nodes and of blocks of blocks (moments.h). Leaves are summed straight from
 * the deposited nodes: along z and y first, for whole rows of nodes at once, then along x block by
 * block. Plain multiplications and additions: this is bound by memory. */
#include "stages/moments.h"

#include "core/parallel.h"

typedef struct moments_work {
    const vt_grid *grid;
    const vt_moments *tree;
    vt_cluster *clusters;
    float *columns; /* COLUMN_SUMS x column_pitch for each thread */
    int64_t column_pitch;
    int level; /* of the parents that are made now */
} moments_work;

/* ---- leaves ---- */

/* Sums over y and z of a column of nodes, of strength times 1, y, z, y^2, z^2, y z. */
enum { COLUMN_SUM, COLUMN_Y, COLUMN_Z, COLUMN_YY, COLUMN_ZZ, COLUMN_YZ, COLUMN_SUMS };

/* Columns of ny x nz nodes from `corner` on, for all nodes along x (`floats`, four each). */
VT_INLINE void sum_columns(const moments_work *w, const f4 *corner, int ny, int nz, float middle,
                           int64_t floats, float *columns)
{
    const int64_t row = 4 * w->grid->node_row, plane = 4 * w->grid->node_plane;
    for (int64_t x = 0; x < floats; x += VL) {
        const float *const first = (const float *)corner + x;
        vf sum[COLUMN_SUMS] = {{0}};
        for (int k = 0; k < nz; k++) {
            vf level = {0}, level_y = {0}, level_yy = {0};
            for (int j = 0; j < ny; j++) {
                const vf node = vf_load(first + k * plane + j * row);
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

/* One leaf from its nx columns. Returns whether there is a vorton in it; if not, nothing is
 * written. The fourth lane of each moment is overwritten by the next, the last by the centre. */
VT_INLINE int make_leaf(const float *columns, int64_t pitch, int nx, float middle,
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
    if (!(m[MOMENT_SUM][3] > 0.0f))
        return 0;
    m[MOMENT_XX] = (m[MOMENT_XX] - zz) * f4_set(0.5f);
    m[MOMENT_YY] = (yy - zz) * f4_set(0.5f);
    for (int t = 0; t < MOMENTS; t++)
        f4_store(leaf->moment[t], m[t]);
    memcpy(leaf->centre, centre, sizeof leaf->centre);
    leaf->child = 0;
    leaf->occupied = 1;
    return 1;
}

/* Nodes along an axis of the leaf at this place: the last also takes the last node. */
static int leaf_nodes(const moments_work *w, int axis, int32_t place)
{
    const int edge = w->tree->edge;
    return place < w->tree->blocks[0][axis] - 1 ? edge : w->grid->cells[axis] + 1 - place * edge;
}

/* The leaves at (j, k), all along x. */
static void make_leaf_row(const moments_work *w, int32_t j, int32_t k, float *columns)
{
    const vt_grid *const grid = w->grid;
    const int32_t *const above = w->tree->blocks[1];
    const int edge = w->tree->edge, ny = leaf_nodes(w, 1, j), nz = leaf_nodes(w, 2, k);
    const float middle = 0.5f * (float)(edge - 1);
    const f4 *const corner = grid->nodes + k * edge * grid->node_plane + j * edge * grid->node_row;
    const int64_t floats = 4 * ((int64_t)grid->cells[0] + 1);
    if (ny == 4 && nz == 4)
        sum_columns(w, corner, 4, 4, 1.5f, floats, columns);
    else
        sum_columns(w, corner, ny, nz, middle, floats, columns);

    const int octant = (j & 1) << 1 | (k & 1) << 2;
    const int64_t row = (int64_t)above[0] * (j / 2 + (int64_t)above[1] * (k / 2));
    vt_cluster *const leaves = w->clusters + w->tree->first[0] + 8 * row + octant;
    float centre[3] = {0, (float)(j * edge) + middle, (float)(k * edge) + middle};
    for (int32_t i = 0; i < w->tree->blocks[0][0]; i++) {
        const float *const from = columns + 4 * edge * i;
        const int nx = leaf_nodes(w, 0, i);
        centre[0] = (float)(i * edge) + middle;
        vt_cluster *const leaf = leaves + 8 * (i / 2) + (i & 1);
        const int any = nx == 4 ? make_leaf(from, w->column_pitch, 4, middle, centre, leaf)
                                : make_leaf(from, w->column_pitch, nx, middle, centre, leaf);
        leaf->occupied = (uint32_t)any;
    }
}

/* ---- moments of parents ---- */

/* Sums the moments of the occupied children about the centre of the parent, which lies at -(sign x
 * half) from child's; terms with half^2 fall out of the two diagonal ones: blocks are cubes. */
static void merge_children(vt_cluster *parent, const vt_cluster *children, float half)
{
    f4 m[MOMENTS] = {{0}};
    for (int o = 0; o < 8; o++) {
        if (!(parent->occupied >> o & 1))
            continue;
        f4 c[MOMENTS];
        for (int t = 0; t < MOMENTS; t++)
            c[t] = f4_load(children[o].moment[t]);
        const f4 x = f4_set(vt_octant_sign(o, 0) * half), y = f4_set(vt_octant_sign(o, 1) * half),
                 z = f4_set(vt_octant_sign(o, 2) * half);
        const f4 sum_x = c[MOMENT_SUM] * x, sum_y = c[MOMENT_SUM] * y;
        m[MOMENT_SUM] += c[MOMENT_SUM];
        m[MOMENT_X] += c[MOMENT_X] + sum_x;
        m[MOMENT_Y] += c[MOMENT_Y] + sum_y;
        m[MOMENT_Z] += c[MOMENT_Z] + c[MOMENT_SUM] * z;
        m[MOMENT_XX] += c[MOMENT_XX] + (c[MOMENT_X] * x - c[MOMENT_Z] * z);
        m[MOMENT_YY] += c[MOMENT_YY] + (c[MOMENT_Y] * y - c[MOMENT_Z] * z);
        m[MOMENT_XY] += c[MOMENT_XY] + (c[MOMENT_X] * y + (c[MOMENT_Y] + sum_y) * x);
        m[MOMENT_XZ] += c[MOMENT_XZ] + ((c[MOMENT_X] + sum_x) * z + c[MOMENT_Z] * x);
        m[MOMENT_YZ] += c[MOMENT_YZ] + ((c[MOMENT_Y] + sum_y) * z + c[MOMENT_Z] * y);
    }
    float centre[3];
    memcpy(centre, parent->centre, sizeof centre);
    for (int t = 0; t < MOMENTS; t++)
        f4_store(parent->moment[t], m[t]);
    memcpy(parent->centre, centre, sizeof centre);
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
    vt_cluster *const parent = &w->clusters[cluster_index(tree, w->level, at)];
    const vt_cluster *const children = &w->clusters[child];
    const float edge = (float)(tree->edge << w->level);
    for (int axis = 0; axis < 3; axis++)
        parent->centre[axis] = (float)at[axis] * edge + 0.5f * (edge - 1.0f);
    parent->child = (uint32_t)child;
    parent->occupied = 0;
    for (int o = 0; o < 8; o++) {
        const int exists = 2 * at[0] + (o & 1) < below[0] && 2 * at[1] + (o >> 1 & 1) < below[1] &&
                           2 * at[2] + (o >> 2) < below[2];
        if (exists && children[o].occupied)
            parent->occupied |= 1u << o;
    }
    if (parent->occupied)
        merge_children(parent, children, 0.25f * edge);
}

/* Leaves and their parents, a row of parents at a time. */
static void make_leaves(void *context, int64_t begin, int64_t end, int thread)
{
    const moments_work *const w = context;
    const int32_t *const leaves = w->tree->blocks[0], *const parents = w->tree->blocks[1];
    float *const columns = w->columns + thread * COLUMN_SUMS * w->column_pitch;
    for (int64_t n = begin; n < end; n++) {
        int32_t at[3] = {0, (int32_t)(n % parents[1]), (int32_t)(n / parents[1])};
        for (int32_t k = 2 * at[2]; k < 2 * at[2] + 2 && k < leaves[2]; k++)
            for (int32_t j = 2 * at[1]; j < 2 * at[1] + 2 && j < leaves[1]; j++)
                make_leaf_row(w, j, k, columns);
        for (at[0] = 0; at[0] < parents[0]; at[0]++)
            make_parent(w, at);
    }
}

static void make_parents(void *context, int64_t begin, int64_t end, int thread)
{
    (void)thread;
    const moments_work *const w = context;
    const int32_t *const size = w->tree->blocks[w->level];
    for (int64_t n = begin; n < end; n++)
        make_parent(w, (int32_t[3]){(int32_t)(n % size[0]), (int32_t)(n / size[0] % size[1]),
                                    (int32_t)(n / ((int64_t)size[0] * size[1]))});
}

void VT_NAME(make_moments)(const vt_grid *grid, vt_moments *tree, vt_arena *arena, int threads)
{
    const size_t mark = vt_arena_mark(arena);
    vt_moments_layout(tree, grid->cells);
    moments_work w = {.grid = grid, .tree = tree, .clusters = tree->memory, .level = 1};
    w.column_pitch = (4 * ((int64_t)grid->cells[0] + 1) + VT_LANES - 1) / VT_LANES * VT_LANES;
    w.columns = vt_arena_push(arena, (size_t)(threads * COLUMN_SUMS * w.column_pitch) * 4);
    vt_parallel_for(threads, (int64_t)tree->blocks[1][1] * tree->blocks[1][2], 1, make_leaves, &w);
    for (w.level = 2; w.level < tree->levels; w.level++) {
        const int32_t *const size = tree->blocks[w.level];
        vt_parallel_for(threads, (int64_t)size[0] * size[1] * size[2], 64, make_parents, &w);
    }
    vt_arena_pop(arena, mark);
}
