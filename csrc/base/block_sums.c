#include "base/block_sums.h"

#include <string.h>

typedef struct block_sums {
    vt_sum_function *body;
    void *context;
    int64_t block;
    int terms;
    double *sum; /* of each block */
} block_sums;

static void sum_block(void *data, int64_t begin, int64_t end)
{
    const block_sums *const b = data;
    double *const sum = b->sum + begin / b->block * b->terms;
    memset(sum, 0, sizeof *sum * (size_t)b->terms);
    b->body(b->context, begin, end, sum);
}

void vti_sum_blocks(vt_arena *arena, int threads, int64_t count, int64_t block,
                    vt_sum_function *body, void *context, int terms, double *sum)
{
    const int64_t blocks = (count + block - 1) / block;
    const size_t mark = vti_arena_mark(arena);
    block_sums b = {body, context, block, terms,
                    vti_arena_push(arena, sizeof *sum * (size_t)(blocks * terms))};
    vti_parallel_for(threads, count, block, sum_block, &b);
    memset(sum, 0, sizeof *sum * (size_t)terms);
    for (int64_t n = 0; n < blocks; n++)
        for (int t = 0; t < terms; t++)
            sum[t] += b.sum[n * terms + t];
    vti_arena_pop(arena, mark);
}
