/* Stable sorting of rows by small whole keys. */
#ifndef VORTON_CORE_COUNTING_SORT_H
#define VORTON_CORE_COUNTING_SORT_H

#include "core/arena.h"

/* Rows of bucket b become order[start[b]] ... order[start[b + 1] - 1], in their order; start has
 * room for buckets + 1. Keys are below `buckets`, count below 2^32. Takes at most
 * 16 count + 4 buckets + 1 KiB bytes from the arena. */
void vt_counting_sort(const uint32_t *key, int64_t count, int64_t buckets, uint32_t *start,
                      uint32_t *order, vt_arena *arena, int threads);

#endif
