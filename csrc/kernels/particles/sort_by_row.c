#include "kernels/particles/sort_by_row.h"

#include "base/parallel.h"

enum {
    BLOCK_RECORDS = 512, /* fewest records that are worth a histogram of their own */
    MOST_BLOCKS = 16
};

typedef struct sort_job {
    const vt_record *records;
    vt_record *sorted;
    uint32_t *keys;      /* the row of each record: with it the scatter need not wait for records */
    uint32_t *histogram; /* one of `rows` counters per block; offsets after the scan */
    int64_t rows, block;
    int32_t row_count; /* rows of one layer: cells[1] */
} sort_job;

VT_INLINE uint32_t row_of(const vt_record *record, int32_t row_count)
{
    return (uint32_t)((int32_t)record->position[2] * row_count + (int32_t)record->position[1]);
}

static void count_block(void *context, int64_t begin, int64_t end)
{
    const sort_job job = *(const sort_job *)context; /* a copy: stores cannot change it */
    uint32_t *const histogram = job.histogram + begin / job.block * job.rows;
    memset(histogram, 0, (size_t)job.rows * sizeof *histogram);
    for (int64_t r = begin; r < end; r++) {
        job.keys[r] = row_of(job.records + r, job.row_count);
        histogram[job.keys[r]]++;
    }
}

static void scatter_block(void *context, int64_t begin, int64_t end)
{
    const sort_job job = *(const sort_job *)context;
    uint32_t *const offset = job.histogram + begin / job.block * job.rows;
    for (int64_t r = begin; r < end; r++) {
        const uint32_t to = offset[job.keys[r]]++;
        f8_store(job.sorted + to, f8_load(job.records + r));
    }
}

/* Counts become places: running sums over the blocks, then over the rows, then back to each block's
 * first place in its rows. All but the sum over the rows are long loops that vectorize. */
static void scan(const sort_job *job, int64_t blocks, uint32_t *row_start)
{
    const int64_t rows = job->rows;
    for (int64_t b = 1; b < blocks; b++) {
        uint32_t *const histogram = job->histogram + b * rows;
        for (int64_t row = 0; row < rows; row++)
            histogram[row] += histogram[row - rows];
    }
    const uint32_t *const totals = job->histogram + (blocks - 1) * rows;
    uint32_t sum = 0;
    for (int64_t row = 0; row < rows; row++) {
        row_start[row] = sum;
        sum += totals[row];
    }
    row_start[rows] = sum;
    for (int64_t b = blocks - 1; b > 0; b--) {
        uint32_t *const offset = job->histogram + b * rows;
        for (int64_t row = 0; row < rows; row++)
            offset[row] = row_start[row] + offset[row - rows];
    }
    memcpy(job->histogram, row_start, (size_t)rows * sizeof *row_start);
}

/* Few enough blocks that the histograms stay in proportion to the records. */
static int64_t block_records(int64_t count, int64_t rows)
{
    int64_t blocks = count / BLOCK_RECORDS;
    if (blocks > MOST_BLOCKS)
        blocks = MOST_BLOCKS;
    if (blocks > 2 * count / rows)
        blocks = 2 * count / rows;
    if (blocks < 1)
        blocks = 1;
    return (count + blocks - 1) / blocks;
}

void VT_NAME(sort)(const vt_grid *grid, int64_t count, const vt_record *records, vt_record *sorted,
                   uint32_t *row_start, vt_arena *arena, int threads)
{
    const int64_t rows = (int64_t)grid->cells[1] * grid->cells[2];
    if (count == 0) {
        memset(row_start, 0, (size_t)(rows + 1) * sizeof *row_start);
        return;
    }
    sort_job job = {.records = records, .sorted = sorted, .rows = rows};
    job.row_count = grid->cells[1];
    job.block = block_records(count, rows);
    const int64_t blocks = (count + job.block - 1) / job.block;
    const size_t mark = vti_arena_mark(arena);
    job.keys = vti_arena_push(arena, (size_t)count * sizeof *job.keys);
    job.histogram = vti_arena_push(arena, (size_t)(blocks * rows) * sizeof *job.histogram);
    vti_parallel_for(threads, count, job.block, count_block, &job);
    scan(&job, blocks, row_start);
    vti_parallel_for(threads, count, job.block, scatter_block, &job);
    vti_arena_pop(arena, mark);
}
