/* Sums over fixed blocks, added in the order of the blocks: the same bits for any number of
 * threads. */
#pragma once

#include "base/arena.h"
#include "base/parallel.h"

/* Adds the terms of [begin, end) to sum, which is 0 before. */
typedef void vt_sum_function(void *context, int64_t begin, int64_t end, double *sum);

/* The `terms` sums over [0, count) in blocks of `block`. */
void vti_sum_blocks(vt_arena *arena, int threads, int64_t count, int64_t block,
                    vt_sum_function *body, void *context, int terms, double *sum);
