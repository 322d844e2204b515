#include "base/matrix_inverse.h"

#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "base/vec3.h"

/* So many steps of the elimination go over the matrix at once: one after the other reads and writes
 * all of it from memory each time. A tile of their rows stays in the cache of a core. */
enum { STEPS = 16, TILE = 128, ROW_BLOCK = 8 };

static const double least_pivot = 1e-6;

typedef struct elimination {
    int64_t count, first, steps; /* of this block of steps */
    double *matrix;
    double (*panel)[STEPS];  /* of each row: its entries in the columns of the block */
    double (*factor)[STEPS]; /* of each row: what of each row of the block is taken away */
    double *pivots;          /* rows of the block as they are at their steps, STEPS x count */
    double pivot[STEPS];
    int64_t *swapped; /* of each step: the row that came in the place of its own */
} elimination;

static void swap_rows(double *a, double *b, int64_t count)
{
    for (int64_t n = 0; n < count; n++) {
        const double kept = a[n];
        a[n] = b[n];
        b[n] = kept;
    }
}

static int64_t find_pivot(const elimination *e, int64_t step)
{
    int64_t best = e->first + step;
    for (int64_t i = best + 1; i < e->count; i++)
        best = vti_abs(e->panel[i][step]) > vti_abs(e->panel[best][step]) ? i : best;
    return best;
}

/* A step within the columns of the block; 0, or -1 where the matrix is singular. */
static int eliminate_in_panel(elimination *e, int64_t step)
{
    const int64_t k = e->first + step, best = find_pivot(e, step);
    double *const own = e->panel[k];
    e->swapped[k] = best;
    if (best != k) {
        swap_rows(own, e->panel[best], STEPS);
        swap_rows(e->factor[k], e->factor[best], STEPS);
    }
    const double pivot = e->pivot[step] = own[step];
    if (!(vti_abs(pivot) > least_pivot))
        return -1;
    own[step] = 1;
    for (int64_t j = 0; j < e->steps; j++)
        own[j] /= pivot;
    for (int64_t i = 0; i < e->count; i++) {
        double *const row = e->panel[i];
        const double factor = row[step];
        if (i == k)
            continue;
        e->factor[i][step] = factor;
        row[step] = 0;
        for (int64_t j = 0; j < e->steps; j++)
            row[j] -= factor * own[j];
    }
    return 0;
}

static int eliminate_panel(elimination *e)
{
    int singular = 0;
    memset(e->factor, 0, sizeof *e->factor * (size_t)e->count);
    memset(e->panel, 0, sizeof *e->panel * (size_t)e->count);
    for (int64_t i = 0; i < e->count; i++)
        memcpy(e->panel[i], e->matrix + i * e->count + e->first, sizeof(double) * (size_t)e->steps);
    for (int64_t step = 0; step < e->steps && !singular; step++)
        singular = eliminate_in_panel(e, step);
    return singular;
}

/* The rows of the block, each as it is at its step. */
static void find_pivots(elimination *e)
{
    const int64_t count = e->count;
    memset(e->pivots, 0, sizeof *e->pivots * (size_t)(STEPS * count));
    for (int64_t step = 0; step < e->steps; step++) {
        const int64_t k = e->first + step;
        if (e->swapped[k] != k)
            swap_rows(e->matrix + k * count, e->matrix + e->swapped[k] * count, count);
    }
    for (int64_t step = 0; step < e->steps; step++) {
        const int64_t k = e->first + step;
        double *const own = e->pivots + step * count, *const row = e->matrix + k * count;
        memcpy(own, row, sizeof *own * (size_t)count);
        for (int64_t t = 0; t < step; t++) {
            const double factor = e->factor[k][t], *const from = e->pivots + t * count;
            for (int64_t j = 0; j < count; j++)
                own[j] -= factor * from[j];
            e->factor[k][t] = 0;
        }
        for (int64_t j = 0; j < count; j++)
            own[j] /= e->pivot[step];
        memcpy(row, own, sizeof *own * (size_t)count);
    }
}

/* All steps of the block for a part of a row. */
static void eliminate_tile(double *restrict row, const double *restrict factor,
                           const double *restrict pivots, int64_t count, int64_t width)
{
    for (int64_t j = 0; j < width; j++) {
        double entry = row[j];
        for (int step = 0; step < STEPS; step++)
            entry -= factor[step] * pivots[step * count + j];
        row[j] = entry;
    }
}

static void eliminate_rows(void *data, int64_t begin, int64_t end)
{
    const elimination *const e = data;
    const int64_t count = e->count;
    for (int64_t tile = 0; tile < count; tile += TILE) {
        const int64_t width = count - tile < TILE ? count - tile : TILE;
        for (int64_t i = begin; i < end; i++)
            eliminate_tile(e->matrix + i * count + tile, e->factor[i], e->pivots + tile, count,
                           width);
    }
    for (int64_t i = begin; i < end; i++)
        memcpy(e->matrix + i * count + e->first, e->panel[i], sizeof(double) * (size_t)e->steps);
}

/* The rows were swapped: so are the columns of the inverse, backwards. */
static void restore_columns(const elimination *e)
{
    const int64_t count = e->count;
    for (int64_t i = 0; i < count; i++) {
        double *const row = e->matrix + i * count;
        for (int64_t k = count - 1; k >= 0; k--) {
            const double kept = row[k];
            row[k] = row[e->swapped[k]];
            row[e->swapped[k]] = kept;
        }
    }
}

static vt_status eliminate(elimination *e, int threads)
{
    for (e->first = 0; e->first < e->count; e->first += STEPS) {
        e->steps = e->count - e->first < STEPS ? e->count - e->first : STEPS;
        if (eliminate_panel(e))
            return VT_INVALID_ARGUMENT;
        find_pivots(e);
        vti_parallel_for(threads, e->count, ROW_BLOCK, eliminate_rows, e);
    }
    restore_columns(e);
    return VT_OK;
}

vt_status vti_invert(double *matrix, int64_t count, int threads)
{
    elimination e = {.count = count, .matrix = matrix};
    vt_status status = VT_OUT_OF_MEMORY;
    e.panel = vti_allocate(sizeof *e.panel * (size_t)count);
    e.factor = vti_allocate(sizeof *e.factor * (size_t)count);
    e.pivots = vti_allocate(sizeof *e.pivots * (size_t)(STEPS * count));
    e.swapped = vti_allocate(sizeof *e.swapped * (size_t)count);
    if (e.panel && e.factor && e.pivots && e.swapped)
        status = eliminate(&e, threads);
    vti_free(e.panel);
    vti_free(e.factor);
    vti_free(e.pivots);
    vti_free(e.swapped);
    return status;
}
