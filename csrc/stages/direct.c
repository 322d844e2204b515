/* The sum over all pairs (part 3): every target gathers from all vortons in index order, so
 * the order of the additions is always the same. Lanes are targets. */
#include "core/core_functions.h"
#include "core/mathd.h"
#include "core/parallel.h"
#include "stages/direct.h"
#include "stages/stages.h"

/* Partial sums over this many vortons keep the rounding error from growing with their number. */
enum { TILE = 512, TARGET_BLOCK = 64, SOURCE_BLOCK = 4096 };

typedef struct job {
    int64_t target_count, source_count;
    const float *targets, *positions, *strengths, *cores;
    float *velocity, *gradient;
    vt_direct_source *sources;
    const vt_core_table *table;
} job;

typedef struct sums {
    vf velocity[3];
    vf rotation[3]; /* sum of core velocity x strength: the antisymmetric part of the gradient */
    vf outer[9];    /* sum of core gradient x (strength x offset)_i offset_j */
} sums;

static void pack_sources(void *context, int64_t begin, int64_t end, int thread)
{
    const job *const j = context;
    (void)thread;
    for (int64_t i = begin; i < end; i++) {
        const double core = (double)j->cores[i], square = core * core;
        const double scale = 1.0 / (4.0 * VT_PI * square * core);
        vt_direct_source *const source = &j->sources[i];
        for (int c = 0; c < 3; c++) {
            source->position[c] = j->positions[3 * i + c];
            source->strength[c] = (float)(scale * (double)j->strengths[3 * i + c]);
        }
        source->narrowness = (float)(1.0 / square);
        source->padding = 0.0f;
    }
}

/* ---- the cores: csrc/core/core_functions.h, s = (r / core)^2 ---- */

VT_INLINE int any_lane(vi mask)
{
#if VL == 16
    return _mm512_test_epi32_mask((__m512i)mask, (__m512i)mask) != 0;
#elif VL == 8
    return _mm256_movemask_ps((__m256)mask) != 0;
#else
    return (mask[0] | mask[1] | mask[2] | mask[3]) != 0;
#endif
}

/* table[index], 0 <= index < 32 */
VT_INLINE vf look_up(const float table[VT_CORE_INTERVALS], vi index)
{
#if VL == 16
    return (vf)_mm512_permutex2var_ps(_mm512_loadu_ps(table), (__m512i)index,
                                      _mm512_loadu_ps(table + 16));
#elif VL == 8
    return (vf)_mm256_i32gather_ps(table, (__m256i)index, 4);
#else
    return (vf){table[index[0]], table[index[1]], table[index[2]], table[index[3]]};
#endif
}

VT_INLINE vf look_up_quartic(const float table[VT_CORE_TERMS][VT_CORE_INTERVALS], vf s)
{
    /* Lanes beyond the table read its last interval; their values are not used. */
    const vf scaled = s * ((float)VT_CORE_INTERVALS / (float)VT_CORE_END);
    const vi index = vf_truncate(vf_min(scaled, vf_set(VT_CORE_INTERVALS - 1)));
    const vf t = scaled - vi_to_vf(index);
    vf sum = look_up(table[VT_CORE_TERMS - 1], index);
#pragma GCC unroll 4
    for (int k = VT_CORE_TERMS - 2; k >= 0; k--)
        sum = sum * t + look_up(table[k], index);
    return sum;
}

/* The core functions of velocity and, if asked for, gradient: one root and one division. */
VT_INLINE void evaluate_core(int kernel, int with_gradient, const vt_core_table *table, vf s,
                             vf *velocity, vf *gradient)
{
    if (kernel == VT_KERNEL_WL) {
        const vf t = s + 1.0f, power = t * vf_sqrt(t), inverse = 1.0f / (t * power);
        *velocity = (s + 2.5f) * inverse;
        *gradient = (s * -3.0f - 10.5f) * (inverse * inverse) * power;
        return;
    }
    const vf t = kernel == VT_KERNEL_BALL ? vf_max(s, vf_set(1.0f)) : s;
    const vf root = vf_sqrt(t), point = 1.0f / (t * root);
    *velocity = point;
    *gradient = (point * point) * (root * -3.0f);
    if (kernel == VT_KERNEL_BALL)
        *gradient = vf_select(s < 1.0f, vf_set(0.0f), *gradient);
    const vi near = s < (float)VT_CORE_END;
    if (kernel != VT_KERNEL_GAUSSIAN || !any_lane(near))
        return;
    *velocity = vf_select(near, look_up_quartic(table->velocity, s), point);
    if (with_gradient)
        *gradient = vf_select(near, look_up_quartic(table->gradient, s), *gradient);
}

/* ---- pairs ---- */

VT_INLINE void add_source(int kernel, int with_gradient, const vt_core_table *table,
                          const vf target[3], const vt_direct_source *source, sums *sum)
{
    const float *const a = source->strength;
    const vf x = target[0] - source->position[0];
    const vf y = target[1] - source->position[1];
    const vf z = target[2] - source->position[2];
    const vf s = (x * x + y * y + z * z) * source->narrowness;
    const vf cross[3] = {z * a[1] - y * a[2], x * a[2] - z * a[0], y * a[0] - x * a[1]};
    vf value, slope;
    evaluate_core(kernel, with_gradient, table, s, &value, &slope);
#pragma GCC unroll 3
    for (int i = 0; i < 3; i++)
        sum->velocity[i] += cross[i] * value;
    if (!with_gradient)
        return;
    slope *= source->narrowness;
    const vf offset[3] = {x, y, z};
#pragma GCC unroll 3
    for (int i = 0; i < 3; i++) {
        const vf along = cross[i] * slope;
        sum->rotation[i] += value * a[i];
#pragma GCC unroll 3
        for (int j = 0; j < 3; j++)
            sum->outer[3 * i + j] += along * offset[j];
    }
}

VT_INLINE void add_sums(int with_gradient, sums *total, const sums *part)
{
#pragma GCC unroll 3
    for (int i = 0; i < 3; i++)
        total->velocity[i] += part->velocity[i];
#pragma GCC unroll 3
    for (int i = 0; with_gradient && i < 3; i++)
        total->rotation[i] += part->rotation[i];
#pragma GCC unroll 9
    for (int i = 0; with_gradient && i < 9; i++)
        total->outer[i] += part->outer[i];
}

VT_INLINE void sum_sources(int kernel, int with_gradient, const job *j, const vf target[3],
                           sums *total)
{
    *total = (sums){0};
    for (int64_t tile = 0; tile < j->source_count; tile += TILE) {
        const int64_t end = tile + TILE < j->source_count ? tile + TILE : j->source_count;
        sums part = {0};
        for (int64_t i = tile; i < end; i++)
            add_source(kernel, with_gradient, j->table, target, &j->sources[i], &part);
        add_sums(with_gradient, total, &part);
    }
}

/* d (a x offset)_i / d x_j = e_ikj a_k */
static void add_rotation(sums *sum)
{
    const vf *const r = sum->rotation;
    sum->outer[1] -= r[2];
    sum->outer[2] += r[1];
    sum->outer[3] += r[2];
    sum->outer[5] -= r[0];
    sum->outer[6] -= r[1];
    sum->outer[7] += r[0];
}

/* Spare lanes repeat the last row. */
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
        sums total;
        load_rows(j->targets + 3 * first, count, target);
        sum_sources(kernel, with_gradient, j, target, &total);
        store_rows(j->velocity + 3 * first, 3, total.velocity, count);
        if (with_gradient) {
            add_rotation(&total);
            store_rows(j->gradient + 9 * first, 9, total.outer, count);
        }
    }
}

/* One loop for each kernel, with and without the gradient. */
#define VT_LOOP(name, kernel, with_gradient)                                                       \
    static void name(void *context, int64_t begin, int64_t end, int thread)                        \
    {                                                                                              \
        (void)thread;                                                                              \
        sum_targets(kernel, with_gradient, context, begin, end);                                   \
    }
VT_LOOP(gaussian_velocity, VT_KERNEL_GAUSSIAN, 0)
VT_LOOP(gaussian_gradient, VT_KERNEL_GAUSSIAN, 1)
VT_LOOP(wl_velocity, VT_KERNEL_WL, 0)
VT_LOOP(wl_gradient, VT_KERNEL_WL, 1)
VT_LOOP(ball_velocity, VT_KERNEL_BALL, 0)
VT_LOOP(ball_gradient, VT_KERNEL_BALL, 1)
#undef VT_LOOP

void VT_NAME(direct)(int kernel, int64_t count, const float *targets, int64_t source_count,
                     const float *positions, const float *strengths, const float *cores,
                     float *velocity, float *gradient, vt_arena *arena, int threads)
{
    static vt_block_function *const loops[3][2] = {{gaussian_velocity, gaussian_gradient},
                                                   {wl_velocity, wl_gradient},
                                                   {ball_velocity, ball_gradient}};
    const size_t mark = vt_arena_mark(arena);
    job j = {count,
             source_count,
             targets,
             positions,
             strengths,
             cores,
             velocity,
             gradient,
             .sources = vt_arena_push(arena, (size_t)source_count * sizeof(vt_direct_source)),
             .table = vt_gaussian_table()};
    vt_parallel_for(threads, source_count, SOURCE_BLOCK, pack_sources, &j);
    vt_parallel_for(threads, count, TARGET_BLOCK, loops[kernel][gradient != NULL], &j);
    vt_arena_pop(arena, mark);
}
