/* Vectors of base/simd.h rearranged: rows of floats to vectors and back, corners of cells, lanes in
 * another order. */
#pragma once

#include "base/simd.h"

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
