/* The pairs of the exchange between particles (diffuse.c): what a block of targets makes of the
 * sources around it, lanes are sources. For that one kernel file. */
#ifndef VORTON_STAGES_DIFFUSE_PAIRS_H
#define VORTON_STAGES_DIFFUSE_PAIRS_H

#include <string.h>

#include "core/simd.h"
#include "stages/diffuse.h"

enum {
    PILES = 3,                   /* of rows, around a target */
    FOLDED = 4,                  /* sums that are folded together */
    APART = VT_LANES * 4,        /* bytes between what threads write */
    OWN = APART / sizeof(float), /* floats */
    TOGETHER = VL == 16 ? 2 : 1  /* targets: as many as there are registers for */
};
enum { PARTS = VT_LANES / VL, SUMS = (VT_DIFFUSED_MOST + FOLDED) / FOLDED * FOLDED };

/* What sources bring along: places in `values`, then one for each component. */
enum { AT, VOLUME = AT + 3, SHARE, DENSITY, VALUES = DENSITY + VT_DIFFUSED_MOST };

/* Arrays in the order of the partition; lengths in sides of a cell, volumes in cells. */
typedef struct vt_diffusion {
    const vt_partition *cells;
    const vt_diffused *diffused;
    int kind;
    const float *source_volume;
    const float *position;
    float *values[VALUES]; /* VOLUME: times the kernel at distance 0; SHARE: volume x factor */
    float *factor;         /* c_i / 2 */
    float *rate[VT_DIFFUSED_MOST], *change[VT_DIFFUSED_MOST];
    float *moment;
    float step[VT_DIFFUSED_MOST];
    float *strips;  /* memory of the threads */
    size_t strip;   /* floats of a pile for each value, a multiple of VT_LANES */
    size_t buckets; /* of those where its buckets begin, likewise */
    float *weight;  /* of each thread: the largest sum over the neighbours of V eta */
} vt_diffusion;

/* The particles of three rows of buckets that lie above each other, bucket by bucket, so that what
 * a target may meet lies together in three ranges. Where the axis is folded the buckets at the ends
 * are there twice, and what fills the last vector of each carries no volume; elsewhere whole
 * vectors may take in what is beyond reach. */
typedef struct vt_pile {
    uint32_t *begin; /* of bucket i, i = -slices ... */
    uint32_t first;  /* place of the first source in the values of the strip */
} vt_pile;

/* The piles before, at and behind a row of targets. */
typedef struct vt_strip {
    vt_pile piles[PILES];
    float *values[VALUES];
} vt_strip;

/* Targets, and the sources that they meet, in whole vectors. */
typedef struct vt_meeting {
    uint32_t begin, end;
    uint32_t from[PILES], to[PILES];
    float *weight;
} vt_meeting;

/* ---- pairs ---- */

/* The sums of 16 lanes each, always in the same order. */
VT_INLINE f4 fold(const vf sum[FOLDED][PARTS])
{
    f4 four[FOLDED];
#pragma GCC unroll 4
    for (int n = 0; n < FOLDED; n++) {
#if VL == 16
        const vf all = sum[n][0];
        const f8 eight = __builtin_shufflevector(all, all, 0, 1, 2, 3, 4, 5, 6, 7) +
                         __builtin_shufflevector(all, all, 8, 9, 10, 11, 12, 13, 14, 15);
        four[n] = f8_low(eight) + f8_high(eight);
#elif VL == 8
        const f8 eight = sum[n][0] + sum[n][1];
        four[n] = f8_low(eight) + f8_high(eight);
#else
        four[n] = (sum[n][0] + sum[n][2]) + (sum[n][1] + sum[n][3]);
#endif
    }
    f4_transpose(four);
    return (four[0] + four[2]) + (four[1] + four[3]);
}

/* 1 - the square of the distance of VL sources. */
VT_INLINE vf nearness(const vf source[3], const vf x[3])
{
    vf near = vf_set(1.0f);
#pragma GCC unroll 3
    for (int a = 0; a < 3; a++) {
        const vf d = source[a] - x[a];
        near = vf_fma(-d, d, near);
    }
    return near;
}

VT_INLINE void load_sources(const vt_strip *s, uint32_t i, vf x[3])
{
#pragma GCC unroll 3
    for (int a = 0; a < 3; a++)
        x[a] = vf_load(s->values[AT + a] + i);
}

VT_INLINE void load_target(const vt_diffusion *j, uint32_t t, vf x[3])
{
#pragma GCC unroll 3
    for (int a = 0; a < 3; a++)
        x[a] = vf_set(j->values[AT + a][t]);
}

/* eta without its factors c and its value at distance 0; of the exchange, whose positions are the
 * numbers of cells. */
VT_INLINE vf kernel(int kind, vf near)
{
    const vf zero = {0};
    if (kind == VT_DIFFUSION_EXCHANGE)
        return vf_select(near > vf_set(-0.5f), vf_set(1.0f), zero);
    const vf inside = vf_max(near, zero), square = inside * inside;
    return square * square;
}

/* The second moments of `together` targets from t on, which share what is loaded. */
VT_INLINE void find_moments(const vt_diffusion *j, int together, const vt_strip *s,
                            const vt_meeting *m, uint32_t t)
{
    vf x[TOGETHER][3], sum[TOGETHER][FOLDED][PARTS] = {{{{0}}}};
    for (int k = 0; k < together; k++)
        load_target(j, t + (uint32_t)k, x[k]);
#pragma GCC unroll 4
    for (int p = 0; p < PARTS; p++)
        for (int n = 0; n < PILES; n++)
            for (uint32_t i = m->from[n] + (uint32_t)(p * VL); i < m->to[n]; i += VT_LANES) {
                const vf volume = vf_load(s->values[VOLUME] + i);
                vf source[3];
                load_sources(s, i, source);
#pragma GCC unroll 4
                for (int k = 0; k < together; k++) {
                    const vf near = vf_max(nearness(source, x[k]), (vf){0}), square = near * near;
                    const vf eta = volume * (square * square);
                    sum[k][0][p] = vf_fma(eta, vf_set(1.0f) - near, sum[k][0][p]);
                }
            }
    for (int k = 0; k < together; k++)
        j->moment[t + (uint32_t)k] = fold((const vf(*)[PARTS])sum[k])[0];
}

static void meet_moments(const vt_diffusion *j, const vt_strip *from, const vt_meeting *m)
{
    const vt_strip s = *from; /* copies: stores cannot change them */
    uint32_t t = m->begin;
    for (; t + TOGETHER <= m->end; t += TOGETHER)
        find_moments(j, TOGETHER, &s, m, t);
    for (; t < m->end; t++)
        find_moments(j, 1, &s, m, t);
}

/* Rates of `together` targets from t on. */
VT_INLINE void find_rates(const vt_diffusion *j, int kind, int components, int together,
                          const vt_strip *s, const vt_meeting *m, uint32_t t)
{
    vf x[TOGETHER][3], factor[TOGETHER], density[TOGETHER][VT_DIFFUSED_MOST];
    vf sum[TOGETHER][SUMS][PARTS] = {{{{0}}}};
    for (int k = 0; k < together; k++) {
        load_target(j, t + (uint32_t)k, x[k]);
        factor[k] = vf_set(j->factor[t + (uint32_t)k]);
        for (int c = 0; c < components; c++)
            density[k][c] = vf_set(j->values[DENSITY + c][t + (uint32_t)k]);
    }
#pragma GCC unroll 4
    for (int p = 0; p < PARTS; p++)
        for (int n = 0; n < PILES; n++)
            for (uint32_t i = m->from[n] + (uint32_t)(p * VL); i < m->to[n]; i += VT_LANES) {
                const vf own = vf_load(s->values[VOLUME] + i),
                         share = vf_load(s->values[SHARE] + i);
                vf source[3], eta[TOGETHER];
                load_sources(s, i, source);
#pragma GCC unroll 4
                for (int k = 0; k < together; k++) {
                    const vf volume = vf_fma(own, factor[k], share);
                    eta[k] = volume * kernel(kind, nearness(source, x[k]));
                    sum[k][components][p] += eta[k];
                }
                for (int c = 0; c < components; c++) {
                    const vf there = vf_load(s->values[DENSITY + c] + i);
#pragma GCC unroll 4
                    for (int k = 0; k < together; k++)
                        sum[k][c][p] = vf_fma(eta[k], there - density[k][c], sum[k][c][p]);
                }
            }
    for (int k = 0; k < together; k++) {
        const uint32_t target = t + (uint32_t)k;
        float found[SUMS];
        for (int c = 0; c <= components; c += FOLDED)
            f4_store(found + c, fold((const vf(*)[PARTS])(sum[k] + c)));
        /* the particle itself left out: it gives itself nothing */
        const float weight = found[components] - 2 * j->values[SHARE][target];
        *m->weight = weight > *m->weight ? weight : *m->weight;
        for (int c = 0; c < components; c++)
            j->rate[c][target] = found[c];
    }
}

VT_INLINE void find_all_rates(const vt_diffusion *j, int kind, int components, const vt_strip *from,
                              const vt_meeting *m)
{
    const vt_strip s = *from;
    uint32_t t = m->begin;
    for (; t + TOGETHER <= m->end; t += TOGETHER)
        find_rates(j, kind, components, TOGETHER, &s, m, t);
    for (; t < m->end; t++)
        find_rates(j, kind, components, 1, &s, m, t);
}

typedef void meet_function(const vt_diffusion *j, const vt_strip *s, const vt_meeting *m);

#define MEET(name, kind, components)                                                               \
    static void name(const vt_diffusion *j, const vt_strip *s, const vt_meeting *m)                \
    {                                                                                              \
        find_all_rates(j, kind, components, s, m);                                                 \
    }
#define MEET_BOTH(components)                                                                      \
    MEET(meet_pse_##components, VT_DIFFUSION_PSE, components)                                      \
    MEET(meet_exchange_##components, VT_DIFFUSION_EXCHANGE, components)
MEET_BOTH(1)
MEET_BOTH(2)
MEET_BOTH(3)
MEET_BOTH(4)
MEET_BOTH(5)
MEET_BOTH(6)
MEET_BOTH(7)
MEET_BOTH(8)
#undef MEET_BOTH
#undef MEET

static meet_function *const rate_loops[2][VT_DIFFUSED_MOST] = {
    {meet_pse_1, meet_pse_2, meet_pse_3, meet_pse_4, meet_pse_5, meet_pse_6, meet_pse_7,
     meet_pse_8},
    {meet_exchange_1, meet_exchange_2, meet_exchange_3, meet_exchange_4, meet_exchange_5,
     meet_exchange_6, meet_exchange_7, meet_exchange_8}};

#endif
