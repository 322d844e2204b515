#define _GNU_SOURCE
#include "core/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#ifdef _OPENMP
#include <omp.h>
#endif
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

/* One loop in flight: threads take the next block until none is left. */
typedef struct job {
    vt_block_function *body;
    void *context;
    int64_t count, block;
    _Atomic int64_t next;
} job;

static void run_blocks(job *j, int thread)
{
#if defined(__x86_64__)
    const unsigned int environment = _mm_getcsr();
    _mm_setcsr(0x9fc0u); /* exceptions masked, round to nearest, flush denormals (FTZ and DAZ) */
#endif
    for (;;) {
        const int64_t begin = atomic_fetch_add_explicit(&j->next, j->block, memory_order_relaxed);
        if (begin >= j->count)
            break;
        const int64_t end = begin + j->block < j->count ? begin + j->block : j->count;
        j->body(j->context, begin, end, thread);
    }
#if defined(__x86_64__)
    _mm_setcsr(environment);
#endif
}

/* ---- the pool: one loop at a time owns the workers; between loops they wait a little, then sleep,
 * so that a machine with other work to do gets its processors back ---- */

enum { WAITS = 4000 /* looks before sleeping: about 50 us */ };

typedef struct pool {
    pthread_mutex_t owner, lock;
    pthread_cond_t wake, done;
    /* guarded by lock; generation and active are also looked at without it */
    job *current;
    int wanted, started;
    _Atomic uint64_t generation;
    _Atomic int active; /* workers still inside the current loop */
} pool;

#define NEW_POOL                                                                                   \
    {.owner = PTHREAD_MUTEX_INITIALIZER,                                                           \
     .lock = PTHREAD_MUTEX_INITIALIZER,                                                            \
     .wake = PTHREAD_COND_INITIALIZER,                                                             \
     .done = PTHREAD_COND_INITIALIZER,                                                             \
     .started = 1}
static pool workers = NEW_POOL;

/* Of the threads only the one that forks lives on in the child: locks and counters there are as
 * they happened to be. A new pool is started when it is needed; OpenMP has no way to do that. */
static _Atomic int is_child = 0;

static void begin_anew(void)
{
    workers = (pool)NEW_POOL;
    is_child = 1;
}

static void watch_forks(void)
{
    pthread_atfork(NULL, NULL, begin_anew);
}

static void look_away(void)
{
#if defined(__x86_64__)
    _mm_pause();
#endif
}

/* The next loop after the one seen last. Returns the job, or NULL when this worker is not wanted.
 */
static job *next_loop(int thread, uint64_t *seen)
{
    for (int n = 0; n < WAITS && atomic_load(&workers.generation) == *seen; n++)
        look_away();
    pthread_mutex_lock(&workers.lock);
    while (atomic_load(&workers.generation) == *seen)
        pthread_cond_wait(&workers.wake, &workers.lock);
    *seen = atomic_load(&workers.generation);
    job *const j = thread < workers.wanted ? workers.current : NULL;
    pthread_mutex_unlock(&workers.lock);
    return j;
}

static void *worker_main(void *argument)
{
    const int thread = (int)(intptr_t)argument;
    uint64_t seen = 0;
    for (;;) {
        job *const j = next_loop(thread, &seen);
        if (!j)
            continue;
        run_blocks(j, thread);
        if (atomic_fetch_sub(&workers.active, 1) == 1) {
            pthread_mutex_lock(&workers.lock);
            pthread_cond_signal(&workers.done);
            pthread_mutex_unlock(&workers.lock);
        }
    }
    return NULL;
}

/* Called with workers.lock held. Returns how many threads, the caller included, can take part. */
static int start_workers(int threads)
{
    while (workers.started < threads) {
        pthread_t id;
        pthread_attr_t attributes;
        pthread_attr_init(&attributes);
        pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
        const int failed =
            pthread_create(&id, &attributes, worker_main, (void *)(intptr_t)workers.started);
        pthread_attr_destroy(&attributes);
        if (failed)
            break;
        workers.started++;
    }
    return workers.started < threads ? workers.started : threads;
}

static void pool_for(int threads, job *j)
{
    /* A loop that starts while another owns the pool runs on its own thread: same bits. */
    if (threads == 1 || pthread_mutex_trylock(&workers.owner) != 0) {
        run_blocks(j, 0);
        return;
    }
    pthread_mutex_lock(&workers.lock);
    const int taking_part = start_workers(threads);
    workers.current = j;
    workers.wanted = taking_part;
    atomic_store(&workers.active, taking_part - 1);
    atomic_fetch_add(&workers.generation, 1);
    pthread_cond_broadcast(&workers.wake);
    pthread_mutex_unlock(&workers.lock);

    run_blocks(j, 0);

    for (int n = 0; n < WAITS && atomic_load(&workers.active) > 0; n++)
        look_away();
    pthread_mutex_lock(&workers.lock);
    while (atomic_load(&workers.active) > 0)
        pthread_cond_wait(&workers.done, &workers.lock);
    workers.current = NULL;
    workers.wanted = 0;
    pthread_mutex_unlock(&workers.lock);
    pthread_mutex_unlock(&workers.owner);
}

/* ---- the choice of the backend ---- */

static int pool_is_chosen(void)
{
#ifdef _OPENMP
    static _Atomic int chosen = -1;
    int now = atomic_load_explicit(&chosen, memory_order_relaxed);
    if (is_child)
        return 1;
    if (now < 0) {
        const char *name = getenv("VORTON_BACKEND");
        now = !name || strcmp(name, "openmp") != 0;
        atomic_store_explicit(&chosen, now, memory_order_relaxed);
    }
    return now;
#else
    return 1;
#endif
}

void vt_parallel_for(int threads, int64_t count, int64_t block, vt_block_function *body,
                     void *context)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch_forks);
    const int64_t blocks = (count + block - 1) / block;
    if (threads > blocks)
        threads = (int)blocks;
    if (blocks <= 0)
        return;
    job j = {.body = body, .context = context, .count = count, .block = block};
    if (threads == 1 || pool_is_chosen()) {
        pool_for(threads < 1 ? 1 : threads, &j);
        return;
    }
#ifdef _OPENMP
#pragma omp parallel num_threads(threads)
    run_blocks(&j, omp_get_thread_num());
#endif
}

int vt_available_threads(void)
{
    cpu_set_t set;
    int count = 1;
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        count = CPU_COUNT(&set);
    return count < 1 ? 1 : count > VT_MAX_THREADS ? VT_MAX_THREADS : count;
}

const char *vt_parallel_backend(void)
{
    return pool_is_chosen() ? "pthread" : "openmp";
}
