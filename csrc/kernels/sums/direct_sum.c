#include "kernels/sums/direct_sum.h"

#include "base/parallel.h"
#include "kernels/sums/pair_sums.h"

/* Partial sums over this many vortons keep the rounding error from growing with their number. */
enum { TILE = 512, TARGET_BLOCK = 64, SOURCE_BLOCK = 4096 };

typedef struct job {
    int64_t source_count;
    const float *targets, *positions, *strengths, *cores;
    float *velocity, *gradient, *divergence;
    vt_packed_vorton *sources;
    const vt_core_table *table;
} job;

static void pack_sources(void *context, int64_t begin, int64_t end)
{
    const job *const j = context;
    for (int64_t i = begin; i < end; i++)
        j->sources[i] = vti_pack_vorton(j->positions + 3 * i, j->strengths + 3 * i, j->cores[i]);
}

VT_INLINE void sum_sources(int kernel, int with_gradient, const job *j, const vf target[3],
                           vt_pair_sums *total)
{
    *total = (vt_pair_sums){0};
    for (int64_t tile = 0; tile < j->source_count; tile += TILE) {
        const int64_t end = tile + TILE < j->source_count ? tile + TILE : j->source_count;
        vt_pair_sums part = {0};
        for (int64_t i = tile; i < end; i++)
            vti_add_pair(kernel, with_gradient, j->table, target, &j->sources[i], &part);
        vti_add_sums(with_gradient, total, &part);
    }
}

/* Loads VL rows of three; spare lanes repeat the last row. */
static void load_rows(const float *rows, int64_t count, vf columns[3])
{
    float lanes[3][VL];
    for (int64_t lane = 0; lane < VL; lane++)
        for (int c = 0; c < 3; c++)
            lanes[c][lane] = rows[3 * (lane < count ? lane : count - 1) + c];
    for (int c = 0; c < 3; c++)
        columns[c] = vf_load(lanes[c]);
}

static void store_rows(float *rows, int components, const vf *columns, int64_t count)
{
    for (int c = 0; c < components; c++)
        for (int64_t lane = 0; lane < count; lane++)
            rows[lane * components + c] = columns[c][lane];
}

VT_INLINE void sum_targets(int kernel, int with_gradient, const job *j, int64_t begin, int64_t end)
{
    for (int64_t first = begin; first < end; first += VL) {
        const int64_t count = first + VL < end ? VL : end - first;
        vf target[3];
        vt_pair_sums total;
        load_rows(j->targets + 3 * first, count, target);
        sum_sources(kernel, with_gradient, j, target, &total);
        store_rows(j->velocity + 3 * first, 3, total.velocity, count);
        if (with_gradient) {
            vti_finish_gradient(&total);
            store_rows(j->gradient + 9 * first, 9, total.outer, count);
            store_rows(j->divergence + 3 * first, 3, total.vorticity, count);
        }
    }
}

/* One loop for each core function, with and without the gradient. */
#define VT_LOOP(name, kernel, with_gradient)                                                       \
    static void name(void *context, int64_t begin, int64_t end)                                    \
    {                                                                                              \
        sum_targets(kernel, with_gradient, context, begin, end);                                   \
    }
#define VT_LOOPS(name, kernel)                                                                     \
    VT_LOOP(name##_velocity, kernel, 0)                                                            \
    VT_LOOP(name##_gradient, kernel, 1)
VT_EACH_CORE(VT_LOOPS)
#define VT_TWO_LOOPS(name, kernel) [kernel] = {name##_velocity, name##_gradient},

void VT_NAME(direct)(int kernel, int64_t count, const float *targets, int64_t source_count,
                     const float *positions, const float *strengths, const float *cores,
                     float *velocity, float *gradient, float *divergence, vt_arena *arena,
                     int threads)
{
    static vt_block_function *const loops[][2] = {VT_EACH_CORE(VT_TWO_LOOPS)};
    VT_HAS_ALL_CORES(loops);
    const size_t mark = vti_arena_mark(arena);
    job j = {source_count,
             targets,
             positions,
             strengths,
             cores,
             velocity,
             gradient,
             divergence,
             .sources = vti_arena_push(arena, (size_t)source_count * sizeof(vt_packed_vorton)),
             .table = vti_gaussian_table()};
    vti_parallel_for(threads, source_count, SOURCE_BLOCK, pack_sources, &j);
    vti_parallel_for(threads, count, TARGET_BLOCK, loops[kernel][gradient != NULL], &j);
    vti_arena_pop(arena, mark);
}
