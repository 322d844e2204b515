/* The library without Python: objects by their ids, progress, a pool and memory of the
 * program's own, messages, arguments that are refused. Prints "N passed, M failed". */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vorton.h>
#include <vorton/host.h>

static int passed, failed;

static void check(int holds, const char *what, int line)
{
    passed += holds != 0;
    failed += holds == 0;
    if (!holds)
        printf("line %d: %s (last error: %s)\n", line, what, vt_error_message());
}
#define CHECK(condition) check((condition), #condition, __LINE__)
#define DONE(call) check((call) == VT_OK, #call, __LINE__)

static int refused(vt_status status, const char *word)
{
    return status == VT_INVALID_ARGUMENT && strstr(vt_error_message(), word) != NULL;
}

static const double frame = 1.0 / 24;

/* ---- scenes ---- */

static vt_simulation *new_simulation(int threads)
{
    vt_simulation_def def;
    vt_simulation *simulation = NULL;
    vt_default_simulation(&def);
    def.threads = threads;
    def.max_vortons = 1 << 16;
    def.max_tracers = 1 << 16;
    def.max_nodes = 1 << 18;
    DONE(vt_create_simulation(&def, &simulation));
    return simulation;
}

static void add_ring(vt_simulation *s)
{
    vt_ring_def ring;
    vt_default_ring(&ring);
    ring.radius[0] = ring.radius[1] = 0.5;
    ring.core = 0.2;
    DONE(vt_add_ring(s, &ring, NULL));
}

static vt_tracers_def smoke_at(double x)
{
    vt_tracers_def smoke;
    vt_default_tracers(&smoke);
    smoke.shape.center[0] = x;
    smoke.shape.radius = 0.1;
    smoke.rate = 480;
    return smoke;
}

static int32_t add_smoke(vt_simulation *s, double x)
{
    int32_t id = -1;
    const vt_tracers_def smoke = smoke_at(x);
    DONE(vt_add_tracers(s, &smoke, &id));
    return id;
}

static int32_t add_wind(vt_simulation *s, double speed)
{
    int32_t id = -1;
    vt_wind_def wind;
    vt_default_wind(&wind);
    wind.velocity[0] = speed;
    DONE(vt_add_wind(s, &wind, &id));
    return id;
}

static vt_array column(vt_simulation *s, int set, const char *name)
{
    vt_array array = {.struct_size = sizeof array};
    DONE(vt_column(s, set, name, &array));
    return array;
}

/* FNV-1a of what all particles are and where. */
static uint64_t digest(vt_simulation *s)
{
    static const char *const names[2][3] = {{"position", "strength", "age"},
                                            {"position", "density", "age"}};
    uint64_t hash = UINT64_C(14695981039346656037);
    for (int set = 0; set < 2; set++)
        for (int n = 0; n < 3; n++) {
            const vt_array array = column(s, set, names[set][n]);
            const size_t bytes = (size_t)array.shape[0] * (n == 2 || (set == 1 && n == 1) ? 4 : 12);
            for (size_t i = 0; i < bytes; i++)
                hash = (hash ^ ((const unsigned char *)array.data)[i]) * UINT64_C(1099511628211);
        }
    return hash;
}

static void step(vt_simulation *s, int frames)
{
    for (int n = 0; n < frames; n++)
        DONE(vt_step(s, frame));
}

/* ---- what is tried ---- */

static void test_life(void)
{
    vt_simulation *const a = new_simulation(1), *b = NULL;
    add_ring(a);
    add_smoke(a, 0);
    step(a, 2);
    DONE(vt_copy_simulation(a, 0, 0, &b));
    CHECK((uintptr_t)a % 128 == 0 && (uintptr_t)b % 128 == 0);
    step(a, 2);
    step(b, 2);
    CHECK(digest(a) == digest(b));
    CHECK(vt_step_count(b) == 4);
    vt_destroy_simulation(a);
    vt_destroy_simulation(b);
    vt_destroy_simulation(NULL);
}

static int64_t count_tracers(const vt_simulation *s)
{
    return vt_count(s, VT_TRACERS);
}

/* Tracers born in the last frame, and the mean of their x. */
static int64_t newborn(vt_simulation *s, double *mean)
{
    const vt_array position = column(s, VT_TRACERS, "position"), age = column(s, VT_TRACERS, "age");
    const float *const x = position.data, *const t = age.data;
    int64_t count = 0;
    *mean = 0;
    for (int64_t i = 0; i < age.shape[0]; i++)
        if ((double)t[i] <= frame) {
            *mean += (double)x[3 * i];
            count++;
        }
    *mean /= (double)count;
    return count;
}

/* An emitter is dragged: what is born later is born elsewhere, as many, and what was born stays. */
static void test_drag_emitter(void)
{
    vt_simulation *const s = new_simulation(1), *const still = new_simulation(1), *copy = NULL;
    const int32_t id = add_smoke(s, 0);
    add_smoke(still, 0);
    double mean;
    for (int n = 0; n < 4; n++) {
        const vt_tracers_def smoke = smoke_at(n);
        DONE(vt_change_tracers(s, id, &smoke));
        step(s, 1);
        step(still, 1);
        CHECK(newborn(s, &mean) > 10);
        CHECK(fabs(mean - n) < 0.05);
        CHECK(count_tracers(s) == count_tracers(still)); /* one sequence: as many are born */
    }
    DONE(vt_copy_simulation(s, 0, 0, &copy));
    DONE(vt_remove_source(copy, id));
    step(copy, 1);
    CHECK(count_tracers(copy) == count_tracers(s));
    step(s, 1);
    step(still, 1);
    CHECK(count_tracers(s) == count_tracers(still) && count_tracers(s) > count_tracers(copy));
    CHECK(refused(vt_remove_source(copy, id), "id"));
    CHECK(add_smoke(copy, 0) == id + 1); /* ids are not used again */
    vt_destroy_simulation(copy);
    vt_destroy_simulation(still);
    vt_destroy_simulation(s);
}

/* The same definition again changes nothing: its random sequence goes on. */
static void test_change_to_the_same(void)
{
    vt_simulation *const a = new_simulation(1), *const b = new_simulation(1);
    vt_tracers_def at_once = smoke_at(0);
    at_once.rate = 0;
    at_once.count = 50;
    int32_t id = -1;
    for (int n = 0; n < 2; n++) {
        add_smoke(n ? a : b, 0);
        DONE(vt_add_tracers(n ? a : b, &at_once, &id));
        add_ring(n ? a : b);
    }
    for (int n = 0; n < 3; n++) {
        const vt_tracers_def smoke = smoke_at(0);
        DONE(vt_change_tracers(a, 0, &smoke));
        DONE(vt_change_tracers(a, id, &at_once));
        step(a, 1);
        step(b, 1);
    }
    CHECK(count_tracers(a) > 50 + 30 && count_tracers(a) < 50 + 90);
    CHECK(digest(a) == digest(b));
    vt_destroy_simulation(a);
    vt_destroy_simulation(b);
}

/* From when it is removed a wind is one whose velocity falls to nothing. */
static void test_remove_wind(void)
{
    const double time[2] = {0, 2 * frame}, velocity[6] = {1, 0, 0, 0, 0, 0};
    const uint8_t kind[2] = {VT_TRACK_CONSTANT, VT_TRACK_CONSTANT};
    vt_animation animation = {.parameter = "velocity"};
    vt_wind_def ends;
    vt_simulation *const a = new_simulation(1), *const b = new_simulation(1);
    vt_default_track(&animation.track);
    animation.track.components = 3;
    animation.track.count = 2;
    animation.track.times = time;
    animation.track.values = velocity;
    animation.track.interpolation = kind;
    vt_default_wind(&ends);
    ends.animation_count = 1;
    ends.animations = &animation;
    add_ring(a);
    add_ring(b);
    add_smoke(a, 0);
    add_smoke(b, 0);
    const int32_t id = add_wind(a, 1);
    DONE(vt_add_wind(b, &ends, NULL));
    step(a, 2);
    step(b, 2);
    CHECK(digest(a) == digest(b));
    DONE(vt_remove_wind(a, id));
    step(a, 2);
    step(b, 2);
    CHECK(digest(a) == digest(b));
    CHECK(refused(vt_remove_wind(a, id), "id"));
    vt_destroy_simulation(a);
    vt_destroy_simulation(b);
}

static void test_remove_body(void)
{
    vt_simulation *const a = new_simulation(1), *const b = new_simulation(1);
    vt_shape shape;
    vt_body_def body;
    vt_body_state state = {.struct_size = sizeof state};
    int32_t id[2], first = -1;
    vt_default_shape(&shape);
    vt_default_body(&body);
    shape.center[0] = 50;
    body.shapes = &shape;
    body.shape_count = 1;
    body.panels = 80;
    for (int n = 0; n < 2; n++, shape.center[0] += 10)
        DONE(vt_add_body(a, &body, &id[n]));
    add_ring(a);
    add_ring(b);
    DONE(vt_remove_body(a, id[0]));
    CHECK(vt_body_count(a) == 1);
    DONE(vt_get_body_id(a, 0, &first));
    CHECK(first == id[1]);
    DONE(vt_get_body(a, id[1], &state));
    CHECK(fabs(state.position[0] - 60) < 1e-12);
    CHECK(refused(vt_get_body(a, id[0], &state), "id"));
    step(a, 1);
    DONE(vt_remove_body(a, id[1]));
    vt_destroy_simulation(a);
    /* one that goes before anything has moved leaves nothing behind */
    vt_simulation *const c = new_simulation(1);
    DONE(vt_add_body(c, &body, &id[0]));
    add_ring(c);
    DONE(vt_remove_body(c, id[0]));
    step(b, 2);
    step(c, 2);
    CHECK(digest(b) == digest(c));
    vt_destroy_simulation(b);
    vt_destroy_simulation(c);
}

/* ---- progress ---- */

typedef struct watcher {
    int calls, most;
    double last;
} watcher;

static int watch(void *context, const vt_progress *progress)
{
    watcher *const w = context;
    check((w->calls ? progress->done > w->last : progress->done == 0) &&
              progress->done < progress->step,
          "progress grows", __LINE__);
    check(progress->substeps == w->calls, "substeps are counted", __LINE__);
    w->last = progress->done;
    return ++w->calls == w->most;
}

static void test_cancel(void)
{
    vt_simulation *const s = new_simulation(1), *const whole = new_simulation(1);
    watcher none = {.most = 1}, w = {.most = 3}, all = {.most = -1};
    add_ring(s);
    add_ring(whole);
    add_smoke(s, 0);
    add_smoke(whole, 0);
    const double dt = 2; /* many substeps */
    DONE(vt_set_progress(whole, watch, &all));
    DONE(vt_step(whole, dt));
    CHECK(all.calls > 3);
    DONE(vt_set_progress(s, watch, &none));
    CHECK(vt_step(s, dt) == VT_CANCELLED && none.calls == 1 && vt_time(s) == 0);
    DONE(vt_set_progress(s, watch, &w));
    CHECK(vt_step(s, dt) == VT_CANCELLED);
    CHECK(w.calls == 3 && vt_step_count(s) == 0);
    CHECK(fabs(vt_time(s) - w.last) < 1e-12 && w.last > 0 && w.last < dt);
    DONE(vt_set_progress(s, NULL, NULL));
    DONE(vt_step(s, dt - vt_time(s)));
    CHECK(fabs(vt_time(s) - dt) < 1e-12 && vt_step_count(s) == 1);
    CHECK(count_tracers(s) == count_tracers(whole));
    vt_destroy_simulation(s);
    vt_destroy_simulation(whole);
}

/* ---- a pool of the program's own: threads that are made for each loop ---- */

typedef struct call {
    void (*task)(void *data, int32_t n);
    void *data;
    int32_t n;
} call;

static int loops, calls;

static void *run_call(void *data)
{
    const call *const c = data;
    c->task(c->data, c->n);
    return NULL;
}

static void run_tasks(void *context, int32_t count, void (*task)(void *data, int32_t n), void *data)
{
    pthread_t threads[64];
    call all[64];
    loops++;
    calls += count;
    check(context == &loops && count >= 1 && count <= 3, "tasks", __LINE__);
    for (int32_t n = 0; n < count; n++) {
        all[n] = (call){task, data, n};
        if (n > 0 && pthread_create(&threads[n], NULL, run_call, &all[n]) != 0)
            abort();
    }
    task(data, 0);
    for (int32_t n = 1; n < count; n++)
        pthread_join(threads[n], NULL);
}

static void test_tasks(void)
{
    uint64_t digests[3];
    const vt_tasks tasks = {
        .struct_size = sizeof tasks, .threads = 3, .run = run_tasks, .context = &loops};
    for (int n = 0; n < 3; n++) {
        if (n == 1)
            DONE(vt_set_tasks(&tasks));
        CHECK((strcmp(vt_backend(), "host") == 0) == (n == 1));
        vt_simulation *const s = new_simulation(n == 2 ? 1 : 4);
        add_ring(s);
        add_smoke(s, 0);
        step(s, 2);
        digests[n] = digest(s);
        vt_destroy_simulation(s);
        DONE(vt_set_tasks(NULL));
    }
    CHECK(loops > 0 && calls > loops);
    CHECK(digests[0] == digests[1] && digests[0] == digests[2]);
    const vt_tasks none = {.struct_size = sizeof none, .threads = 3},
                   many = {.struct_size = sizeof many, .threads = 65, .run = run_tasks},
                   unknown = {.threads = 1, .run = run_tasks};
    CHECK(refused(vt_set_tasks(&none), "NULL"));
    CHECK(refused(vt_set_tasks(&many), "65"));
    CHECK(refused(vt_set_tasks(&unknown), "struct_size"));
}

/* ---- memory of the program's own ---- */

typedef struct counter {
    int64_t blocks, given, left; /* in use; ever; how many more are given, -1: all */
    size_t bytes;                /* most that one block had */
} counter;

#ifdef _WIN32 /* whose free() takes no aligned blocks */
#define ALIGNMENT 64
static void *allocate_aligned(size_t alignment, size_t bytes)
{
    return alignment > ALIGNMENT ? NULL : _aligned_malloc(bytes, ALIGNMENT);
}
#define resize_aligned(block, bytes) _aligned_realloc(block, bytes, ALIGNMENT)
#define free_aligned _aligned_free
#else
#define allocate_aligned aligned_alloc
#define resize_aligned realloc
#define free_aligned free
#endif

static void *count_block(counter *c, void *block, size_t bytes)
{
    c->blocks += block != NULL;
    c->given += block != NULL;
    c->bytes = bytes > c->bytes ? bytes : c->bytes;
    return block;
}

static void *allocate_counted(void *context, size_t bytes, size_t alignment)
{
    counter *const c = context;
    check(bytes > 0 && bytes % alignment == 0 && alignment >= 16, "allocate", __LINE__);
    if (c->left == 0)
        return NULL;
    c->left -= c->left > 0;
    return count_block(c, allocate_aligned(alignment, bytes), bytes);
}

static void *resize_counted(void *context, void *block, size_t bytes)
{
    counter *const c = context;
    check(block != NULL && bytes > 0, "resize", __LINE__);
    if (c->left == 0)
        return NULL;
    c->left -= c->left > 0;
    return resize_aligned(block, bytes);
}

static void release_counted(void *context, void *block)
{
    check(block != NULL, "release", __LINE__);
    ((counter *)context)->blocks--;
    free_aligned(block);
}

/* A simulation with what owns memory: statuses of making it, its definitions and a step. */
static vt_status live_a_life(uint64_t *made)
{
    vt_simulation_def def;
    vt_simulation *s = NULL;
    vt_shape shape;
    vt_body_def body;
    vt_ring_def ring;
    int32_t id;
    vt_default_simulation(&def);
    vt_default_shape(&shape);
    vt_default_body(&body);
    vt_default_ring(&ring);
    def.threads = 1;
    def.max_vortons = 1 << 16;
    def.max_tracers = 1 << 10;
    def.max_nodes = 1 << 18;
    shape.kind = VT_SHAPE_BOX;
    shape.center[2] = 1.0;
    body.shapes = &shape;
    body.shape_count = 1;
    body.panels = 80;
    ring.core = 0.2;
    vt_status status = vt_create_simulation(&def, &s);
    if (!status)
        status = vt_add_body(s, &body, &id);
    if (!status)
        status = vt_add_ring(s, &ring, NULL);
    if (!status)
        status = vt_step(s, frame);
    if (!status)
        *made = digest(s);
    vt_destroy_simulation(s);
    return status;
}

static void test_memory(void)
{
    counter c = {.left = -1};
    const vt_memory memory = {.struct_size = sizeof memory,
                              .allocate = allocate_counted,
                              .resize = resize_counted,
                              .release = release_counted,
                              .context = &c};
    uint64_t by_itself = 0, counted = 0;
    DONE(live_a_life(&by_itself));
    DONE(vt_set_memory(&memory));
    DONE(live_a_life(&counted));
    CHECK(by_itself == counted);
    CHECK(c.given > 10 && c.blocks == 0);
    const int64_t all = c.given;
    for (int64_t n = 0; n < all; n++) { /* none after the first n */
        c.left = n;
        CHECK(live_a_life(&counted) == VT_OUT_OF_MEMORY);
        CHECK(c.blocks == 0);
    }
    c.left = -1;
    vt_simulation *const s = new_simulation(1);
    CHECK(c.blocks == 0 || refused(vt_set_memory(NULL), "in use"));
    add_ring(s);
    CHECK(c.blocks > 0 && refused(vt_set_memory(NULL), "in use"));
    vt_destroy_simulation(s);
    const vt_memory half = {.struct_size = sizeof half, .allocate = allocate_counted},
                    unknown = {.allocate = allocate_counted};
    CHECK(refused(vt_set_memory(&half), "NULL"));
    CHECK(refused(vt_set_memory(&unknown), "struct_size"));
    DONE(vt_set_memory(NULL));
    c.given = 0;
    DONE(live_a_life(&by_itself));
    CHECK(c.given == 0);
}

/* ---- messages ---- */

static char heard[512];

static void listen_to(void *context, const char *message)
{
    ++*(int *)context;
    snprintf(heard, sizeof heard, "%s", message);
}

static void test_log(void)
{
    int messages = 0;
    vt_simulation_def def;
    vt_simulation *s = NULL;
    vt_default_simulation(&def);
    def.max_tracers = 30; /* about one and a half frames */
    def.max_nodes = 1 << 18;
    def.at_capacity = VT_AT_CAPACITY_STOP;
    DONE(vt_create_simulation(&def, &s));
    add_smoke(s, 0); /* 20 in a frame */
    vt_set_log(listen_to, &messages);
    step(s, 1);
    CHECK(messages == 0);
    step(s, 1);
    CHECK(messages == 1 && strstr(heard, "tracers") != NULL && strstr(heard, "30") != NULL);
    CHECK(vt_count(s, VT_TRACERS) == 30 && atoi(heard) > 0);
    vt_set_log(NULL, NULL);
    step(s, 1);
    CHECK(messages == 1);
    vt_destroy_simulation(s);
}

/* ---- a step that blows up ---- */

static void test_blow_up(void)
{
    vt_simulation *const s = new_simulation(1);
    vt_blow_up found = {.struct_size = sizeof found};
    vt_ring_def ring;
    int32_t id;
    CHECK(refused(vt_get_blow_up(s, &found), "not blown up"));
    CHECK(refused(vt_get_blow_up(NULL, &found), "NULL"));
    vt_default_ring(&ring);
    ring.circulation = 1e12;
    DONE(vt_add_ring(s, &ring, &id));
    CHECK(vt_step(s, frame) == VT_BLOWN_UP);
    CHECK(strstr(vt_error_message(), "ring") != NULL);
    DONE(vt_get_blow_up(s, &found));
    CHECK(found.vorton >= 0 && found.source == id && found.body == -1 && found.time == 0);
    CHECK(fabs(hypot(found.position[0], found.position[1]) - ring.radius[0]) < 3 * ring.core);
    vt_destroy_simulation(s);
}

/* ---- arguments ---- */

static void test_arguments(void)
{
    vt_simulation *const s = new_simulation(1);
    vt_tracers_def smoke = smoke_at(0);
    vt_ring_def ring;
    vt_kill_def kill;
    vt_force_def force;
    int32_t id = -1, body = -1, index = -1;
    vt_default_ring(&ring);
    vt_default_kill(&kill);
    vt_default_force(&force);
    ring.core = 0.2;
    DONE(vt_add_ring(s, &ring, &id));
    CHECK(id == 0);
    CHECK(refused(vt_change_ring(s, id, &ring), "born whole"));
    CHECK(refused(vt_change_tracers(s, id, &smoke), "vt_add_ring"));
    CHECK(refused(vt_change_tracers(s, 7, &smoke), "7"));
    CHECK(refused(vt_change_tracers(s, -1, &smoke), "-1"));
    ring.time = 1;
    DONE(vt_add_ring(s, &ring, &id));
    CHECK(id == 1);
    ring.core = -1;
    CHECK(refused(vt_change_ring(s, id, &ring), "core"));
    ring.core = 0.1;
    DONE(vt_change_ring(s, id, &ring));
    CHECK(refused(vt_add_tracers(s, NULL, NULL), "NULL"));
    CHECK(refused(vt_add_tracers(NULL, &smoke, NULL), "NULL"));
    CHECK(refused(vt_change_tracers(s, 0, NULL), "NULL"));
    CHECK(refused(vt_remove_source(s, 9), "9"));
    CHECK(refused(vt_remove_source(NULL, 0), "NULL"));
    CHECK(refused(vt_remove_wind(s, 0), "0"));
    CHECK(refused(vt_remove_force(s, 0), "0"));
    CHECK(refused(vt_remove_kill(s, 0), "0"));
    CHECK(refused(vt_remove_body(s, 0), "0"));
    CHECK(refused(vt_get_body_id(s, 0, &body), "index"));
    CHECK(refused(vt_add_kill(s, &kill, &index), "condition"));
    CHECK(refused(vt_set_progress(NULL, watch, NULL), "NULL"));
    kill.age = 1;
    DONE(vt_add_kill(s, &kill, &index));
    CHECK(index == 0);
    kill.age = -1;
    CHECK(refused(vt_change_kill(s, index, &kill), "age"));
    kill.age = 0.5;
    DONE(vt_change_kill(s, index, &kill));
    DONE(vt_remove_kill(s, index));
    CHECK(refused(vt_change_kill(s, index, &kill), "0"));
    DONE(vt_add_force(s, &force, &index));
    force.radius = -1;
    CHECK(refused(vt_change_force(s, index, &force), "radius"));
    vt_default_force(&force);
    force.kind = VT_FORCE_DRAG;
    DONE(vt_change_force(s, index, &force));
    DONE(vt_remove_force(s, index));
    step(s, 1);
    vt_destroy_simulation(s);
}

int main(void)
{
    test_life();
    test_drag_emitter();
    test_change_to_the_same();
    test_remove_wind();
    test_remove_body();
    test_cancel();
    test_tasks();
    test_memory();
    test_log();
    test_blow_up();
    test_arguments();
    printf("%d passed, %d failed\n", passed, failed);
    return failed > 0;
}
