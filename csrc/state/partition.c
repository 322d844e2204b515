#include "state/partition.h"

#include <string.h>

#include "core/parallel.h"

enum {
    FEWEST_CELLS = 3,
    IN_RING = 32,           /* particles for each cell of a folded axis x */
    FEWEST_IN_CHUNK = 4096, /* particles that are worth counters of their own */
    BUCKETS = 8192          /* per block of work on the counters */
};

/* A stable counting sort in chunks of particles: the stable order is unique, so how many there are
 * does not show. */
typedef struct sorting {
    const vt_partition *partition;
    const float *position;
    uint32_t *key;     /* the bucket of each particle */
    uint32_t *counter; /* of each bucket, for each chunk; then the place of its next particle */
    uint32_t *sum;     /* of each block of buckets; then of those before it */
    uint32_t *start, *order;
    int64_t buckets, chunk, chunks;
} sorting;

static void count_chunk(void *data, int64_t begin, int64_t end, int thread)
{
    (void)thread;
    const sorting s = *(const sorting *)data; /* a copy: stores cannot change it */
    const vt_partition p = *s.partition;
    uint32_t *const counter = s.counter + begin / s.chunk * s.buckets;
    memset(counter, 0, sizeof *counter * (size_t)s.buckets);
    for (int64_t i = begin; i < end; i++) {
        int64_t bucket = 0;
        for (int a = 2; a >= 0; a--) {
            const int64_t index = vt_partition_index(&p, a, (double)s.position[3 * i + a]);
            bucket = bucket * p.cells[a] + (index < p.cells[a] ? index : index % p.cells[a]);
        }
        s.key[i] = (uint32_t)bucket;
        counter[bucket]++;
    }
}

static void scatter_chunk(void *data, int64_t begin, int64_t end, int thread)
{
    (void)thread;
    const sorting s = *(const sorting *)data;
    uint32_t *const next = s.counter + begin / s.chunk * s.buckets;
    for (int64_t i = begin; i < end; i++)
        s.order[next[s.key[i]]++] = (uint32_t)i;
}

static void sum_buckets(void *data, int64_t begin, int64_t end, int thread)
{
    (void)thread;
    const sorting s = *(const sorting *)data;
    uint32_t sum = 0;
    for (int64_t c = 0; c < s.chunks; c++)
        for (int64_t b = begin; b < end; b++)
            sum += s.counter[c * s.buckets + b];
    s.sum[begin / BUCKETS] = sum;
}

static void place_buckets(void *data, int64_t begin, int64_t end, int thread)
{
    (void)thread;
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

static void sort_particles(sorting *s, int threads)
{
    const int64_t count = s->partition->count, blocks = (s->buckets + BUCKETS - 1) / BUCKETS;
    uint32_t sum = 0;
    vt_parallel_for(threads, count, s->chunk, count_chunk, s);
    vt_parallel_for(threads, s->buckets, BUCKETS, sum_buckets, s);
    for (int64_t b = 0; b < blocks; b++) {
        const uint32_t here = s->sum[b];
        s->sum[b] = sum;
        sum += here;
    }
    vt_parallel_for(threads, s->buckets, BUCKETS, place_buckets, s);
    vt_parallel_for(threads, count, s->chunk, scatter_chunk, s);
    s->start[s->buckets] = (uint32_t)count;
}

/* One for each thread, but with counters in proportion to the particles. */
static int64_t choose_chunks(int64_t count, int64_t buckets, int threads)
{
    int64_t chunks = threads;
    if (chunks > count / FEWEST_IN_CHUNK)
        chunks = count / FEWEST_IN_CHUNK;
    if (chunks > 4 * count / buckets)
        chunks = 4 * count / buckets;
    return chunks < 1 ? 1 : chunks;
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* As many cells as the bounds span, but in proportion to the particles. */
static void choose_cells(vt_partition *p, const double most[3])
{
    const int64_t wanted = 4 * p->count + 1024, limit = wanted < 1 << 28 ? wanted : 1 << 28;
    int64_t span[3];
    for (int a = 0; a < 3; a++) {
        const int64_t slices = a == 0 ? p->slices : 1;
        span[a] = vt_partition_index(p, a, most[a]) / slices + 1;
        p->cells[a] = (int32_t)(span[a] < FEWEST_CELLS ? FEWEST_CELLS
                                : span[a] < limit      ? span[a]
                                                       : limit);
    }
    while ((double)p->cells[0] * p->cells[1] * p->cells[2] > (double)limit) {
        int longest = 0;
        for (int a = 1; a < 3; a++)
            longest = p->cells[a] > p->cells[longest] ? a : longest;
        p->cells[longest] = (p->cells[longest] + 1) / 2;
    }
    for (int a = 0; a < 3; a++)
        p->folded[a] = span[a] > p->cells[a];
    if (p->folded[0]) /* a ring need not be long where its buckets are nearly empty */
        p->cells[0] = (int32_t)least(p->cells[0], 2 * FEWEST_CELLS + p->count / IN_RING);
    p->cells[0] *= p->slices;
}

void vt_make_partition(vt_partition *partition, double side, int slices, const double least[3],
                       const double most[3], int64_t count, const float *position, vt_arena *arena,
                       int threads)
{
    *partition = (vt_partition){.side = side, .slices = slices, .count = count};
    memcpy(partition->origin, least, sizeof partition->origin);
    for (int a = 0; a < 3; a++)
        partition->scale[a] = (a == 0 ? slices : 1) / side;
    choose_cells(partition, most);
    const int64_t buckets =
        (int64_t)partition->cells[0] * partition->cells[1] * partition->cells[2];
    const int64_t blocks = (buckets + BUCKETS - 1) / BUCKETS;
    sorting s = {.partition = partition, .position = position, .buckets = buckets};
    s.chunks = choose_chunks(count, buckets, threads);
    s.chunk = (count + s.chunks - 1) / s.chunks;
    s.start = vt_arena_push(arena, sizeof *s.start * (size_t)(buckets + 1));
    s.order = vt_arena_push(arena, sizeof *s.order * (size_t)count);
    partition->start = s.start;
    partition->order = s.order;
    const size_t mark = vt_arena_mark(arena);
    s.key = vt_arena_push(arena, sizeof *s.key * (size_t)count);
    s.counter = vt_arena_push(arena, sizeof *s.counter * (size_t)(s.chunks * buckets));
    s.sum = vt_arena_push(arena, sizeof *s.sum * (size_t)blocks);
    sort_particles(&s, threads);
    vt_arena_pop(arena, mark);
}
