/* Vectors for the kernels. Every file of a kernel is compiled once per target (scalar, avx2,
 * avx512: the macro VT_TARGET names it, VT_NAME prefixes its functions), always with
 * -ffp-contract=off, so that a fused multiply-add happens exactly where vf_fma is written. The
 * operations here round the same way on every target (the scalar one computes fma in software where
 * the CPU has none), and no reduction depends on the vector length: results have the same bits on
 * all of them.
 *
 *   vf, vi   VL floats, VL int32: VL is 16 (avx512), 8 (avx2) or 4 (scalar); use + - * / directly
 *   f4, f8   4 and 8 floats on every target: one grid node, two neighbouring nodes
 *
 * Loops run over padded arrays in steps of VL; pitches are multiples of VT_LANES = 16 floats. */
#pragma once

#include <stdint.h>
#include <string.h>

#define VT_LANES 16
#define VT_INLINE static inline __attribute__((always_inline))

#if defined(__AVX512F__)
#include <immintrin.h>
#define VL 16
#elif defined(__AVX2__) && defined(__FMA__)
#include <immintrin.h>
#define VL 8
#else
#if defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
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
static inline float vti_fmaf(float a, float b, float c)
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
#elif defined(__aarch64__)
    return __builtin_fmaf(a, b, c); /* an instruction */
#else
    return vti_fmaf(a, b, c);
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

/* Lane by lane. Not a part of its callers, which are compiled in a third of the time without it. */
static __attribute__((cold, noinline, unused)) f4 f4_careful_fma(f4 a, f4 b, f4 c)
{
    return (f4){vti_fmaf(a[0], b[0], c[0]), vti_fmaf(a[1], b[1], c[1]), vti_fmaf(a[2], b[2], c[2]),
                vti_fmaf(a[3], b[3], c[3])};
}

/* In software it is a function, not a part of its callers either: these run a fifth longer, and are
 * compiled in a third of the time. */
#if VL == 4 && defined(__SSE2__)
static __attribute__((const, noinline, unused)) f4 f4_fma(f4 a, f4 b, f4 c)
#else
VT_INLINE f4 f4_fma(f4 a, f4 b, f4 c)
#endif
{
#if VL > 4
    return (f4)_mm_fmadd_ps((__m128)a, (__m128)b, (__m128)c);
#elif defined(__SSE2__)
    const d2 low = d2_of_low(a) * d2_of_low(b) + d2_of_low(c);
    const d2 high = d2_of_high(a) * d2_of_high(b) + d2_of_high(c);
    if (__builtin_expect(_mm_movemask_epi8((__m128i)(d2_needs_care(low) | d2_needs_care(high))), 0))
        return f4_careful_fma(a, b, c);
    return __builtin_shufflevector((f4)_mm_cvtpd_ps((__m128d)low), (f4)_mm_cvtpd_ps((__m128d)high),
                                   0, 1, 4, 5);
#elif defined(__aarch64__)
    return (f4)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
#else
    return f4_careful_fma(a, b, c);
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
