#include "kernels/grid/deposit.h"

#include "base/parallel.h"
#include "base/vec3.h"
#include "kernels/grid/quadratic.h"

enum {
    SMALL_SLAB_CELLS = 32, /* boxes no higher than this have slabs of two layers, else four, which
                              splines need */
    BLOCK_WORK = 1024      /* records x 8 + nodes that a block has at least: .3 us */
};

typedef float f2 __attribute__((vector_size(8)));

typedef struct deposit_job {
    vt_grid *grid;
    float *volume; /* volume at each node, where the four lanes of a node hold other things; else
                      NULL */
    int lengths;   /* |strength| instead of volumes in the fourth lane */
    const vt_record *records;
    const uint32_t *row_start;
    int64_t layers, colour; /* layers of cells in a slab; 0 even slabs, 1 odd ones */
} deposit_job;

/* The four pairs of neighbours along x take one product each of the strength with the y, z weights:
 * w0 = s - s f, w1 = s f is the split along every axis. */
VT_INLINE void add_values(float *node, int64_t row, int64_t plane, f4 values, const float part[3])
{
    const f8 fy = f8_set(part[1]), fz = f8_set(part[2]);
    const f4 right = values * f4_set(part[0]);
    const f8 pair = f8_join(values - right, right);
    const f8 back = pair * fz, front = pair - back;
    const f8 front_high = front * fy, front_low = front - front_high;
    const f8 back_high = back * fy, back_low = back - back_high;
    f8_store(node, f8_load(node) + front_low);
    f8_store(node + row, f8_load(node + row) + front_high);
    f8_store(node + plane, f8_load(node + plane) + back_low);
    f8_store(node + plane + row, f8_load(node + plane + row) + back_high);
}

VT_INLINE void add_two(float *node, float left, float right)
{
    f2 sum;
    memcpy(&sum, node, sizeof sum);
    sum += (f2){left, right};
    memcpy(node, &sum, sizeof sum);
}

/* Adds one value of a record to the eight nodes around it, nodes of one float. */
VT_INLINE void add_value(float *node, int64_t row, int64_t plane, float value, const float part[3])
{
    const float right = value * part[0], left = value - right;
    const f4 pair = {left, right, left, right};
    const f4 back = pair * f4_set(part[2]);
    const f8 both = f8_join(pair - back, back);
    const f8 high = both * f8_set(part[1]), low = both - high;
    add_two(node, low[0], low[1]);
    add_two(node + row, high[0], high[1]);
    add_two(node + plane, low[4], low[5]);
    add_two(node + plane + row, high[4], high[5]);
}

/* ---- with quadratic B-splines ---- */

/* Adds values to the 27 nodes around point l of a room, some of which lie behind walls: what comes
 * there is the image's before them. */
static __attribute__((noinline)) void add_mirrored(const vt_grid *grid, const vt_spline_cells *c,
                                                   int l, f4 values)
{
    for (int n = 0; n < 27; n++) {
        const int32_t step[3] = {n % 3, n / 3 % 3, n / 9};
        int64_t node[3];
        f4 share = values;
        for (int a = 0; a < 3; a++) {
            const int64_t at = c->before[a][l] + step[a];
            node[a] = vti_mirrored(at, grid->cells[a]);
            share *= f4_set(c->along[a].weight[step[a]][l]);
            if (node[a] == at || grid->scalar)
                continue;
            f4 sign = {-1, -1, -1, 1};
            sign[a] = 1;
            share *= sign;
        }
        grid->nodes[node[2] * grid->node_plane + node[1] * grid->node_row + node[0]] += share;
    }
}

/* Adds values to the 27 nodes around point l. */
VT_INLINE void add_splines(const vt_grid *grid, const vt_spline_cells *c, int l, f4 values)
{
    const vt_spline_weights *const x = &c->along[0], *const y = &c->along[1],
                                   *const z = &c->along[2];
    const f8 pair = f8_join(values * f4_set(x->weight[0][l]), values * f4_set(x->weight[1][l]));
    const f4 last = values * f4_set(x->weight[2][l]);
    f4 *const first = grid->nodes + (uint32_t)c->node[l];
#pragma GCC unroll 3
    for (int k = 0; k < 3; k++)
#pragma GCC unroll 3
        for (int j = 0; j < 3; j++) {
            float *const row = (float *)(first + k * grid->node_plane + j * grid->node_row);
            const float w = y->weight[j][l] * z->weight[k][l];
            f8_store(row, f8_fma(pair, f8_set(w), f8_load(row)));
            f4_store(row + 8, f4_fma(last, f4_set(w), f4_load(row + 8)));
        }
}

/* Adds at most VL records. */
VT_INLINE void add_vector(const vt_grid *grid, int lengths, const vt_record *records, int64_t left)
{
    vt_spline_cells cells;
    vf position[4], strength[4];
    f4 values[VL];
    vti_load_records(records, left, 0, position);
    vti_load_records(records, left, 1, strength);
    vti_find_spline_cells(&cells, grid, position);
    strength[3] = lengths ? vf_sqrt(vf_dot(strength, strength)) : position[3];
    vti_lanes_to_nodes(strength, values);
    for (int l = 0; l < VL && l < left; l++) {
        if (__builtin_expect(cells.any_beyond, 0) && cells.beyond[l])
            add_mirrored(grid, &cells, l, values[l]);
        else
            add_splines(grid, &cells, l, values[l]);
    }
}

/* ---- one record ---- */

/* Adds a record to the rows of nodes below it, which begin at number `row`. */
VT_INLINE void add_record(const vt_grid *grid, float *volumes, int lengths, int64_t row,
                          const vt_record *record, float j, float k)
{
    const float x = record->position[0], volume = record->volume;
    const int32_t i = (int32_t)x;
    const float part[3] = {x - (float)i, record->position[1] - j, record->position[2] - k};
    f4 values = f4_load(record->strength);
    if (volumes)
        add_value(volumes + row + i, grid->node_row, grid->node_plane, volume, part);
    else
        values[3] = lengths ? (float)vti_length_of(record->strength) : volume;
    add_values((float *)(grid->nodes + row + i), 4 * grid->node_row, 4 * grid->node_plane, values,
               part);
}

VT_INLINE void add_rows(const deposit_job *job, float *volumes, int lengths, int64_t k)
{
    const vt_grid grid = *job->grid; /* a copy: stores cannot change it */
    const uint32_t *const start = job->row_start + k * grid.cells[1];
    for (int64_t j = 0; j < grid.cells[1]; j++)
        for (uint32_t r = start[j]; r < start[j + 1]; r++)
            add_record(&grid, volumes, lengths, k * grid.node_plane + j * grid.node_row,
                       job->records + r, (float)j, (float)k);
}

VT_INLINE void add_vectors(const deposit_job *job, int lengths, int64_t k)
{
    const vt_grid grid = *job->grid;
    const int64_t end = job->row_start[(k + 1) * grid.cells[1]];
    for (int64_t r = job->row_start[k * grid.cells[1]]; r < end; r += VL)
        add_vector(&grid, lengths, job->records + r, end - r);
}

static void add_layer(const deposit_job *job, int64_t k)
{
    if (job->volume)
        add_rows(job, job->volume, 0, k);
    else if (job->grid->fourth && job->lengths)
        add_vectors(job, 1, k);
    else if (job->grid->fourth)
        add_vectors(job, 0, k);
    else if (job->lengths)
        add_rows(job, NULL, 1, k);
    else
        add_rows(job, NULL, 0, k);
}

static void clear_row(const vt_grid *grid, int64_t j, int64_t k)
{
    memset(grid->nodes + k * grid->node_plane + j * grid->node_row, 0,
           (size_t)grid->node_row * sizeof(f4));
}

static void fill_row(const vt_grid *grid, int64_t j, int64_t k)
{
    if (vti_is_filled(grid, j, k))
        return;
    clear_row(grid, j, k);
    grid->filled[vti_row_number(grid, j, k)] = 1;
}

/* How many nodes before and behind its cell a record reaches along an axis. */
static int reach_below(const vt_grid *grid)
{
    return grid->fourth ? 1 : 0;
}

static int reach_above(const vt_grid *grid)
{
    return grid->fourth ? 2 : 1;
}

void VT_NAME(deposit_more)(vt_grid *grid, int64_t count, const vt_record *records)
{
    const int below = reach_below(grid), above = reach_above(grid);
    for (int64_t r = 0; r < count; r++) {
        const int64_t j = (int64_t)records[r].position[1], k = (int64_t)records[r].position[2];
        for (int64_t z = k - below; z <= k + above; z++)
            for (int64_t y = j - below; y <= j + above; y++)
                if (y >= 0 && y <= grid->cells[1] && z >= 0 && z <= grid->cells[2])
                    fill_row(grid, y, z);
        if (grid->fourth)
            add_vector(grid, 1, records + r, 1);
        else
            add_record(grid, NULL, 1, k * grid->node_plane + j * grid->node_row, records + r,
                       (float)j, (float)k);
    }
}

/* Whether any record is in the cells from which a row of nodes is reached, in one layer of them. */
static int has_records(const deposit_job *job, int64_t j, int64_t layer)
{
    const vt_grid *const grid = job->grid;
    const int64_t below = j - reach_above(grid), above = j + reach_below(grid) + 1;
    const int64_t low = below > 0 ? below : 0;
    const int64_t high = above < grid->cells[1] ? above : grid->cells[1];
    if (layer < 0 || layer >= grid->cells[2])
        return 0;
    const uint32_t *const start = job->row_start + layer * grid->cells[1];
    return start[low] < start[high];
}

/* Marks the rows of nodes that records reach; the other rows are not written. */
static void mark_filled_rows(const deposit_job *job, int64_t k)
{
    const vt_grid *const grid = job->grid;
    for (int64_t j = 0; j <= grid->cells[1]; j++) {
        int filled = 0;
        for (int64_t layer = k - reach_above(grid); layer <= k + reach_below(grid); layer++)
            filled |= has_records(job, j, layer);
        grid->filled[vti_row_number(grid, j, k)] = (uint8_t)filled;
        if (filled)
            clear_row(grid, j, k);
    }
}

static void clear_plane(const deposit_job *job, int64_t k)
{
    const vt_grid *const grid = job->grid;
    if (grid->filled)
        mark_filled_rows(job, k);
    else
        memset(grid->nodes + k * grid->node_plane, 0, (size_t)grid->node_plane * sizeof(f4));
    if (job->volume)
        memset(job->volume + k * grid->node_plane, 0, (size_t)grid->node_plane * sizeof(float));
}

/* Planes are cleared just before they are first written, while they are in the cache anyway: even
 * slabs own all planes that they reach, odd ones those between. */
static void deposit_slab(void *context, int64_t slab)
{
    const deposit_job *const job = context;
    const int64_t top = job->grid->cells[2];
    const int64_t below = reach_below(job->grid), above = reach_above(job->grid);
    const int even = job->colour == 0;
    const int64_t first = (2 * slab + job->colour) * job->layers;
    const int64_t last = first + job->layers < top ? first + job->layers : top;
    const int64_t owned = even ? last + above : last < top ? last - below : top + 1;
    int64_t next = even ? first - below : first + above;
    next = next > 0 ? next : 0;
    for (int64_t k = first; k < last; k++) {
        for (; next <= k + above && next < owned && next <= top; next++)
            clear_plane(job, next);
        add_layer(job, k);
    }
    for (; next < owned && next <= top; next++)
        clear_plane(job, next);
}

static void deposit_all(deposit_job *job, int threads)
{
    const vt_grid *const grid = job->grid;
    const int64_t top = grid->cells[2];
    job->layers = top > SMALL_SLAB_CELLS || grid->fourth ? 4 : 2;
    const int64_t slabs = (top + job->layers - 1) / job->layers;
    const int64_t count = job->row_start[top * grid->cells[1]];
    const int64_t slab_work = (8 * count + grid->node_plane * (top + 1)) / slabs;
    const int64_t block = 1 + BLOCK_WORK / (slab_work + 1);
    for (job->colour = 0; job->colour < 2; job->colour++)
        vti_parallel_each(threads, (slabs + 1 - job->colour) / 2, block, deposit_slab, job);
}

void VT_NAME(deposit)(vt_grid *grid, const vt_record *records, const uint32_t *row_start,
                      int threads)
{
    deposit_job job = {.grid = grid, .records = records, .row_start = row_start};
    deposit_all(&job, threads);
}

void VT_NAME(deposit_lengths)(vt_grid *grid, const vt_record *records, const uint32_t *row_start,
                              int threads)
{
    deposit_job job = {.grid = grid, .lengths = 1, .records = records, .row_start = row_start};
    deposit_all(&job, threads);
}

void VT_NAME(deposit_four)(vt_grid *grid, float *volume, const vt_record *records,
                           const uint32_t *row_start, int threads)
{
    deposit_job job = {.grid = grid, .volume = volume, .records = records, .row_start = row_start};
    deposit_all(&job, threads);
}
