#include "state/partition.h"

#include <string.h>

#include "core/parallel.h"

enum { BLOCK = 8192, FEWEST_CELLS = 3 };

typedef struct key_job {
    const vt_partition *partition;
    const float *position;
    uint32_t *key;
} key_job;

static void find_keys(void *data, int64_t begin, int64_t end, int thread)
{
    (void)thread;
    const key_job *const job = data;
    const vt_partition *const p = job->partition;
    for (int64_t i = begin; i < end; i++) {
        int64_t bucket = 0;
        for (int a = 2; a >= 0; a--) {
            const int64_t index = vt_partition_index(p, a, job->position[3 * i + a]);
            bucket = bucket * p->cells[a] + index % p->cells[a];
        }
        job->key[i] = (uint32_t)bucket;
    }
}

/* As many cells as the bounds span, but in proportion to the particles. */
static void choose_cells(vt_partition *p, const double most[3])
{
    const int64_t wanted = 4 * p->count + 1024, limit = wanted < 1 << 30 ? wanted : 1 << 30;
    for (int a = 0; a < 3; a++) {
        const int64_t span = vt_partition_index(p, a, most[a]) + 1;
        p->cells[a] = (int32_t)(span < FEWEST_CELLS ? FEWEST_CELLS : span < limit ? span : limit);
    }
    while ((double)p->cells[0] * p->cells[1] * p->cells[2] > (double)limit) {
        int longest = 0;
        for (int a = 1; a < 3; a++)
            longest = p->cells[a] > p->cells[longest] ? a : longest;
        p->cells[longest] = (p->cells[longest] + 1) / 2;
    }
}

static void sort_by_key(const uint32_t *key, int64_t count, int64_t buckets, uint32_t *start,
                        uint32_t *order)
{
    memset(start, 0, sizeof *start * (size_t)(buckets + 1));
    for (int64_t i = 0; i < count; i++)
        start[key[i] + 1]++;
    for (int64_t b = 0; b < buckets; b++)
        start[b + 1] += start[b];
    for (int64_t i = 0; i < count; i++)
        order[start[key[i]]++] = (uint32_t)i;
    memmove(start + 1, start, sizeof *start * (size_t)buckets);
    start[0] = 0;
}

void vt_make_partition(vt_partition *partition, double side, const double least[3],
                       const double most[3], int64_t count, const float *position, vt_arena *arena,
                       int threads)
{
    *partition = (vt_partition){.side = side, .count = count};
    memcpy(partition->origin, least, sizeof partition->origin);
    choose_cells(partition, most);
    const int64_t buckets =
        (int64_t)partition->cells[0] * partition->cells[1] * partition->cells[2];
    uint32_t *const start = vt_arena_push(arena, sizeof *start * (size_t)(buckets + 1));
    uint32_t *const order = vt_arena_push(arena, sizeof *order * (size_t)count);
    partition->start = start;
    partition->order = order;
    const size_t mark = vt_arena_mark(arena);
    key_job job = {partition, position, vt_arena_push(arena, sizeof(uint32_t) * (size_t)count)};
    vt_parallel_for(threads, count, BLOCK, find_keys, &job);
    sort_by_key(job.key, count, buckets, start, order);
    vt_arena_pop(arena, mark);
}
