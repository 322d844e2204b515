/* Vectors for the kernels. Every file of a stage is compiled once per target (scalar, avx2, avx512:
 * the macro VT_TARGET names it, VT_NAME prefixes its functions), always with -ffp-contract=off, so
 * that a fused multiply-add happens exactly where vf_fma is written. The operations here round the
 * same way on every target (the scalar one computes fma in software where the CPU has none), and no
 * reduction depends on the vector length: results have the same bits on all of them.
 *
 *   vf, vi   VL floats, VL int32: VL is 16 (avx512), 8 (avx2) or 4 (scalar); use + - * / directly
 *   f4, f8   4 and 8 floats on every target: one grid node, two neighbouring nodes
 *
 * Loops run over padded arrays in steps of VL; pitches are multiples of VT_LANES = 16 floats. */
#ifndef VORTON_CORE_SIMD_H
#define VORTON_CORE_SIMD_H

#include <stdint.h>
#include <string.h>

#define VT_LANES 16
#define VT_INLINE static inline __attribute__((always_inline))

#define VT_PASTE2(a, b) vt_##a##_##b
#define VT_PASTE(a, b) VT_PASTE2(a, b)
#ifndef VT_TARGET
#define VT_TARGET scalar
#endif
/* VT_NAME(deposit) is vt_avx512_deposit in the avx512 build of the file, and so on. */
#define VT_NAME(name) VT_PASTE(VT_TARGET, name)

#if defined(__AVX512F__)
#include <immintrin.h>
#define VL 16
#elif defined(__AVX2__) && defined(__FMA__)
#include <immintrin.h>
#define VL 8
#else
#if defined(__SSE2__)
#include <emmintrin.h>
#endif
#define VL 4
#endif

typedef float vf __attribute__((vector_size(4 * VL)));
typedef int32_t vi __attribute__((vector_size(4 * VL)));
typedef float f4 __attribute__((vector_size(16)));
typedef int32_t i4 __attribute__((vector_size(16)));
typedef float f8 __attribute__((vector_size(32)));
typedef double d2 __attribute__((vector_size(16)));

VT_INLINE f8 f8_join(f4 low, f4 high)
{
    return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
}

VT_INLINE f4 f8_low(f8 a)
{
#if VL > 4
    return (f4)_mm256_castps256_ps128((__m256)a);
#else
    return __builtin_shufflevector(a, a, 0, 1, 2, 3);
#endif
}

VT_INLINE f4 f8_high(f8 a)
{
#if VL > 4
    return (f4)_mm256_extractf128_ps((__m256)a, 1);
#else
    return __builtin_shufflevector(a, a, 4, 5, 6, 7);
#endif
}

/* ---- fused multiply-add ---- */

/* a * b + c with one rounding, from double arithmetic alone: the product is exact in double, the
 * sum is rounded to odd, so that the final rounding to float is that of the exact value
 * (Boldo and Melquiond 2008). */
static inline float vt_fmaf(float a, float b, float c)
{
    const double product = (double)a * (double)b, addend = (double)c, sum = product + addend;
    const double part = sum - product;
    const double error = (product - (sum - part)) + (addend - part);
    uint64_t bits;
    memcpy(&bits, &sum, 8);
    if (error != 0.0 && (bits & 1u) == 0 && sum - sum == 0.0) {
        const int away = (error > 0.0) == (sum > 0.0);
        bits += away ? 1u : UINT64_MAX;
        double odd;
        memcpy(&odd, &bits, 8);
        return (float)odd;
    }
    return (float)sum;
}

VT_INLINE float f1_fma(float a, float b, float c)
{
#if VL > 4
    return _mm_cvtss_f32(_mm_fmadd_ss(_mm_set_ss(a), _mm_set_ss(b), _mm_set_ss(c)));
#else
    return vt_fmaf(a, b, c);
#endif
}

#if VL == 4 && defined(__SSE2__)
/* Whether rounding the sum to float after rounding it to double may go wrong: only where it looks
 * like a tie of floats, or where the result is denormal. */
VT_INLINE i4 d2_needs_care(d2 sum)
{
    const i4 tie =
        ((i4)sum & (i4){0x1fffffff, 0, 0x1fffffff, 0}) == (i4){0x10000000, 1, 0x10000000, 1};
    const d2 least = {0x1p-126, 0x1p-126};
    return tie | (i4)((sum < least) & (sum > -least) & (sum != 0.0));
}

VT_INLINE d2 d2_of_low(f4 a)
{
    return (d2)_mm_cvtps_pd((__m128)a);
}

VT_INLINE d2 d2_of_high(f4 a)
{
    return (d2)_mm_cvtps_pd((__m128)__builtin_shufflevector(a, a, 2, 3, 2, 3));
}
#endif

VT_INLINE f4 f4_fma(f4 a, f4 b, f4 c)
{
#if VL > 4
    return (f4)_mm_fmadd_ps((__m128)a, (__m128)b, (__m128)c);
#elif defined(__SSE2__)
    const d2 low = d2_of_low(a) * d2_of_low(b) + d2_of_low(c);
    const d2 high = d2_of_high(a) * d2_of_high(b) + d2_of_high(c);
    if (__builtin_expect(_mm_movemask_epi8((__m128i)(d2_needs_care(low) | d2_needs_care(high))), 0))
        return (f4){vt_fmaf(a[0], b[0], c[0]), vt_fmaf(a[1], b[1], c[1]), vt_fmaf(a[2], b[2], c[2]),
                    vt_fmaf(a[3], b[3], c[3])};
    return __builtin_shufflevector((f4)_mm_cvtpd_ps((__m128d)low), (f4)_mm_cvtpd_ps((__m128d)high),
                                   0, 1, 4, 5);
#else
    return (f4){vt_fmaf(a[0], b[0], c[0]), vt_fmaf(a[1], b[1], c[1]), vt_fmaf(a[2], b[2], c[2]),
                vt_fmaf(a[3], b[3], c[3])};
#endif
}

VT_INLINE f8 f8_fma(f8 a, f8 b, f8 c)
{
#if VL > 4
    return (f8)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#else
    const f4 low = f4_fma(f8_low(a), f8_low(b), f8_low(c));
    return f8_join(low, f4_fma(f8_high(a), f8_high(b), f8_high(c)));
#endif
}

VT_INLINE vf vf_fma(vf a, vf b, vf c)
{
#if VL == 16
    return (vf)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
#elif VL == 8
    return (vf)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#else
    return f4_fma(a, b, c);
#endif
}

/* ---- making, loading, storing ---- */

VT_INLINE vf vf_set(float x)
{
    return x - (vf){0};
}

VT_INLINE vi vi_set(int32_t x)
{
    return x + (vi){0};
}

/* 0, 1, 2 ... */
VT_INLINE vi vi_lanes(void)
{
    vi r;
    for (int32_t i = 0; i < VL; i++)
        r[i] = i;
    return r;
}

VT_INLINE f4 f4_set(float x)
{
    return (f4){x, x, x, x};
}

VT_INLINE f8 f8_set(float x)
{
    return (f8){x, x, x, x, x, x, x, x};
}

#define VT_LOAD_STORE(type)                                                                        \
    VT_INLINE type type##_load(const void *p)                                                      \
    {                                                                                              \
        type r;                                                                                    \
        memcpy(&r, p, sizeof r);                                                                   \
        return r;                                                                                  \
    }                                                                                              \
    VT_INLINE void type##_store(void *p, type a)                                                   \
    {                                                                                              \
        memcpy(p, &a, sizeof a);                                                                   \
    }
VT_LOAD_STORE(vf)
VT_LOAD_STORE(vi)
VT_LOAD_STORE(f4)
VT_LOAD_STORE(f8)
#undef VT_LOAD_STORE

/* A value just loaded, for good: else the compiler loads it again for every operation that takes an
 * operand from memory. */
VT_INLINE f8 f8_keep(f8 a)
{
#if VL > 4
    __asm__("" : "+x"(a));
#endif
    return a;
}

/* Three floats, and nothing after them: another thread may be writing there. */
VT_INLINE f4 f4_load_three(const float *p)
{
    typedef float f2 __attribute__((vector_size(8)));
    f2 low;
    memcpy(&low, p, sizeof low);
    return __builtin_shufflevector(low, (f2){p[2], 0}, 0, 1, 2, 3);
}

VT_INLINE void f4_store_three(float *p, f4 a)
{
    const f4 end = __builtin_shufflevector(a, a, 2, 3, 2, 3);
    memcpy(p, &a, 8);
    memcpy(p + 2, &end, 4);
}

/* p[i[0]], p[i[1]] ...; the indices are unsigned. */
VT_INLINE vf vf_gather(const float *p, vi i)
{
    f4 part[VL / 4];
    for (int l = 0; l < VL; l += 4)
        part[l / 4] = (f4){p[(uint32_t)i[l]], p[(uint32_t)i[l + 1]], p[(uint32_t)i[l + 2]],
                           p[(uint32_t)i[l + 3]]};
#if VL == 16
    return __builtin_shufflevector(f8_join(part[0], part[1]), f8_join(part[2], part[3]), 0, 1, 2, 3,
                                   4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
#elif VL == 8
    return f8_join(part[0], part[1]);
#else
    return part[0];
#endif
}

/* ---- elementwise functions: all correctly rounded, or exact ---- */

VT_INLINE vf vf_sqrt(vf a)
{
#if VL == 16
    return (vf)_mm512_sqrt_ps((__m512)a);
#elif VL == 8
    return (vf)_mm256_sqrt_ps((__m256)a);
#else
    return (vf){__builtin_sqrtf(a[0]), __builtin_sqrtf(a[1]), __builtin_sqrtf(a[2]),
                __builtin_sqrtf(a[3])};
#endif
}

VT_INLINE float f1_sqrt(float a)
{
    return __builtin_sqrtf(a);
}

/* b where the comparison is false, as the x86 instructions: NaN in a gives b. */
VT_INLINE vf vf_min(vf a, vf b)
{
#if VL == 16
    return (vf)_mm512_min_ps((__m512)a, (__m512)b);
#elif VL == 8
    return (vf)_mm256_min_ps((__m256)a, (__m256)b);
#else
    const vi less = a < b;
    return (vf)((less & (vi)a) | (~less & (vi)b));
#endif
}

VT_INLINE vf vf_max(vf a, vf b)
{
#if VL == 16
    return (vf)_mm512_max_ps((__m512)a, (__m512)b);
#elif VL == 8
    return (vf)_mm256_max_ps((__m256)a, (__m256)b);
#else
    const vi more = a > b;
    return (vf)((more & (vi)a) | (~more & (vi)b));
#endif
}

/* a where the mask (all bits of a lane set, or none) is set, else b. */
VT_INLINE vf vf_select(vi mask, vf a, vf b)
{
    return (vf)((mask & (vi)a) | (~mask & (vi)b));
}

/* Whether any bit of any lane is set. */
VT_INLINE int vi_any(vi a)
{
#if VL == 16
    return _mm512_test_epi32_mask((__m512i)a, (__m512i)a) != 0;
#elif VL == 8
    return !_mm256_testz_si256((__m256i)a, (__m256i)a);
#else
    return (a[0] | a[1] | a[2] | a[3]) != 0;
#endif
}

/* Bit n: whether word n of 16 is not 0. */
VT_INLINE uint32_t u16_filled(const uint16_t word[16])
{
#if VL == 16
    const __m256i words = _mm256_loadu_si256((const __m256i *)word);
    return _mm256_test_epi16_mask(words, words);
#elif defined(__SSE2__)
    const __m128i *const half = (const __m128i *)word, zero = _mm_setzero_si128();
    const __m128i low = _mm_cmpeq_epi16(_mm_loadu_si128(half), zero);
    const __m128i high = _mm_cmpeq_epi16(_mm_loadu_si128(half + 1), zero);
    return 0xffffu ^ (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(low, high));
#else
    uint32_t filled = 0;
    for (int n = 0; n < 16; n++)
        filled |= (word[n] ? 1u : 0) << n;
    return filled;
#endif
}

/* Bit l: lane l of a mask. */
VT_INLINE uint32_t vi_bits(vi mask)
{
#if VL == 16
    return _mm512_movepi32_mask((__m512i)mask);
#elif VL == 8
    return (uint32_t)_mm256_movemask_ps((__m256)mask);
#elif defined(__SSE2__)
    return (uint32_t)_mm_movemask_ps((__m128)mask);
#else
    return (mask[0] & 1u) | (mask[1] & 2u) | (mask[2] & 4u) | (mask[3] & 8u);
#endif
}

/* Lanes of a whose bit is set, one after the other; VL floats may be written. */
VT_INLINE void vf_pack(float *to, vf a, uint32_t bits)
{
#if VL == 16
    _mm512_storeu_ps(to, _mm512_maskz_compress_ps((__mmask16)bits, (__m512)a));
#else
    float lane[VL];
    memcpy(lane, &a, sizeof lane);
    for (; bits; bits &= bits - 1)
        *to++ = lane[__builtin_ctz(bits)];
#endif
}

/* The way back; 0 where the bit is not set. */
VT_INLINE vf vf_unpack(const float *from, uint32_t bits)
{
#if VL == 16
    return (vf)_mm512_maskz_expandloadu_ps((__mmask16)bits, from);
#else
    float lane[VL] = {0};
    for (; bits; bits &= bits - 1)
        lane[__builtin_ctz(bits)] = *from++;
    vf a;
    memcpy(&a, lane, sizeof a);
    return a;
#endif
}

/* The first count lanes of a, then zeros. */
VT_INLINE vf vf_first(vf a, int64_t count)
{
    return (vf)((vi)a & (vi_lanes() < vi_set((int32_t)count)));
}

/* Towards zero; the argument must be inside the int32 range. */
VT_INLINE vi vf_truncate(vf a)
{
    return __builtin_convertvector(a, vi);
}

VT_INLINE vf vi_to_vf(vi a)
{
    return __builtin_convertvector(a, vf);
}

/* ---- vectors of space ---- */

VT_INLINE vf vf_dot(const vf a[3], const vf b[3])
{
    return vf_fma(a[2], b[2], vf_fma(a[1], b[1], a[0] * b[0]));
}

VT_INLINE void vf_cross(const vf a[3], const vf b[3], vf product[3])
{
    for (int c = 0; c < 3; c++) {
        const int d = (c + 1) % 3, e = (c + 2) % 3;
        product[c] = vf_fma(a[d], b[e], -(a[e] * b[d]));
    }
}

/* ---- rearranging ---- */

/* Transposes 4 vectors of 4 floats in place. */
VT_INLINE void f4_transpose(f4 r[4])
{
    const f4 a = __builtin_shufflevector(r[0], r[1], 0, 4, 1, 5);
    const f4 b = __builtin_shufflevector(r[0], r[1], 2, 6, 3, 7);
    const f4 c = __builtin_shufflevector(r[2], r[3], 0, 4, 1, 5);
    const f4 d = __builtin_shufflevector(r[2], r[3], 2, 6, 3, 7);
    r[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5);
    r[1] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
    r[2] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
    r[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
}

/* Transposes VL vectors of VL floats in place. */
VT_INLINE void vf_transpose(vf r[VL])
{
#if VL == 16
    __m512 *m = (__m512 *)r, t[16], u[16];
#pragma GCC unroll 8
    for (int i = 0; i < 8; i++) {
        t[2 * i] = _mm512_unpacklo_ps(m[2 * i], m[2 * i + 1]);
        t[2 * i + 1] = _mm512_unpackhi_ps(m[2 * i], m[2 * i + 1]);
    }
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) {
        const __m512d a = (__m512d)t[4 * i], b = (__m512d)t[4 * i + 2];
        const __m512d c = (__m512d)t[4 * i + 1], d = (__m512d)t[4 * i + 3];
        u[4 * i] = (__m512)_mm512_unpacklo_pd(a, b);
        u[4 * i + 1] = (__m512)_mm512_unpackhi_pd(a, b);
        u[4 * i + 2] = (__m512)_mm512_unpacklo_pd(c, d);
        u[4 * i + 3] = (__m512)_mm512_unpackhi_pd(c, d);
    }
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) {
        t[i] = _mm512_shuffle_f32x4(u[i], u[4 + i], 0x88);
        t[4 + i] = _mm512_shuffle_f32x4(u[i], u[4 + i], 0xdd);
        t[8 + i] = _mm512_shuffle_f32x4(u[8 + i], u[12 + i], 0x88);
        t[12 + i] = _mm512_shuffle_f32x4(u[8 + i], u[12 + i], 0xdd);
    }
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) {
        m[i] = _mm512_shuffle_f32x4(t[i], t[8 + i], 0x88);
        m[8 + i] = _mm512_shuffle_f32x4(t[i], t[8 + i], 0xdd);
        m[4 + i] = _mm512_shuffle_f32x4(t[4 + i], t[12 + i], 0x88);
        m[12 + i] = _mm512_shuffle_f32x4(t[4 + i], t[12 + i], 0xdd);
    }
#elif VL == 8
    __m256 *m = (__m256 *)r, t[8], u[8];
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) {
        t[2 * i] = _mm256_unpacklo_ps(m[2 * i], m[2 * i + 1]);
        t[2 * i + 1] = _mm256_unpackhi_ps(m[2 * i], m[2 * i + 1]);
    }
#pragma GCC unroll 2
    for (int i = 0; i < 2; i++) {
        u[4 * i] = _mm256_shuffle_ps(t[4 * i], t[4 * i + 2], 0x44);
        u[4 * i + 1] = _mm256_shuffle_ps(t[4 * i], t[4 * i + 2], 0xee);
        u[4 * i + 2] = _mm256_shuffle_ps(t[4 * i + 1], t[4 * i + 3], 0x44);
        u[4 * i + 3] = _mm256_shuffle_ps(t[4 * i + 1], t[4 * i + 3], 0xee);
    }
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) {
        m[i] = _mm256_permute2f128_ps(u[i], u[4 + i], 0x20);
        m[4 + i] = _mm256_permute2f128_ps(u[i], u[4 + i], 0x31);
    }
#else
    f4_transpose(r);
#endif
}

/* The sums of the VT_LANES floats of four rows, always added in the same order: those 8 apart, then
 * 4, 2 and 1. */
VT_INLINE f4 f4_sum_rows(const vf row[4][VT_LANES / VL])
{
#if VL == 16
    const __m512 a = (__m512)row[0][0], b = (__m512)row[1][0];
    const __m512 c = (__m512)row[2][0], d = (__m512)row[3][0];
    const vf ab = (vf)_mm512_shuffle_f32x4(a, b, 0x44) + (vf)_mm512_shuffle_f32x4(a, b, 0xee);
    const vf cd = (vf)_mm512_shuffle_f32x4(c, d, 0x44) + (vf)_mm512_shuffle_f32x4(c, d, 0xee);
    const vf four = (vf)_mm512_shuffle_f32x4((__m512)ab, (__m512)cd, 0x88) +
                    (vf)_mm512_shuffle_f32x4((__m512)ab, (__m512)cd, 0xdd);
    const vf two = four + (vf)_mm512_permute_ps((__m512)four, 0x4e);
    const vf one = two + (vf)_mm512_permute_ps((__m512)two, 0xb1);
    const __m512i first = _mm512_setr_epi32(0, 4, 8, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    return (f4)_mm512_castps512_ps128(_mm512_permutexvar_ps(first, (__m512)one));
#else
    f4 four[4];
    for (int n = 0; n < 4; n++) {
#if VL == 8
        const f8 eight = row[n][0] + row[n][1];
        four[n] = f8_low(eight) + f8_high(eight);
#else
        four[n] = (row[n][0] + row[n][2]) + (row[n][1] + row[n][3]);
#endif
    }
    f4_transpose(four);
    return (four[0] + four[2]) + (four[1] + four[3]);
#endif
}

/* Lane 3 of every four: the fourth component of nodes that lie one after the other. */
VT_INLINE vf vf_fourths(vf a)
{
#if VL == 16
    return (vf)_mm512_permute_ps((__m512)a, 0xff);
#elif VL == 8
    return (vf)_mm256_permute_ps((__m256)a, 0xff);
#else
    return __builtin_shufflevector(a, a, 3, 3, 3, 3);
#endif
}

/* The way there: each of the next VL / 4 floats four times. Four are read. */
VT_INLINE vf vf_load_fourfold(const float *p)
{
    const f4 a = f4_load(p);
#if VL == 16
    const __m512i which = _mm512_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
    return (vf)_mm512_permutevar_ps(_mm512_broadcast_f32x4((__m128)a), which);
#elif VL == 8
    const __m256i which = _mm256_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1);
    return (vf)_mm256_permutevar_ps((__m256)f8_join(a, a), which);
#else
    return __builtin_shufflevector(a, a, 0, 0, 0, 0);
#endif
}

/* Neighbours along a row that is held in vectors: the last lane of `before`, then `here` without
 * its last; and `here` without its first lane, then the first of `after`. */
VT_INLINE vf vf_behind(vf before, vf here)
{
#if VL == 16
    return (vf)_mm512_alignr_epi32((__m512i)here, (__m512i)before, 15);
#elif VL == 8
    const __m256i middle = _mm256_permute2x128_si256((__m256i)before, (__m256i)here, 0x21);
    return (vf)_mm256_alignr_epi8((__m256i)here, middle, 12);
#else
    return __builtin_shufflevector(before, here, 3, 4, 5, 6);
#endif
}

VT_INLINE vf vf_ahead(vf here, vf after)
{
#if VL == 16
    return (vf)_mm512_alignr_epi32((__m512i)after, (__m512i)here, 1);
#elif VL == 8
    const __m256i middle = _mm256_permute2x128_si256((__m256i)here, (__m256i)after, 0x21);
    return (vf)_mm256_alignr_epi8(middle, (__m256i)here, 4);
#else
    return __builtin_shufflevector(here, after, 1, 2, 3, 4);
#endif
}

/* a[0], b[0], a[1], b[1] ...: the first VL of them, then the others. */
VT_INLINE void vf_zip(vf a, vf b, vf *low, vf *high)
{
#if VL == 16
    *low = __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    *high =
        __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
#elif VL == 8
    *low = __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
    *high = __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
#else
    *low = __builtin_shufflevector(a, b, 0, 4, 1, 5);
    *high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
#endif
}

/* Every second lane of low and high, one after the other: from the first on, from the second on. */
VT_INLINE void vf_unzip(vf low, vf high, vf *even, vf *odd)
{
#if VL == 16
    *even = __builtin_shufflevector(low, high, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26,
                                    28, 30);
    *odd = __builtin_shufflevector(low, high, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29,
                                   31);
#elif VL == 8
    *even = __builtin_shufflevector(low, high, 0, 2, 4, 6, 8, 10, 12, 14);
    *odd = __builtin_shufflevector(low, high, 1, 3, 5, 7, 9, 11, 13, 15);
#else
    *even = __builtin_shufflevector(low, high, 0, 2, 4, 6);
    *odd = __builtin_shufflevector(low, high, 1, 3, 5, 7);
#endif
}

/* Four vectors that hold VL nodes of four floats become the four components of the VL nodes. */
VT_INLINE void vf_deinterleave(vf r[4])
{
#if VL == 16
    const __m512i first =
        _mm512_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28, 1, 5, 9, 13, 17, 21, 25, 29);
    const __m512i second = first + _mm512_set1_epi32(2);
    const __m512 a = (__m512)r[0], b = (__m512)r[1], c = (__m512)r[2], d = (__m512)r[3];
    const __m512 xy_low = _mm512_permutex2var_ps(a, first, b);
    const __m512 xy_high = _mm512_permutex2var_ps(c, first, d);
    const __m512 zw_low = _mm512_permutex2var_ps(a, second, b);
    const __m512 zw_high = _mm512_permutex2var_ps(c, second, d);
    r[0] = (vf)_mm512_shuffle_f32x4(xy_low, xy_high, 0x44);
    r[1] = (vf)_mm512_shuffle_f32x4(xy_low, xy_high, 0xee);
    r[2] = (vf)_mm512_shuffle_f32x4(zw_low, zw_high, 0x44);
    r[3] = (vf)_mm512_shuffle_f32x4(zw_low, zw_high, 0xee);
#elif VL == 8
    const __m256 a = (__m256)r[0], b = (__m256)r[1], c = (__m256)r[2], d = (__m256)r[3];
    const __m256 n04 = _mm256_permute2f128_ps(a, c, 0x20), n15 = _mm256_permute2f128_ps(a, c, 0x31);
    const __m256 n26 = _mm256_permute2f128_ps(b, d, 0x20), n37 = _mm256_permute2f128_ps(b, d, 0x31);
    const __m256 xy_low = _mm256_unpacklo_ps(n04, n15), zw_low = _mm256_unpackhi_ps(n04, n15);
    const __m256 xy_high = _mm256_unpacklo_ps(n26, n37), zw_high = _mm256_unpackhi_ps(n26, n37);
    r[0] = (vf)_mm256_shuffle_ps(xy_low, xy_high, 0x44);
    r[1] = (vf)_mm256_shuffle_ps(xy_low, xy_high, 0xee);
    r[2] = (vf)_mm256_shuffle_ps(zw_low, zw_high, 0x44);
    r[3] = (vf)_mm256_shuffle_ps(zw_low, zw_high, 0xee);
#else
    vf_transpose(r);
#endif
}

/* The way back: four components of VL nodes become VL nodes of four floats, in order. */
VT_INLINE void vf_interleave(vf r[4])
{
#if VL == 16
    const __m512i low = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    const __m512i high = low + _mm512_set1_epi32(8);
    const __m512i pairs_low = _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11);
    const __m512i pairs_high = pairs_low + 4;
    const __m512 x = (__m512)r[0], y = (__m512)r[1], z = (__m512)r[2], w = (__m512)r[3];
    const __m512d xy_low = (__m512d)_mm512_permutex2var_ps(x, low, y);
    const __m512d xy_high = (__m512d)_mm512_permutex2var_ps(x, high, y);
    const __m512d zw_low = (__m512d)_mm512_permutex2var_ps(z, low, w);
    const __m512d zw_high = (__m512d)_mm512_permutex2var_ps(z, high, w);
    r[0] = (vf)_mm512_permutex2var_pd(xy_low, pairs_low, zw_low);
    r[1] = (vf)_mm512_permutex2var_pd(xy_low, pairs_high, zw_low);
    r[2] = (vf)_mm512_permutex2var_pd(xy_high, pairs_low, zw_high);
    r[3] = (vf)_mm512_permutex2var_pd(xy_high, pairs_high, zw_high);
#elif VL == 8
    const __m256 x = (__m256)r[0], y = (__m256)r[1], z = (__m256)r[2], w = (__m256)r[3];
    const __m256 xy_low = _mm256_unpacklo_ps(x, y), xy_high = _mm256_unpackhi_ps(x, y);
    const __m256 zw_low = _mm256_unpacklo_ps(z, w), zw_high = _mm256_unpackhi_ps(z, w);
    const __m256 n04 = _mm256_shuffle_ps(xy_low, zw_low, 0x44);
    const __m256 n15 = _mm256_shuffle_ps(xy_low, zw_low, 0xee);
    const __m256 n26 = _mm256_shuffle_ps(xy_high, zw_high, 0x44);
    const __m256 n37 = _mm256_shuffle_ps(xy_high, zw_high, 0xee);
    r[0] = (vf)_mm256_permute2f128_ps(n04, n15, 0x20);
    r[1] = (vf)_mm256_permute2f128_ps(n26, n37, 0x20);
    r[2] = (vf)_mm256_permute2f128_ps(n04, n15, 0x31);
    r[3] = (vf)_mm256_permute2f128_ps(n26, n37, 0x31);
#else
    vf_transpose(r);
#endif
}

#endif
