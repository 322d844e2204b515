/* The smoke as the march reads it: bricks of 8^3 cells with a rim, so that a lookup never leaves
 * its brick. A brick whose cells and rim are empty is not stored. */
#include "io/preview.h"

#include <stdlib.h>

#include "core/parallel.h"
#include "core/status.h"
#include "io/volume.h"

/* Larger boxes are read with merged voxels: 645^3. */
#define MOST_CELLS (INT64_C(1) << 28)

typedef struct reading {
    const vt_volume *volume;
    vt_bricks *bricks;
    float *scratch; /* of thread t at t * scratch_values: one row of bricks, merged and raw */
    int64_t row_values, scratch_values;
    _Bool fill; /* first pass: mark the bricks with smoke; second: copy them */
} reading;

static int64_t floor_divide(int64_t a, int64_t b)
{
    return a >= 0 ? a / b : -((b - 1 - a) / b);
}

/* Bricks on the lattice of the world, so that the cells of a shot do not shift as its box grows;
 * smoke is at least two cells inside, as far as a cubic lookup spreads it. */
static void place_bricks(const vt_volume_info *info, double voxel_size, vt_bricks *bricks)
{
    for (bricks->merge = 1;; bricks->merge *= 2) {
        const int32_t merge = bricks->merge;
        int64_t cells = 1;
        bricks->cell = voxel_size * merge;
        for (int axis = 0; axis < 3; axis++) {
            const int64_t lower = (int64_t)(info->lower[axis] / voxel_size) - 2;
            const int64_t upper = (int64_t)(info->upper[axis] / voxel_size) + 2;
            const int64_t low = floor_divide(floor_divide(lower, merge) - 2, BRICK);
            const int64_t high = floor_divide(floor_divide(upper, merge) + 3, BRICK);
            bricks->first[axis] = (int32_t)(low * BRICK * merge);
            bricks->count[axis] = (int32_t)(high - low + 1);
            bricks->origin[axis] = voxel_size * (bricks->first[axis] + 0.5 * (merge - 1));
            cells *= BRICK * (int64_t)bricks->count[axis];
        }
        if (cells <= MOST_CELLS)
            return;
    }
}

/* Means of merge^3 voxels. */
static void merge_voxels(const float *voxels, const int32_t shape[3], int32_t merge, float *cells)
{
    const int64_t row = (int64_t)shape[0] * merge, plane = row * shape[1] * merge;
    const float share = 1.0f / (float)(merge * merge * merge);
    for (int64_t k = 0; k < shape[2]; k++)
        for (int64_t j = 0; j < shape[1]; j++)
            for (int64_t i = 0; i < shape[0]; i++) {
                const float *const corner = voxels + (k * plane + j * row + i) * merge;
                float sum = 0.0f;
                for (int64_t z = 0; z < merge; z++)
                    for (int64_t y = 0; y < merge; y++)
                        for (int64_t x = 0; x < merge; x++)
                            sum += corner[z * plane + y * row + x];
                *cells++ = sum * share;
            }
}

/* Cells of the row of bricks (j, k), the rim included: (11, 11, 8 count + 3). */
static void read_row(const reading *r, int64_t j, int64_t k, float *cells)
{
    const vt_bricks *const bricks = r->bricks;
    const int32_t merge = bricks->merge;
    const int32_t shape[3] = {BRICK * bricks->count[0] + 3, BRICK_SIDE, BRICK_SIDE};
    const int32_t voxels[3] = {shape[0] * merge, shape[1] * merge, shape[2] * merge};
    const int32_t first[3] = {bricks->first[0] - merge,
                              bricks->first[1] + (BRICK * (int32_t)j - 1) * merge,
                              bricks->first[2] + (BRICK * (int32_t)k - 1) * merge};
    float *const raw = merge > 1 ? cells + r->row_values : cells;
    vt_volume_density(r->volume, first, voxels, raw);
    if (merge > 1)
        merge_voxels(raw, shape, merge, cells);
}

static _Bool has_smoke(const float *cells, int64_t row)
{
    for (int64_t line = 0; line < BRICK_SIDE * BRICK_SIDE; line++)
        for (int64_t x = 0; x < BRICK_SIDE; x++)
            if (cells[line * row + x] > 0.0f)
                return 1;
    return 0;
}

static void copy_brick(const float *cells, int64_t row, float *brick)
{
    for (int64_t line = 0; line < BRICK_SIDE * BRICK_SIDE; line++)
        memcpy(brick + line * BRICK_SIDE, cells + line * row, BRICK_SIDE * sizeof(float));
}

static void read_rows(void *context, int64_t begin, int64_t end, int thread)
{
    const reading *const r = context;
    vt_bricks *const bricks = r->bricks;
    const int64_t nx = bricks->count[0], row = BRICK * nx + 3;
    float *const cells = r->scratch + thread * r->scratch_values;
    for (int64_t jk = begin; jk < end; jk++) {
        int32_t *const index = bricks->index + jk * nx;
        int wanted = !r->fill;
        for (int64_t i = 0; i < nx; i++)
            wanted |= index[i] >= 0;
        if (!wanted)
            continue;
        read_row(r, jk % bricks->count[1], jk / bricks->count[1], cells);
        for (int64_t i = 0; i < nx; i++) {
            if (!r->fill)
                index[i] = has_smoke(cells + i * BRICK, row) ? 0 : -1;
            else if (index[i] >= 0)
                copy_brick(cells + i * BRICK, row,
                           bricks->density + (int64_t)index[i] * BRICK_VALUES);
        }
    }
}

/* Numbers the marked bricks in order of place; returns how many. */
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

static vt_status read_bricks(reading *r, int threads)
{
    vt_bricks *const bricks = r->bricks;
    const int64_t rows = (int64_t)bricks->count[1] * bricks->count[2];
    vt_parallel_for(threads, rows, 4, read_rows, r);
    bricks->stored = number_bricks(bricks, NULL);
    const size_t stored = (size_t)bricks->stored;
    bricks->place = malloc((stored + 1) * 3 * sizeof(int32_t));
    bricks->density = calloc(stored + 1, BRICK_VALUES * sizeof(float));
    if (!bricks->place || !bricks->density)
        return VT_OUT_OF_MEMORY;
    number_bricks(bricks, bricks->place);
    r->fill = 1;
    vt_parallel_for(threads, rows, 4, read_rows, r);
    return VT_OK;
}

vt_status vt_create_bricks(const vt_volume *volume, int threads, vt_bricks *bricks)
{
    vt_volume_info info;
    memset(bricks, 0, sizeof *bricks);
    const vt_status status = vt_get_volume_info(volume, &info);
    if (status != VT_OK || info.active_voxels == 0)
        return status;
    place_bricks(&info, volume->voxel_size, bricks);
    reading r = {.volume = volume, .bricks = bricks};
    const int64_t merge = bricks->merge, merged = 1 + (merge > 1 ? merge * merge * merge : 0);
    r.row_values = (BRICK * (int64_t)bricks->count[0] + 3) * BRICK_SIDE * BRICK_SIDE;
    r.scratch_values = r.row_values * merged;
    r.scratch = malloc((size_t)(threads * r.scratch_values) * sizeof(float));
    const int64_t places = (int64_t)bricks->count[0] * bricks->count[1] * bricks->count[2];
    bricks->index = malloc((size_t)places * sizeof(int32_t));
    const vt_status read = r.scratch && bricks->index ? read_bricks(&r, threads) : VT_OUT_OF_MEMORY;
    free(r.scratch);
    if (read != VT_OK) {
        vt_destroy_bricks(bricks);
        return vt_fail(read, "no memory for a preview of %lld voxels",
                       (long long)info.active_voxels);
    }
    return VT_OK;
}

void vt_destroy_bricks(vt_bricks *bricks)
{
    free(bricks->index);
    free(bricks->place);
    free(bricks->density);
    free(bricks->light);
    memset(bricks, 0, sizeof *bricks);
}
