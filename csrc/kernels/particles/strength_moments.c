#include "kernels/particles/strength_moments.h"

#include "base/parallel.h"

/* Three doubles, and one that nobody asks for. */
typedef double d4 __attribute__((vector_size(32)));

typedef struct context {
    const float *position, *strength;
    d4 about;
    double *block;
} context;

VT_INLINE d4 load_row(const float *row)
{
    f4 values;
    memcpy(&values, row, sizeof values);
    return __builtin_convertvector(values, d4);
}

VT_INLINE d4 spread(double a)
{
    return (d4){a, a, a, a};
}

/* y, z, x. */
VT_INLINE d4 turn_on(d4 a)
{
    return __builtin_shufflevector(a, a, 1, 2, 0, 3);
}

VT_INLINE d4 cross(d4 a, d4 b)
{
    return turn_on(a) * turn_on(turn_on(b)) - turn_on(turn_on(a)) * turn_on(b);
}

static void sum_block(void *data, int64_t begin, int64_t end)
{
    const context c = *(const context *)data;
    d4 sum[5];
    memset(sum, 0, sizeof sum);
    for (int64_t i = begin; i < end; i++) {
        const d4 r = load_row(c.position + 3 * i) - c.about, alpha = load_row(c.strength + 3 * i);
        sum[0] += alpha;
        for (int a = 0; a < 3; a++)
            sum[a + 1] += spread(r[a]) * alpha;
        sum[4] += spread(1.0 / 3.0) * cross(r, cross(r, alpha));
    }
    double *const all = c.block + begin / VT_STRENGTH_BLOCK * VT_STRENGTH_SUMS;
    for (int n = 0; n < 5; n++)
        for (int a = 0; a < 3; a++)
            all[3 * n + a] = sum[n][a];
}

void VT_NAME(sum_strengths)(int64_t count, const float *position, const float *strength,
                            const double about[3], double *block, int threads)
{
    context c = {position, strength, {about[0], about[1], about[2], 0}, block};
    vti_parallel_for(threads, count, VT_STRENGTH_BLOCK, sum_block, &c);
}
