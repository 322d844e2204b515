#include "base/parallel.h"

#include "base/status.h"
#include "base/threads.h"
#include "vorton/host.h"

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
    vt_numbered_function *body;
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

/* Of the processor, which threads have each for themselves: exceptions masked, round to nearest,
 * flush denormals. Returns what it was before. */
static uint64_t enter_environment(void)
{
#if defined(__x86_64__)
    const unsigned int before = _mm_getcsr();
    _mm_setcsr(0x9fc0u); /* FTZ and DAZ */
    return before;
#elif defined(__aarch64__)
    uint64_t before;
    __asm__ volatile("mrs %0, fpcr" : "=r"(before));
    __asm__ volatile("msr fpcr, %0" : : "r"((uint64_t)1 << 24)); /* FZ */
    return before;
#else
    return 0;
#endif
}

static void leave_environment(uint64_t before)
{
#if defined(__x86_64__)
    _mm_setcsr((unsigned int)before);
#elif defined(__aarch64__)
    __asm__ volatile("msr fpcr, %0" : : "r"(before));
#else
    (void)before;
#endif
}

static void run_blocks(job *j, int thread)
{
    const uint64_t environment = enter_environment();
    for (int n = 0; n < j->shares; n++)
        run_share(j, &j->share[(thread + n) % j->shares], thread);
    leave_environment(environment);
}

/* ---- a team: threads that run one loop after the other for an owner, who takes part. Between
 * loops they wait a little, then sleep, so that a machine with other work to do gets its processors
 * back. A loop begins by laying the job before every worker and ends by taking it back from those
 * that have not come for it: nobody waits for one that still sleeps, or that has no processor. No
 * lock is taken unless somebody sleeps ---- */

enum { WAITS = 4000 /* looks before sleeping: about 50 us */ };

/* The place in which a worker finds its next job. */
typedef struct seat {
    _Alignas(VT_APART) _Atomic(job *) job; /* NULL: none; &taken: the worker is at it */
    _Atomic int sleeps;
} seat;

typedef struct team {
    vt_mutex lock;
    vt_condition wake, done;
    int threads; /* the owner among them, who alone looks at it */
    _Atomic int owner_sleeps, ends;
    seat seats[VT_MAX_THREADS]; /* that of the owner is never used */
} team;

#define NEW_TEAM                                                                                   \
    {.lock = VT_NEW_MUTEX, .wake = VT_NEW_CONDITION, .done = VT_NEW_CONDITION, .threads = 1}
static job taken; /* no job: its address says that there is none to take any more */

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

/* NULL when the team ends. */
static job *wait_for_job(team *t, seat *own)
{
    for (;;) {
        for (int n = 0; n < WAITS; n++) {
            job *const j = take_job(own);
            if (j)
                return j;
            if (atomic_load_explicit(&t->ends, memory_order_relaxed))
                return NULL;
            look_away();
        }
        vti_lock(&t->lock);
        atomic_store(&own->sleeps, 1);
        if (!atomic_load(&own->job) && !atomic_load(&t->ends))
            vti_wait(&t->wake, &t->lock);
        atomic_store(&own->sleeps, 0);
        vti_unlock(&t->lock);
    }
}

static void serve(team *t, int thread)
{
    seat *const own = &t->seats[thread];
    for (job *j; (j = wait_for_job(t, own)) != NULL;) {
        run_blocks(j, thread);
        atomic_store(&own->job, NULL);
        if (atomic_load(&t->owner_sleeps)) {
            vti_lock(&t->lock);
            vti_wake_one(&t->done);
            vti_unlock(&t->lock);
        }
    }
}

static void hand_out(team *t, job *j, int threads)
{
    int sleeping = 0;
    /* no fence between them, which would wait for the other processors: a worker that falls asleep
     * just now misses this loop, not the next one */
    for (int n = 1; n < threads; n++)
        atomic_store_explicit(&t->seats[n].job, j, memory_order_release);
    for (int n = 1; n < threads; n++)
        sleeping |= atomic_load_explicit(&t->seats[n].sleeps, memory_order_relaxed);
    if (!sleeping)
        return;
    vti_lock(&t->lock);
    vti_wake_all(&t->wake);
    vti_unlock(&t->lock);
}

static void take_back(team *t, job *j, int threads)
{
    for (int n = 1; n < threads; n++) {
        job *expected = atomic_load(&t->seats[n].job);
        if (expected == j)
            atomic_compare_exchange_strong(&t->seats[n].job, &expected, NULL);
    }
}

static int are_done(team *t, int threads)
{
    int n = 1;
    while (n < threads && !atomic_load(&t->seats[n].job))
        n++;
    return n == threads;
}

static void wait_for_workers(team *t, int threads)
{
    for (int n = 0; n < WAITS; n++) {
        if (are_done(t, threads))
            return;
        look_away();
    }
    vti_lock(&t->lock);
    atomic_store(&t->owner_sleeps, 1);
    while (!are_done(t, threads))
        vti_wait(&t->done, &t->lock);
    atomic_store(&t->owner_sleeps, 0);
    vti_unlock(&t->lock);
}

/* A loop of the owner. */
static void team_for(team *t, int threads, job *j)
{
    const int taking_part = threads < t->threads ? threads : t->threads;
    make_shares(j, taking_part);
    hand_out(t, j, taking_part);
    run_blocks(j, 0);
    take_back(t, j, taking_part);
    wait_for_workers(t, taking_part);
}

/* ---- the pool: one team of threads, which one loop at a time owns ---- */

static vt_mutex owner = VT_NEW_MUTEX;
static team pool = NEW_TEAM;

/* Of the threads only the one that forks lives on in the child: locks and counters there are as
 * they happened to be. A new pool is started when it is needed; OpenMP has no way to do that. */
static _Atomic int is_child = 0;

static void begin_anew(void)
{
    owner = (vt_mutex)VT_NEW_MUTEX;
    pool = (team)NEW_TEAM;
    is_child = 1;
}

static void watch_forks(void)
{
    vti_after_fork(begin_anew);
}

static void worker_main(void *argument)
{
    serve(&pool, (int)(intptr_t)argument);
}

/* As many threads, the caller included, as there are to be, or as can be. */
static void start_workers(int threads)
{
    static vt_thread_start start[VT_MAX_THREADS];
    while (pool.threads < threads) {
        start[pool.threads] = (vt_thread_start){worker_main, (void *)(intptr_t)pool.threads};
        if (vti_start_thread(&start[pool.threads]) != 0)
            return;
        pool.threads++;
    }
}

static void pool_for(int threads, job *j)
{
    /* A loop that starts while another owns the pool runs on its own thread: same bits. */
    if (threads == 1 || !vti_try_lock(&owner)) {
        make_shares(j, 1);
        run_blocks(j, 0);
        return;
    }
    start_workers(threads);
    team_for(&pool, threads, j);
    vti_unlock(&owner);
}

/* ---- the host's pool ---- */

static vt_tasks host; /* run NULL: there is none */

static void run_task(void *data, int32_t n)
{
    run_blocks(data, n);
}

static void host_for(int threads, job *j)
{
    const int count = threads < host.threads ? threads : host.threads;
    make_shares(j, count);
    if (count == 1)
        run_blocks(j, 0);
    else
        host.run(host.context, count, run_task, j);
}

vt_status vt_set_tasks(const vt_tasks *tasks)
{
    if (tasks && tasks->struct_size < sizeof host)
        return vti_fail(VT_INVALID_ARGUMENT,
                        "tasks: struct_size is %zu; allowed is sizeof(vt_tasks)",
                        tasks->struct_size);
    if (tasks && (!tasks->run || tasks->threads < 1 || tasks->threads > VT_MAX_THREADS))
        return vti_fail(VT_INVALID_ARGUMENT,
                        "tasks: run is %s, threads is %d; allowed are a function, and 1 to %d",
                        tasks->run ? "given" : "NULL", tasks->threads, VT_MAX_THREADS);
    host = tasks ? *tasks : (vt_tasks){.threads = 0};
    return VT_OK;
}

/* ---- OpenMP: a step is one parallel region, in which the threads are a team. Nobody leaves a
 * region before all have come to its end, and those that wait there, or for the next region, spin
 * for milliseconds by default. Where other programs want the processors, that takes from them what
 * it does not use, and a thread that has none keeps all others waiting: the frame of a small scene
 * takes 50 times as long. A region that has waited so is followed by some time of the pool, which
 * waits for nobody ---- */

#ifdef _OPENMP
/* What one region waits at its end where each thread has a processor is 10 to 100 us; a thread
 * without one comes after a slice of the scheduler, 3 ms and more. Of a second of the pool the
 * region that tries again takes a few percent. */
enum { LATE_NS = 1000000, POOL_NS = 1000000000 };
static _Atomic int64_t busy_until = INT64_MIN;

static _Thread_local team *at_hand; /* of this thread, between two of its loops */

static void end_team(team *t)
{
    vti_lock(&t->lock);
    atomic_store(&t->ends, 1);
    vti_wake_all(&t->wake);
    vti_unlock(&t->lock);
}

static void region_with_team(int threads, vt_work_function *work, void *context)
{
    team own = NEW_TEAM;
    int64_t end = 0;
#pragma omp parallel num_threads(threads)
    if (omp_get_thread_num() != 0) {
        serve(&own, omp_get_thread_num());
    } else {
        own.threads = omp_get_num_threads();
        at_hand = &own;
        work(context);
        at_hand = NULL;
        end_team(&own);
        end = vti_clock_ns();
    }
    const int64_t now = vti_clock_ns();
    if (now - end > LATE_NS)
        atomic_store_explicit(&busy_until, now + POOL_NS, memory_order_relaxed);
}

typedef struct loop_work {
    int threads;
    job *job;
} loop_work;

static void run_loop(void *context)
{
    const loop_work *const w = context;
    team *const own = at_hand;
    at_hand = NULL; /* loops in this one run on the thread that meets them */
    team_for(own, w->threads, w->job);
    at_hand = own;
}

static int pool_is_chosen(void)
{
    static _Atomic int chosen = -1;
    int now = atomic_load_explicit(&chosen, memory_order_relaxed);
    if (now < 0) {
        const char *name = getenv("VORTON_BACKEND");
        now = name && strcmp(name, "pthread") == 0;
        atomic_store_explicit(&chosen, now, memory_order_relaxed);
    }
    return now || is_child;
}

static int takes_region(int threads)
{
    return threads > 1 && !pool_is_chosen() && !omp_in_parallel() &&
           vti_clock_ns() >= atomic_load_explicit(&busy_until, memory_order_relaxed);
}
#endif

/* ---- loops ---- */

void vti_with_team(int threads, vt_work_function *work, void *context)
{
#ifdef _OPENMP
    if (!host.run && !at_hand && takes_region(threads)) {
        region_with_team(threads, work, context);
        return;
    }
#endif
    (void)threads;
    work(context);
}

void vti_parallel_for_numbered(int threads, int64_t count, int64_t block,
                               vt_numbered_function *body, void *context)
{
    static vt_once once = VT_NEW_ONCE;
    vti_call_once(&once, watch_forks);
    if (count <= 0)
        return;
    if (threads > count / block) /* nobody is called for less than a block */
        threads = count < 2 * block ? 1 : (int)(count / block);
    job j;
    j.body = body, j.context = context, j.count = count, j.block = block;
    if (host.run) {
        host_for(threads < 1 ? 1 : threads, &j);
        return;
    }
#ifdef _OPENMP
    loop_work work = {threads, &j};
    if (threads > 1 && at_hand) {
        run_loop(&work);
        return;
    }
    if (takes_region(threads)) {
        region_with_team(threads, run_loop, &work);
        return;
    }
    if (!at_hand && omp_in_parallel()) /* in a block of a loop, or in a region of the host */
        threads = 1;
#endif
    pool_for(threads < 1 ? 1 : threads, &j);
}

/* A loop whose blocks do not ask which thread they run on. */
typedef struct plain_loop {
    vt_block_function *body;
    void *context;
} plain_loop;

static void run_plain(void *context, int64_t begin, int64_t end, int thread)
{
    const plain_loop *const loop = context;
    (void)thread;
    loop->body(loop->context, begin, end);
}

void vti_parallel_for(int threads, int64_t count, int64_t block, vt_block_function *body,
                      void *context)
{
    plain_loop loop = {body, context};
    vti_parallel_for_numbered(threads, count, block, run_plain, &loop);
}

/* A loop over things that are large enough for a call each. */
typedef struct item_loop {
    vt_item_function *body;
    void *context;
} item_loop;

static void run_items(void *context, int64_t begin, int64_t end, int thread)
{
    const item_loop *const loop = context;
    (void)thread;
    for (int64_t item = begin; item < end; item++)
        loop->body(loop->context, item);
}

void vti_parallel_each(int threads, int64_t count, int64_t block, vt_item_function *body,
                       void *context)
{
    item_loop loop = {body, context};
    vti_parallel_for_numbered(threads, count, block, run_items, &loop);
}

int vt_available_threads(void)
{
    const int count = vti_count_processors();
    return count > VT_MAX_THREADS ? VT_MAX_THREADS : count;
}

const char *vti_parallel_backend(void)
{
    if (host.run)
        return "host";
#ifdef _OPENMP
    if (!pool_is_chosen())
        return "openmp";
#endif
    return "pthread";
}
