#include "kernels/particles/range_check.h"

#include "kernels/particles/particle_rates.h"

/* Of rows of three four times that of tracers under way: what one thread has written it looks at.
 */
enum { BLOCK = 12 * VT_ADVECT_BLOCK };

/* Columns stream from memory, which the processor alone does not foresee in time: floats that are
 * looked at together, that are asked for before, and in a line of the cache. */
enum { CHUNK = 64, AHEAD = 1024, LINE = 16 };

typedef struct context {
    const float *values;
    float least, most;
    _Atomic int32_t beyond;
} context;

/* Looks at values; lanes of the result whose values are not within the limits are not 0. */
VT_INLINE vi look(const float *values, int64_t count, vf least, vf most)
{
    vi beyond = {0};
    for (int64_t i = 0; i < count; i += VL) {
        const vf v = vf_load(values + i);
        beyond |= ~((v >= least) & (v <= most));
    }
    return beyond;
}

static void look_block(void *data, int64_t begin, int64_t end)
{
    context *const c = data;
    const float *const values = c->values;
    const vf least = vf_set(c->least), most = vf_set(c->most);
    vi beyond = {0};
    int64_t i = begin;
    for (; i + CHUNK <= end; i += CHUNK) {
        for (int64_t line = 0; line < CHUNK; line += LINE)
            __builtin_prefetch(values + i + line + AHEAD);
        beyond |= look(values + i, CHUNK, least, most);
    }
    int rest = 0;
    for (; i < end; i++)
        rest |= !(values[i] >= c->least && values[i] <= c->most);
    if (rest || vi_any(beyond))
        c->beyond = 1;
}

void VT_NAME(limits)(int64_t count, const float *values, float least, float most, int32_t *beyond,
                     int threads)
{
    context c = {values, least, most, 0};
    vti_parallel_for(threads, count, BLOCK, look_block, &c);
    *beyond = c.beyond;
}

typedef struct flags_context {
    const uint32_t *flags;
    uint32_t flag;
    _Atomic int32_t lacking;
} flags_context;

static void flags_block(void *data, int64_t begin, int64_t end)
{
    flags_context *const c = data;
    const uint32_t *const flags = c->flags;
    uint32_t all[LINE], common;
    int64_t i = begin;
    for (int l = 0; l < LINE; l++)
        all[l] = UINT32_MAX;
    for (; i + LINE <= end; i += LINE) {
        __builtin_prefetch(flags + i + AHEAD);
        for (int l = 0; l < LINE; l++)
            all[l] &= flags[i + l];
    }
    common = all[0];
    for (int l = 1; l < LINE; l++)
        common &= all[l];
    for (; i < end; i++)
        common &= flags[i];
    if (!(common & c->flag))
        c->lacking = 1;
}

void VT_NAME(lack_flag)(int64_t count, const uint32_t *flags, uint32_t flag, int32_t *lacking,
                        int threads)
{
    flags_context c = {flags, flag, 0};
    vti_parallel_for(threads, count, BLOCK, flags_block, &c);
    *lacking = c.lacking;
}
