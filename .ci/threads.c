/* A frame with everything on, by many threads, one of every other method, and random sequences of
 * calls while a second thread calls into the same simulation: run under the thread sanitizer by
 * .ci/run.
 *
 * Prints a sum over all positions; the library must give the same for any number of threads. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "scenes.h"

#define FRAMES 12

static double sum_of(vt_simulation *simulation, int set)
{
    vt_array position = {.struct_size = sizeof position};
    check(vt_column(simulation, set, "position", &position));
    const float *const rows = position.data;
    double sum = 0;
    for (int64_t i = 0; i < 3 * position.shape[0]; i++)
        sum += (double)rows[i];
    return sum;
}

static double run(int threads)
{
    vt_simulation *const simulation = make(threads);
    vt_array velocity = {.struct_size = sizeof velocity};
    check(vt_column(simulation, VT_TRACERS, "velocity", &velocity));
    for (int frame = 0; frame < FRAMES; frame++)
        check(vt_step(simulation, 1.0 / 24));

    vt_health health = {.struct_size = sizeof health};
    check(vt_get_health(simulation, &health));
    vt_vdb_def vdb_def;
    vt_default_vdb(&vdb_def);
    shown made = show_smoke(simulation, vdb_def.compress, threads);

    double sum = sum_of(simulation, VT_VORTONS) + sum_of(simulation, VT_TRACERS) + health.energy;
    for (int64_t i = 0; i < made.size; i++)
        sum += made.bytes[i];
    for (size_t i = 0; i < sizeof made.pixels; i++)
        sum += made.pixels[i];
    printf("%d threads (%s): %lld vortons, %lld tracers, sum %.17g\n", threads, vt_backend(),
           (long long)health.vortons, (long long)health.tracers, sum);
    vt_free(made.bytes);
    vt_destroy_simulation(simulation);
    return sum;
}

static double run_kind(int kind, int threads)
{
    vt_simulation *const simulation = make_kind(kind, threads);
    vt_array temperature = {.struct_size = sizeof temperature};
    step_kind(kind, simulation);
    check(vt_column(simulation, VT_TRACERS, "temperature", &temperature));
    const double sum = sum_of(simulation, VT_VORTONS) + sum_of(simulation, VT_TRACERS);
    printf("method %d, %d threads: %lld vortons, sum %.17g\n", kind, threads,
           (long long)vt_count(simulation, VT_VORTONS), sum);
    vt_destroy_simulation(simulation);
    return sum;
}

static int run_kinds(void)
{
    int same = 1;
    for (int kind = 0; kind < KINDS; kind++)
        same &= run_kind(kind, 2) == run_kind(kind, 4);
    return same;
}

/* ---- random sequences, with a second thread that calls in all the time ---- */

enum { SEQUENCES = 40, CALLS = 25, MOST = 60 /* vortons and tracers at once */ };

static uint64_t random_state = 1;

/* xorshift64*: the same sequences on every machine. */
static uint32_t random_below(uint32_t n)
{
    random_state ^= random_state >> 12;
    random_state ^= random_state << 25;
    random_state ^= random_state >> 27;
    return (uint32_t)((random_state * UINT64_C(0x2545f4914f6cdd1d)) >> 33) % n;
}

static void random_floats(float *values, int count, float least, float most)
{
    for (int i = 0; i < count; i++)
        values[i] = least + (most - least) * (float)random_below(1000) / 1000.0f;
}

typedef struct visitor {
    vt_simulation *_Atomic simulation;
    _Atomic int stop;
    long busy, let_in;
} visitor;

/* Reads, and never changes, what another thread works on: let in, or told VT_BUSY. */
static void *visit(void *data)
{
    visitor *const v = data;
    const float point[3] = {0.1f, 0.2f, 0.3f};
    for (int n = 0; !atomic_load(&v->stop); n++) {
        vt_simulation *const simulation = atomic_load(&v->simulation);
        vt_simulation *copy = NULL;
        vt_array array = {.struct_size = sizeof array};
        vt_health health = {.struct_size = sizeof health};
        float velocity[3];
        int64_t row, id = 3;
        vt_status status = VT_BUSY;
        if (n % 6 == 0)
            status = vt_velocity_at(simulation, 1, point, velocity);
        else if (n % 6 == 1)
            status = vt_get_health(simulation, &health);
        else if (n % 6 == 2)
            status = vt_find_rows(simulation, VT_VORTONS, 1, &id, &row);
        else if (n % 6 == 3)
            status = vt_update_fields(simulation);
        else if (n % 6 == 4)
            status = vt_column(simulation, VT_TRACERS, "age", &array);
        else
            status = vt_copy_simulation(simulation, 0, 0, &copy);
        vt_destroy_simulation(copy);
        if (status != VT_OK && status != VT_BUSY)
            check(status);
        v->busy += status == VT_BUSY;
        v->let_in += status == VT_OK;
        sched_yield(); /* the other one's turn */
    }
    return NULL;
}

static vt_simulation *make_random(int threads)
{
    vt_simulation_def def;
    vt_default_simulation(&def);
    vt_simulation *simulation;
    def.threads = threads;
    def.max_vortons = def.max_tracers = MOST;
    def.max_nodes = 20000;
    def.at_capacity = (int32_t)random_below(3);
    def.method.velocity = random_below(4) == 0 ? VT_VELOCITY_DIRECT : VT_VELOCITY_POISSON;
    def.wind[1] = random_below(2) ? 0.5 : 0;
    check(vt_create_simulation(&def, &simulation));
    if (random_below(2)) {
        vt_tracers_def smoke;
        vt_default_tracers(&smoke);
        smoke.rate = 200;
        smoke.lifetime = 0.2;
        check(vt_add_tracers(simulation, &smoke, NULL));
    }
    return simulation;
}

/* One call, tried again while the visitor is inside. A full simulation may refuse it. */
#define INSIST(call)                                                                               \
    do {                                                                                           \
        vt_status status_;                                                                         \
        while ((status_ = (call)) == VT_BUSY)                                                      \
            sched_yield();                                                                         \
        if (status_ != VT_OVER_CAPACITY)                                                           \
            check(status_);                                                                        \
    } while (0)

static void add_random(vt_simulation *s)
{
    enum { ROWS = 12 };
    const int64_t count = random_below(ROWS + 1);
    float position[3 * ROWS], strength[3 * ROWS], size[ROWS], volume[ROWS];
    random_floats(position, 3 * ROWS, -1, 1);
    random_floats(strength, 3 * ROWS, -1e-3f, 1e-3f);
    random_floats(size, ROWS, 0.15f, 0.4f);
    random_floats(volume, ROWS, 1e-3f, 1e-2f);
    if (random_below(2))
        INSIST(vt_insert_vortons(s, count, position, strength, size, volume, NULL));
    else
        INSIST(vt_insert_tracers(s, count, position, volume, size, NULL));
}

/* The visitor changes no counts, and a mask may have more bytes than there are rows. */
static void remove_random(vt_simulation *s)
{
    uint8_t mask[MOST];
    for (int i = 0; i < MOST; i++)
        mask[i] = random_below(4) == 0;
    INSIST(vt_remove(s, random_below(2) ? VT_VORTONS : VT_TRACERS, mask));
}

static void call_random(visitor *v)
{
    vt_simulation *const s = atomic_load(&v->simulation), *copy = NULL;
    const uint32_t what = random_below(8);
    if (what < 3) {
        INSIST(vt_step(s, what == 0 ? 0.1 : 1.0 / 24));
    } else if (what < 5) {
        add_random(s);
    } else if (what == 5) {
        remove_random(s);
    } else if (what == 6) {
        INSIST(vt_copy_simulation(s, MOST, 2 * MOST, &copy));
        check(vt_step(copy, 0.02));
        vt_destroy_simulation(copy);
    } else {
        const float nowhere[3] = {0, 0, 1.0f / 0.0f};
        float velocity[3];
        if (vt_velocity_at(s, 1, nowhere, velocity) != VT_NOT_FINITE || vt_step(s, -1) == VT_OK)
            exit(EXIT_FAILURE);
    }
}

/* Returns whether the second thread was turned away, and let in, at least once. */
static int run_sequences(void)
{
    visitor v = {.stop = 0};
    pthread_t other;
    for (int n = 0; n < SEQUENCES; n++) {
        vt_simulation *const simulation = make_random(1 + n % 4);
        atomic_store(&v.simulation, simulation);
        atomic_store(&v.stop, 0);
        if (pthread_create(&other, NULL, visit, &v))
            exit(EXIT_FAILURE);
        for (int call = 0; call < CALLS; call++)
            call_random(&v);
        atomic_store(&v.stop, 1);
        pthread_join(other, NULL);
        vt_destroy_simulation(simulation);
    }
    printf("%d sequences of %d calls: the second thread was let in %ld times, busy %ld times\n",
           SEQUENCES, CALLS, v.let_in, v.busy);
    return v.busy > 0 && v.let_in > 0;
}

int main(void)
{
    const double alone = run(1);
    const int same = run(2) == alone && run(4) == alone;
    return same && run_kinds() && run_sequences() ? EXIT_SUCCESS : EXIT_FAILURE;
}
