#include "geometry/neighbour_cells.h"

#include <string.h>

#include "base/counting_sort.h"
#include "base/parallel.h"

enum {
    BLOCK = 512,
    FEWEST_CELLS = 3,
    IN_RING = 32 /* particles for each cell of a folded axis x */
};

typedef struct key_job {
    const vt_partition *partition;
    const float *position;
    uint32_t *key;
} key_job;

static void find_keys(void *data, int64_t begin, int64_t end)
{
    const key_job job = *(const key_job *)data; /* copies: stores cannot change them */
    const vt_partition p = *job.partition;
    for (int64_t i = begin; i < end; i++) {
        int64_t bucket = 0;
        for (int a = 2; a >= 0; a--) {
            const int64_t index = vti_partition_index(&p, a, (double)job.position[3 * i + a]);
            bucket = bucket * p.cells[a] + (index < p.cells[a] ? index : index % p.cells[a]);
        }
        job.key[i] = (uint32_t)bucket;
    }
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
        span[a] = vti_partition_index(p, a, most[a]) / slices + 1;
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

void vti_make_partition(vt_partition *partition, double side, int slices, const double least[3],
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
    uint32_t *const start = vti_arena_push(arena, sizeof *start * (size_t)(buckets + 1));
    uint32_t *const order = vti_arena_push(arena, sizeof *order * (size_t)count);
    partition->start = start;
    partition->order = order;
    const size_t mark = vti_arena_mark(arena);
    key_job job = {partition, position, vti_arena_push(arena, sizeof(uint32_t) * (size_t)count)};
    vti_parallel_for(threads, count, BLOCK, find_keys, &job);
    vti_counting_sort(job.key, count, buckets, start, order, arena, threads);
    vti_arena_pop(arena, mark);
}
