#include "base/counting_sort.h"

#include <string.h>

#include "base/parallel.h"

enum {
    FEWEST_IN_CHUNK = 4096, /* rows that are worth counters of their own */
    BUCKETS = 8192          /* per block of work on the counters */
};

/* In chunks of rows: the stable order is unique, so how many there are does not show. */
typedef struct sorting {
    const uint32_t *key;
    uint32_t *counter; /* of each bucket, for each chunk; then the place of its next row */
    uint32_t *sum;     /* of each block of buckets; then of those before it */
    uint32_t *start, *order;
    int64_t buckets, chunk, chunks;
} sorting;

static void count_chunk(void *data, int64_t begin, int64_t end)
{
    const sorting s = *(const sorting *)data; /* a copy: stores cannot change it */
    uint32_t *const counter = s.counter + begin / s.chunk * s.buckets;
    memset(counter, 0, sizeof *counter * (size_t)s.buckets);
    for (int64_t i = begin; i < end; i++)
        counter[s.key[i]]++;
}

static void scatter_chunk(void *data, int64_t begin, int64_t end)
{
    const sorting s = *(const sorting *)data;
    uint32_t *const next = s.counter + begin / s.chunk * s.buckets;
    for (int64_t i = begin; i < end; i++)
        s.order[next[s.key[i]]++] = (uint32_t)i;
}

static void sum_buckets(void *data, int64_t begin, int64_t end)
{
    const sorting s = *(const sorting *)data;
    uint32_t sum = 0;
    for (int64_t c = 0; c < s.chunks; c++)
        for (int64_t b = begin; b < end; b++)
            sum += s.counter[c * s.buckets + b];
    s.sum[begin / BUCKETS] = sum;
}

static void place_buckets(void *data, int64_t begin, int64_t end)
{
    const sorting s = *(const sorting *)data;
    uint32_t sum = s.sum[begin / BUCKETS];
    for (int64_t b = begin; b < end; b++) {
        s.start[b] = sum;
        for (int64_t c = 0; c < s.chunks; c++) {
            uint32_t *const counter = s.counter + c * s.buckets + b;
            const uint32_t here = *counter;
            *counter = sum;
            sum += here;
        }
    }
}

/* One for each thread, but with counters in proportion to the rows. */
static int64_t choose_chunks(int64_t count, int64_t buckets, int threads)
{
    int64_t chunks = threads;
    if (chunks > count / FEWEST_IN_CHUNK)
        chunks = count / FEWEST_IN_CHUNK;
    if (chunks > 4 * count / buckets)
        chunks = 4 * count / buckets;
    return chunks < 1 ? 1 : chunks;
}

void vti_counting_sort(const uint32_t *key, int64_t count, int64_t buckets, uint32_t *start,
                       uint32_t *order, vt_arena *arena, int threads)
{
    const size_t mark = vti_arena_mark(arena);
    const int64_t blocks = (buckets + BUCKETS - 1) / BUCKETS;
    sorting s = {.key = key, .start = start, .order = order, .buckets = buckets};
    uint32_t sum = 0;
    start[buckets] = (uint32_t)count;
    if (count == 0) {
        memset(start, 0, sizeof *start * (size_t)buckets);
        return;
    }
    s.chunks = choose_chunks(count, buckets, threads);
    s.chunk = (count + s.chunks - 1) / s.chunks;
    s.counter = vti_arena_push(arena, sizeof *s.counter * (size_t)(s.chunks * buckets));
    s.sum = vti_arena_push(arena, sizeof *s.sum * (size_t)blocks);
    vti_parallel_for(threads, count, s.chunk, count_chunk, &s);
    /* the last chunk may be left out by rounding */
    s.chunks = (count + s.chunk - 1) / s.chunk;
    vti_parallel_for(threads, buckets, BUCKETS, sum_buckets, &s);
    for (int64_t b = 0; b < blocks; b++) {
        const uint32_t here = s.sum[b];
        s.sum[b] = sum;
        sum += here;
    }
    vti_parallel_for(threads, buckets, BUCKETS, place_buckets, &s);
    vti_parallel_for(threads, count, s.chunk, scatter_chunk, &s);
    vti_arena_pop(arena, mark);
}
