/* The pairs of the exchange between particles (kernels/particles/particle_strength_exchange.c):
 * what targets make of the sources around them, lanes are sources. For that one kernel file. */
#pragma once

#include "base/simd_rearrange.h"
#include "kernels/particles/particle_strength_exchange_gather.h"
#include "vorton.h"

/* Targets that meet the same sources; of those as many at a time as there are registers for; and
 * the marks of each. */
enum { MET = 4, TOGETHER = VL == 4 ? 1 : VL / 4, MARKS = 64 };
enum { PARTS = VT_LANES / VL, SUMS = (VT_DIFFUSED_MOST / MET + 1) * MET };

/* Neighbours in a row of targets, and the sources that they meet. */
typedef struct vt_meeting {
    uint32_t begin, end;
    int64_t bucket;   /* of the last target */
    uint32_t vectors; /* of VT_LANES sources */
    uint32_t *place;  /* of each in the values of the strip */
} vt_meeting;

/* ---- meetings ---- */

/* Lists where the vectors of sources [from, to) begin. */
VT_INLINE void list_places(vt_meeting *m, uint32_t from, uint32_t to)
{
    uint32_t *place = m->place + m->vectors;
    const vi lanes = vi_lanes() * VT_LANES;
    for (uint32_t i = from / VT_LANES * VT_LANES; i < to; i += VL * VT_LANES, place += VL)
        vi_store(place, lanes + (int32_t)i);
    m->vectors += to > from ? (to + VT_LANES - 1) / VT_LANES - from / VT_LANES : 0;
}

/* The next targets of a row, after those of m; 0 where there are no more. */
VT_INLINE int find_meeting(const vt_diffusion *j, const vt_strip *s, const uint32_t *own,
                           vt_meeting *m)
{
    const int64_t nx = j->cells->cells[0], reach = j->cells->slices;
    /* what a folded axis has twice is met once */
    const int64_t span = j->cells->folded[0] ? nx - 2 * reach : nx;
    m->begin = m->end;
    if (m->begin == own[nx])
        return 0;
    int64_t first = m->bucket;
    while (own[first + 1] <= m->begin)
        first++;
    const uint32_t end = own[first + span < nx ? first + span : nx];
    m->end = m->begin + MET < end ? m->begin + MET : end;
    m->bucket = first;
    while (own[m->bucket + 1] < m->end)
        m->bucket++;
    m->vectors = 0;
    for (int n = 0; n < PILES; n++)
        list_places(m, s->piles[n].begin[first - reach], s->piles[n].begin[m->bucket + reach + 1]);
    return 1;
}

/* Target k of a meeting; where there are fewer, the first once more. */
VT_INLINE uint32_t target_of(const vt_meeting *m, int k)
{
    const uint32_t t = m->begin + (uint32_t)k;
    return t < m->end ? t : m->begin;
}

/* ---- pairs ---- */

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

/* Bits below n, all of them where there are no more. */
VT_INLINE uint64_t low_bits(uint32_t n)
{
    return n < MARKS ? ((uint64_t)1 << n) - 1 : ~(uint64_t)0;
}

/* Bit n: whether word n of `count` is not 0. */
VT_INLINE uint64_t mark_words(const uint16_t word[MARKS], uint32_t count)
{
    uint64_t marks = 0;
    for (uint32_t n = 0; n < count; n += 16)
        marks |= (uint64_t)u16_filled(word + n) << n;
    return marks & low_bits(count);
}

/* Adds near^4 distance^2 volume where a source is near, and tells which lanes those are. */
VT_INLINE vf add_moment(vf sum, vf near, vf volume, uint16_t *lanes)
{
#if VL == 16
    const vf square = near * near, by_distance2 = vf_fma(-near, square, square);
    const __mmask16 inside = _mm512_cmp_ps_mask((__m512)near, _mm512_setzero_ps(), _CMP_GT_OQ);
    *lanes = inside;
    return (vf)_mm512_mask3_fmadd_ps((__m512)(volume * square), (__m512)by_distance2, (__m512)sum,
                                     inside);
#else
    const vf inside = vf_max(near, (vf){0}), square = inside * inside;
    *lanes = (uint16_t)vi_bits(near > (vf){0});
    return vf_fma(volume * square, vf_fma(-inside, square, square), sum);
#endif
}

/* Part p of the second moments of TOGETHER targets, which share what is loaded, and which vectors
 * hold any source within reach of each: mark n stands for vector n, n + MARKS ... */
VT_INLINE void add_moments(const vt_strip *s, const vt_meeting *m, int p, vf x[TOGETHER][3],
                           vf sum[TOGETHER][PARTS], uint64_t marks[TOGETHER])
{
    for (uint32_t first = 0; first < m->vectors; first += MARKS) {
        const uint32_t count = m->vectors - first < MARKS ? m->vectors - first : MARKS;
        uint16_t near_ones[TOGETHER][MARKS];
        for (uint32_t v = 0; v < count; v++) {
            const uint32_t i = m->place[first + v] + (uint32_t)(p * VL);
            const vf volume = vf_load(s->values[VOLUME] + i);
            vf source[3];
            load_sources(s, i, source);
#pragma GCC unroll 4
            for (int k = 0; k < TOGETHER; k++) {
                const vf near = nearness(source, x[k]);
                sum[k][p] = add_moment(sum[k][p], near, volume, &near_ones[k][v]);
            }
        }
        for (int k = 0; k < TOGETHER; k++)
            marks[k] |= mark_words(near_ones[k], count);
    }
}

VT_INLINE void find_moments(const vt_diffusion *j, const vt_strip *s, const vt_meeting *m)
{
    vf sum[MET][PARTS] = {{{0}}};
#pragma GCC unroll 4
    for (int k = 0; k < MET; k += TOGETHER) {
        vf x[TOGETHER][3];
        for (int n = 0; n < TOGETHER; n++)
            load_target(j, target_of(m, k + n), x[n]);
#pragma GCC unroll 4
        for (int p = 0; p < PARTS; p++) {
            uint64_t marks[TOGETHER] = {0};
            add_moments(s, m, p, x, sum + k, marks);
            for (int n = 0; n < TOGETHER; n++)
                j->marks[PARTS * (size_t)target_of(m, k + n) + (size_t)p] = marks[n];
        }
    }
    const f4 moment = f4_sum_rows((const vf(*)[PARTS])sum);
    for (int k = 0; k < MET; k++)
        j->sum[target_of(m, k)] = moment[k];
}

static void meet_moments(const vt_diffusion *j, const vt_strip *from, const uint32_t *own,
                         float *most)
{
    const vt_strip s = *from; /* a copy: stores cannot change it */
    vt_meeting m = {.end = own[0], .place = s.place};
    (void)most;
    while (find_meeting(j, &s, own, &m))
        find_moments(j, &s, &m);
}

/* What target t receives. */
VT_INLINE void find_rates(const vt_diffusion *j, int kind, int components, const vt_strip *s,
                          const vt_meeting *m, uint32_t t, vf weight[PARTS])
{
    const vf factor = vf_set(j->factor[t]);
    vf x[3], sum[SUMS][PARTS] = {{{0}}};
    load_target(j, t, x);
#pragma GCC unroll 4
    for (int p = 0; p < PARTS; p++) {
        const uint64_t marks =
            kind == VT_DIFFUSION_PSE ? j->marks[PARTS * (size_t)t + (size_t)p] : ~(uint64_t)0;
        vf own = {0};
        for (uint32_t first = 0; first < m->vectors; first += MARKS)
            for (uint64_t left = marks & low_bits(m->vectors - first); left; left &= left - 1) {
                const uint32_t v = first + (uint32_t)__builtin_ctzll(left);
                const uint32_t i = m->place[v] + (uint32_t)(p * VL);
                const vf share = vf_load(s->values[SHARE] + i);
                const vf volume = vf_fma(vf_load(s->values[VOLUME] + i), factor, share);
                vf source[3];
                load_sources(s, i, source);
                const vf eta = volume * kernel(kind, nearness(source, x));
                own += eta;
                for (int c = 0; c < components; c++)
                    sum[c][p] = vf_fma(eta, vf_load(s->values[DENSITY + c] + i), sum[c][p]);
            }
        weight[p] = own;
    }
    for (int c = 0; c < components; c += MET)
        f4_store(j->received + (int64_t)t * j->width + c,
                 f4_sum_rows((const vf(*)[PARTS])(sum + c)));
}

VT_INLINE void find_all_rates(const vt_diffusion *j, int kind, int components, const vt_strip *from,
                              const uint32_t *own, float *most)
{
    const vt_strip s = *from;
    vt_meeting m = {.end = own[0], .place = s.place};
    float largest = *most;
    while (find_meeting(j, &s, own, &m)) {
        vf sum[MET][PARTS] = {{{0}}};
        for (uint32_t t = m.begin; t < m.end; t++)
            find_rates(j, kind, components, &s, &m, t, sum[t - m.begin]);
        const f4 weight = f4_sum_rows((const vf(*)[PARTS])sum);
        for (uint32_t t = m.begin; t < m.end; t++) {
            /* the particle itself left out: it gives itself nothing */
            const float others = weight[t - m.begin] - 2 * j->values[SHARE][t];
            largest = others > largest ? others : largest;
            j->sum[t] = weight[t - m.begin];
        }
    }
    *most = largest;
}

/* Takes a row of targets, whose buckets begin at own[0], own[1] ...; `most`: the largest sum over
 * the neighbours of V eta so far. */
typedef void meet_function(const vt_diffusion *j, const vt_strip *s, const uint32_t *own,
                           float *most);

#define MEET(name, kind, components)                                                               \
    static void name(const vt_diffusion *j, const vt_strip *s, const uint32_t *own, float *most)   \
    {                                                                                              \
        find_all_rates(j, kind, components, s, own, most);                                         \
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
