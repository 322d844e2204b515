#include <stdlib.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "base/status.h"
#include "base/timing.h"

enum {
    LOOPS = 1001,           /* of which the middle one counts */
    BUSY_NS = 20000,        /* of each block of them: long enough for threads that wait to come */
    ROUNDS = 8,             /* triads, of which the shortest counts */
    NUMBERS = 8 << 20,      /* in each array: three of 32 MiB lie in no cache but the largest */
    NUMBERS_AT_ONCE = 32768 /* of a block */
};

typedef struct probe {
    int threads;
    float *a, *b, *c;
    double loop, triad; /* s */
} probe;

static void be_busy(void *context, int64_t begin, int64_t end)
{
    (void)context;
    for (int64_t n = begin; n < end; n++)
        for (const int64_t until = vti_clock_ns() + BUSY_NS; vti_clock_ns() < until;)
            ;
}

static int compare_times(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Loops of a block for each thread: what they take beyond a block is to come together. */
static void time_loops(void *context)
{
    probe *const p = context;
    double times[LOOPS];
    for (int n = 0; n < LOOPS; n++) {
        const double begin = vti_now();
        vti_parallel_for(p->threads, p->threads, 1, be_busy, NULL);
        times[n] = vti_now() - begin;
    }
    qsort(times, LOOPS, sizeof *times, compare_times);
    p->loop = times[LOOPS / 2] - 1e-9 * BUSY_NS;
}

static void fill(void *context, int64_t begin, int64_t end)
{
    const probe p = *(const probe *)context;
    for (int64_t i = begin; i < end; i++)
        p.a[i] = p.b[i] = p.c[i] = (float)(i & 255);
}

static void add(void *context, int64_t begin, int64_t end)
{
    const probe p = *(const probe *)context;
    float *restrict const a = p.a;
    const float *restrict const b = p.b, *restrict const c = p.c;
    for (int64_t i = begin; i < end; i++)
        a[i] = b[i] + 0.5f * c[i];
}

static void time_triads(void *context)
{
    probe *const p = context;
    vti_parallel_for(p->threads, NUMBERS, NUMBERS_AT_ONCE, fill, p);
    for (int round = 0; round < ROUNDS; round++) {
        const double begin = vti_now();
        vti_parallel_for(p->threads, NUMBERS, NUMBERS_AT_ONCE, add, p);
        const double one = vti_now() - begin;
        p->triad = round == 0 || one < p->triad ? one : p->triad;
    }
}

vt_status vt_probe_machine(int32_t threads, vt_probe *found)
{
    if (threads < 0 || threads > VT_MAX_THREADS)
        return vti_fail(VT_INVALID_ARGUMENT, "threads is %d; allowed is 0 (all) to %d", threads,
                        VT_MAX_THREADS);
    float *const numbers = vti_allocate_huge(sizeof(float) * 3 * NUMBERS);
    if (!numbers)
        return vti_fail(VT_OUT_OF_MEMORY, "no memory for three arrays of 32 MiB");
    probe p = {.threads = threads ? threads : vt_available_threads(),
               .a = numbers,
               .b = numbers + NUMBERS,
               .c = numbers + 2 * NUMBERS};
    vti_with_team(p.threads, time_triads, &p);
    vti_with_team(p.threads, time_loops, &p); /* after these: threads have found a processor */
    vti_free(numbers);
    const vt_probe known = {
        .loop = p.loop, .triad = p.triad, .bytes = 3.0 * sizeof(float) * NUMBERS};
    return vti_hand_out(found, &known, sizeof known);
}
