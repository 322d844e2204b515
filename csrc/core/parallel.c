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

/* The part of a loop that one thread begins with. */
typedef struct share {
    _Alignas(VT_APART) _Atomic int64_t next;
    int64_t end;
} share;

/* One loop in flight. Each thread has a share of the blocks, of those that lie together, and helps
 * the others when it is done with it: loops over the same things then find them in the cache of the
 * processor that had them before. */
typedef struct job {
    vt_block_function *body;
    void *context;
    int64_t count, block;
    int shares;
    share share[VT_MAX_THREADS];
} job;

static void make_shares(job *j, int shares)
{
    const int64_t blocks = (j->count + j->block - 1) / j->block;
    j->shares = shares;
    for (int n = 0; n < shares; n++) {
        j->share[n].next = blocks * n / shares * j->block;
        j->share[n].end = n + 1 < shares ? blocks * (n + 1) / shares * j->block : j->count;
    }
}

static void run_share(job *j, share *of, int thread)
{
    /* looking first is cheap: what is empty is not taken from the processor that has emptied it */
    while (atomic_load_explicit(&of->next, memory_order_relaxed) < of->end) {
        const int64_t begin = atomic_fetch_add_explicit(&of->next, j->block, memory_order_relaxed);
        if (begin >= of->end)
            return;
        const int64_t end = begin + j->block < of->end ? begin + j->block : of->end;
        j->body(j->context, begin, end, thread);
    }
}

static void run_blocks(job *j, int thread)
{
#if defined(__x86_64__)
    const unsigned int environment = _mm_getcsr();
    _mm_setcsr(0x9fc0u); /* exceptions masked, round to nearest, flush denormals (FTZ and DAZ) */
#endif
    for (int n = 0; n < j->shares; n++)
        run_share(j, &j->share[(thread + n) % j->shares], thread);
#if defined(__x86_64__)
    _mm_setcsr(environment);
#endif
}

/* ---- the pool: one loop at a time owns the workers; between loops they wait a little, then sleep,
 * so that a machine with other work to do gets its processors back. A loop begins by laying the job
 * before every worker and ends by taking it back from those that have not come for it: nobody waits
 * for one that still sleeps. No lock is taken unless somebody sleeps ---- */

enum { WAITS = 4000 /* looks before sleeping: about 50 us */ };

/* Where a worker looks for work. */
typedef struct seat {
    _Alignas(VT_APART) _Atomic(job *) job; /* NULL: none; &taken: the worker is at it */
    _Atomic int sleeps;
} seat;

typedef struct pool {
    pthread_mutex_t owner, lock;
    pthread_cond_t wake, done;
    int started; /* threads, the owner among them, who alone looks at it */
    _Atomic int owner_sleeps;
    seat seats[VT_MAX_THREADS]; /* that of the owner is never used */
} pool;

#define NEW_POOL                                                                                   \
    {.owner = PTHREAD_MUTEX_INITIALIZER,                                                           \
     .lock = PTHREAD_MUTEX_INITIALIZER,                                                            \
     .wake = PTHREAD_COND_INITIALIZER,                                                             \
     .done = PTHREAD_COND_INITIALIZER,                                                             \
     .started = 1}
static pool workers = NEW_POOL;
static job taken; /* no job: its address says that there is none to take any more */

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

/* The job before this worker, if there is one: from now on the owner waits for it. */
static job *take_job(seat *own)
{
    job *j = atomic_load(&own->job);
    return j && atomic_compare_exchange_strong(&own->job, &j, &taken) ? j : NULL;
}

static job *wait_for_job(seat *own)
{
    for (;;) {
        for (int n = 0; n < WAITS; n++) {
            job *const j = take_job(own);
            if (j)
                return j;
            look_away();
        }
        pthread_mutex_lock(&workers.lock);
        atomic_store(&own->sleeps, 1);
        if (!atomic_load(&own->job))
            pthread_cond_wait(&workers.wake, &workers.lock);
        atomic_store(&own->sleeps, 0);
        pthread_mutex_unlock(&workers.lock);
    }
}

static void *worker_main(void *argument)
{
    const int thread = (int)(intptr_t)argument;
    seat *const own = &workers.seats[thread];
    for (;;) {
        run_blocks(wait_for_job(own), thread);
        atomic_store(&own->job, NULL);
        if (atomic_load(&workers.owner_sleeps)) {
            pthread_mutex_lock(&workers.lock);
            pthread_cond_signal(&workers.done);
            pthread_mutex_unlock(&workers.lock);
        }
    }
    return NULL;
}

/* Returns how many threads, the caller included, can take part. */
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

static void hand_out(job *j, int threads)
{
    int sleeping = 0;
    /* no fence between them, which would wait for the other processors: a worker that falls asleep
     * just now misses this loop, not the next one */
    for (int t = 1; t < threads; t++)
        atomic_store_explicit(&workers.seats[t].job, j, memory_order_release);
    for (int t = 1; t < threads; t++)
        sleeping |= atomic_load_explicit(&workers.seats[t].sleeps, memory_order_relaxed);
    if (!sleeping)
        return;
    pthread_mutex_lock(&workers.lock);
    pthread_cond_broadcast(&workers.wake);
    pthread_mutex_unlock(&workers.lock);
}

static void take_back(job *j, int threads)
{
    for (int t = 1; t < threads; t++) {
        job *expected = atomic_load(&workers.seats[t].job);
        if (expected == j)
            atomic_compare_exchange_strong(&workers.seats[t].job, &expected, NULL);
    }
}

static int are_done(int threads)
{
    int t = 1;
    while (t < threads && !atomic_load(&workers.seats[t].job))
        t++;
    return t == threads;
}

static void wait_for_workers(int threads)
{
    for (int n = 0; n < WAITS; n++) {
        if (are_done(threads))
            return;
        look_away();
    }
    pthread_mutex_lock(&workers.lock);
    atomic_store(&workers.owner_sleeps, 1);
    while (!are_done(threads))
        pthread_cond_wait(&workers.done, &workers.lock);
    atomic_store(&workers.owner_sleeps, 0);
    pthread_mutex_unlock(&workers.lock);
}

static void pool_for(int threads, job *j)
{
    /* A loop that starts while another owns the pool runs on its own thread: same bits. */
    if (threads == 1 || pthread_mutex_trylock(&workers.owner) != 0) {
        make_shares(j, 1);
        run_blocks(j, 0);
        return;
    }
    const int taking_part = start_workers(threads);
    make_shares(j, taking_part);
    hand_out(j, taking_part);
    run_blocks(j, 0);
    take_back(j, taking_part);
    wait_for_workers(taking_part);
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
    if (count <= 0)
        return;
    if (threads > count / block) /* nobody is called for less than a block */
        threads = count < 2 * block ? 1 : (int)(count / block);
    job j;
    j.body = body, j.context = context, j.count = count, j.block = block;
    if (threads == 1 || pool_is_chosen()) {
        pool_for(threads < 1 ? 1 : threads, &j);
        return;
    }
#ifdef _OPENMP
    make_shares(&j, threads);
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
