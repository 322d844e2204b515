#include "kernels/particles/lattice_rounding.h"

#include <string.h>

#include "base/parallel.h"
#include "base/simd.h"

enum { BLOCK = 4096 /* rows */, SOME = 256 };

/* Of a counter: a bijection of 32 bits whose output bits each change with half of the input bits
 * (Wellons 2018, "lowbias32"). */
VT_INLINE uint32_t hash(uint32_t counter, uint32_t key)
{
    uint32_t h = counter * 0x9e3779b1u ^ key;
    h = (h ^ h >> 16) * 0x7feb352du;
    h = (h ^ h >> 15) * 0x846ca68bu;
    return h ^ h >> 16;
}

/* In (0, 1), 24 bits. */
VT_INLINE float chance_of(uint32_t bits)
{
    return (float)(int32_t)(bits >> 8) * 0x1p-24f + 0x1p-25f;
}

/* A number in multiples: what the sum with `large` leaves has no digits behind the point. */
VT_INLINE float round_number(float value, float per, float lattice, float chance)
{
    const float at = value * per, large = 0x1.8p23f;
    const float nearest = (at + large) - large, rest = at - nearest;
    const float away = rest < 0 ? -1.0f : 1.0f;
    const float whole = nearest + (chance < __builtin_fabsf(rest) ? away : 0.0f);
    return __builtin_fabsf(at) < 0x1p22f ? whole * lattice : value;
}

typedef struct row_job {
    const int64_t *id;
    float *rows;
    int components;
    uint32_t key;
    float lattice;
} row_job;

static void round_some(const row_job *job, const uint32_t *counter, int64_t count, float *rows)
{
    const float per = 1 / job->lattice, lattice = job->lattice;
    const uint32_t key = job->key;
    for (int64_t n = 0; n < count; n++)
        rows[n] = round_number(rows[n], per, lattice, chance_of(hash(counter[n], key)));
}

static void round_block(void *data, int64_t begin, int64_t end)
{
    const row_job *const job = data;
    const int components = job->components;
    uint32_t counter[3 * SOME];
    for (int64_t row = begin; row < end; row += SOME) {
        const int64_t some = end - row < SOME ? end - row : SOME;
        for (int64_t i = 0; i < some; i++)
            for (int c = 0; c < components; c++)
                counter[components * i + c] = 3 * (uint32_t)job->id[row + i] + (uint32_t)c;
        round_some(job, counter, components * some, job->rows + components * row);
    }
}

void VT_NAME(round_rows)(int64_t count, int components, const int64_t *id, uint32_t key,
                         double lattice, float *rows, int threads)
{
    row_job job = {id, rows, components, key, (float)lattice};
    vti_parallel_for(threads, count, BLOCK, round_block, &job);
}

/* ---- vectors ---- */

typedef struct vector_job {
    float *rows;
    double share;
} vector_job;

/* The largest power of 2 that is not above a size; 0: there is none worth rounding to. */
VT_INLINE double power_below(double size)
{
    uint64_t bits;
    memcpy(&bits, &size, sizeof bits);
    bits &= UINT64_C(0x7ff0000000000000);
    memcpy(&size, &bits, sizeof bits);
    return size >= 0x1p-60 && size <= 0x1p60 ? size : 0;
}

/* A row that is not 0 stays so: its largest number is some thousand multiples. */
static void round_vector_block(void *data, int64_t begin, int64_t end)
{
    const vector_job *const job = data;
    for (int64_t i = begin; i < end; i++) {
        float *const row = job->rows + 3 * i;
        float most = 0;
        for (int a = 0; a < 3; a++)
            most = __builtin_fabsf(row[a]) > most ? __builtin_fabsf(row[a]) : most;
        const double large = 0x1.8p52 * job->share * power_below((double)most);
        for (int a = 0; a < 3 && large > 0; a++)
            row[a] = (float)(((double)row[a] + large) - large);
    }
}

void VT_NAME(round_vectors)(int64_t count, double share, float *rows, int threads)
{
    vector_job job = {rows, share};
    vti_parallel_for(threads, count, BLOCK, round_vector_block, &job);
}

/* ---- shares of a whole ---- */

typedef struct share_job {
    const int64_t *id;
    float *const *column;
    uint32_t key;
    float lattice;
} share_job;

/* All sums by the same chance: none then falls below the one before. */
static void round_share_block(void *data, int64_t begin, int64_t end)
{
    const share_job *const job = data;
    const float per = 1 / job->lattice, lattice = job->lattice;
    for (int64_t row = begin; row < end; row += SOME) {
        const int64_t some = end - row < SOME ? end - row : SOME;
        float chance[SOME], sum[SOME] = {0}, before[SOME] = {0};
        for (int64_t i = 0; i < some; i++)
            chance[i] = chance_of(hash(3 * (uint32_t)job->id[row + i], job->key));
        for (int n = 0; n < 3; n++) {
            float *const share = job->column[n] ? job->column[n] + row : NULL;
            for (int64_t i = 0; i < some && share; i++) {
                sum[i] += share[i];
                const float at = sum[i] * per, below = (float)(int32_t)at;
                const float up = (below + (chance[i] < at - below ? 1.0f : 0.0f)) * lattice;
                const float now = up < 1 ? up : 1;
                share[i] = now - before[i];
                before[i] = now;
            }
        }
    }
}

void VT_NAME(round_shares)(int64_t count, const int64_t *id, uint32_t key, double lattice,
                           float *const column[3], int threads)
{
    share_job job = {id, column, key, (float)lattice};
    vti_parallel_for(threads, count, BLOCK, round_share_block, &job);
}
