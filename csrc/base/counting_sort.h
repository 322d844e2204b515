/* Stable sorting of rows by small whole keys. */
#pragma once

#include <stdint.h>

#include "base/arena.h"

/* Rows of bucket b become order[start[b]] ... order[start[b + 1] - 1], in their order; start has
 * room for buckets + 1. Keys are below `buckets`, count below 2^32. Takes at most
 * 16 count + 4 buckets + 1 KiB bytes from the arena. */
void vti_counting_sort(const uint32_t *key, int64_t count, int64_t buckets, uint32_t *start,
                       uint32_t *order, vt_arena *arena, int threads);

/* Lists of entries one after the other, for what enters several of them: first has the count of
 * each list, and room for one more. The counts become where the lists end, first[lists] the number
 * of all entries, which is returned. Who then goes through the entries from the last on, and puts
 * each of list n to --first[n], leaves the lists in order and first[n] where list n begins. */
static inline uint32_t vti_end_lists(uint32_t *first, size_t lists)
{
    uint32_t all = 0;
    for (size_t n = 0; n < lists; n++)
        first[n] = all += first[n];
    first[lists] = all;
    return all;
}
