/* Trilinear sampling of float4 nodes for VL points at a time: indices and weights as vectors, then
 * point by point two neighbouring nodes per load, then the results turned back into vectors. */
#pragma once

#include "base/simd_rearrange.h"
#include "model/fluid_law.h"
#include "model/grid.h"

#if VL == 16
/* From four vectors of nodes i, i + 4, i + 8, i + 12 to the components of nodes 0 .. 15. */
VT_INLINE void vti_turn_nodes(const __m512 q[4], vf lanes[4])
{
    const __m512 l0 = _mm512_unpacklo_ps(q[0], q[1]), l1 = _mm512_unpacklo_ps(q[2], q[3]);
    const __m512 h0 = _mm512_unpackhi_ps(q[0], q[1]), h1 = _mm512_unpackhi_ps(q[2], q[3]);
    lanes[0] = (vf)_mm512_unpacklo_pd((__m512d)l0, (__m512d)l1);
    lanes[1] = (vf)_mm512_unpackhi_pd((__m512d)l0, (__m512d)l1);
    lanes[2] = (vf)_mm512_unpacklo_pd((__m512d)h0, (__m512d)h1);
    lanes[3] = (vf)_mm512_unpackhi_pd((__m512d)h0, (__m512d)h1);
}
#elif VL == 8
/* From four vectors of nodes i, i + 4 to the components of nodes 0 .. 7. */
VT_INLINE void vti_turn_nodes(const __m256 q[4], vf lanes[4])
{
    const __m256 l0 = _mm256_unpacklo_ps(q[0], q[1]), l1 = _mm256_unpacklo_ps(q[2], q[3]);
    const __m256 h0 = _mm256_unpackhi_ps(q[0], q[1]), h1 = _mm256_unpackhi_ps(q[2], q[3]);
    lanes[0] = (vf)_mm256_unpacklo_pd((__m256d)l0, (__m256d)l1);
    lanes[1] = (vf)_mm256_unpackhi_pd((__m256d)l0, (__m256d)l1);
    lanes[2] = (vf)_mm256_unpacklo_pd((__m256d)h0, (__m256d)h1);
    lanes[3] = (vf)_mm256_unpackhi_pd((__m256d)h0, (__m256d)h1);
}
#endif

/* Turns VL nodes of four floats into four vectors of VL floats. */
VT_INLINE void vti_nodes_to_lanes(const f4 p[VL], vf lanes[4])
{
#if VL == 16
    __m512 q[4];
    for (int i = 0; i < 4; i++) {
        q[i] = _mm512_castps128_ps512((__m128)p[i]);
        q[i] = _mm512_insertf32x4(q[i], (__m128)p[i + 4], 1);
        q[i] = _mm512_insertf32x4(q[i], (__m128)p[i + 8], 2);
        q[i] = _mm512_insertf32x4(q[i], (__m128)p[i + 12], 3);
    }
    vti_turn_nodes(q, lanes);
#elif VL == 8
    __m256 q[4];
    for (int i = 0; i < 4; i++)
        q[i] = _mm256_insertf128_ps(_mm256_castps128_ps256((__m128)p[i]), (__m128)p[i + 4], 1);
    vti_turn_nodes(q, lanes);
#else
    for (int i = 0; i < 4; i++)
        lanes[i] = p[i];
    vf_transpose(lanes);
#endif
}

/* Turns VL pairs of neighbouring nodes into vectors: the first nodes of all pairs into low, the
 * second ones into high. */
VT_INLINE void vti_pairs_to_lanes(const f8 p[VL], vf low[4], vf high[4])
{
#if VL == 16
    __m512 q[2][4];
    for (int i = 0; i < 4; i++) {
        const __m512 a =
            _mm512_insertf32x8(_mm512_castps256_ps512((__m256)p[i]), (__m256)p[i + 4], 1);
        const __m512 b =
            _mm512_insertf32x8(_mm512_castps256_ps512((__m256)p[i + 8]), (__m256)p[i + 12], 1);
        q[0][i] = _mm512_shuffle_f32x4(a, b, 0x88);
        q[1][i] = _mm512_shuffle_f32x4(a, b, 0xdd);
    }
    vti_turn_nodes(q[0], low);
    vti_turn_nodes(q[1], high);
#elif VL == 8
    __m256 q[2][4];
    for (int i = 0; i < 4; i++) {
        q[0][i] = _mm256_permute2f128_ps((__m256)p[i], (__m256)p[i + 4], 0x20);
        q[1][i] = _mm256_permute2f128_ps((__m256)p[i], (__m256)p[i + 4], 0x31);
    }
    vti_turn_nodes(q[0], low);
    vti_turn_nodes(q[1], high);
#else
    for (int i = 0; i < VL; i++) {
        low[i] = f8_low(p[i]);
        high[i] = f8_high(p[i]);
    }
    vf_transpose(low);
    vf_transpose(high);
#endif
}

/* The inverse: lane i of the four vectors becomes node i. */
VT_INLINE void vti_lanes_to_nodes(const vf lanes[4], f4 p[VL])
{
#if VL == 16
    const __m512 l0 = _mm512_unpacklo_ps((__m512)lanes[0], (__m512)lanes[1]);
    const __m512 h0 = _mm512_unpackhi_ps((__m512)lanes[0], (__m512)lanes[1]);
    const __m512 l1 = _mm512_unpacklo_ps((__m512)lanes[2], (__m512)lanes[3]);
    const __m512 h1 = _mm512_unpackhi_ps((__m512)lanes[2], (__m512)lanes[3]);
    __m512 q[4];
    q[0] = (__m512)_mm512_unpacklo_pd((__m512d)l0, (__m512d)l1);
    q[1] = (__m512)_mm512_unpackhi_pd((__m512d)l0, (__m512d)l1);
    q[2] = (__m512)_mm512_unpacklo_pd((__m512d)h0, (__m512d)h1);
    q[3] = (__m512)_mm512_unpackhi_pd((__m512d)h0, (__m512d)h1);
    for (int i = 0; i < 4; i++) {
        p[i] = (f4)_mm512_castps512_ps128(q[i]);
        p[i + 4] = (f4)_mm512_extractf32x4_ps(q[i], 1);
        p[i + 8] = (f4)_mm512_extractf32x4_ps(q[i], 2);
        p[i + 12] = (f4)_mm512_extractf32x4_ps(q[i], 3);
    }
#elif VL == 8
    const __m256 l0 = _mm256_unpacklo_ps((__m256)lanes[0], (__m256)lanes[1]);
    const __m256 h0 = _mm256_unpackhi_ps((__m256)lanes[0], (__m256)lanes[1]);
    const __m256 l1 = _mm256_unpacklo_ps((__m256)lanes[2], (__m256)lanes[3]);
    const __m256 h1 = _mm256_unpackhi_ps((__m256)lanes[2], (__m256)lanes[3]);
    __m256 q[4];
    q[0] = (__m256)_mm256_unpacklo_pd((__m256d)l0, (__m256d)l1);
    q[1] = (__m256)_mm256_unpackhi_pd((__m256d)l0, (__m256d)l1);
    q[2] = (__m256)_mm256_unpacklo_pd((__m256d)h0, (__m256d)h1);
    q[3] = (__m256)_mm256_unpackhi_pd((__m256d)h0, (__m256d)h1);
    for (int i = 0; i < 4; i++) {
        p[i] = (f4)_mm256_castps256_ps128(q[i]);
        p[i + 4] = (f4)_mm256_extractf128_ps(q[i], 1);
    }
#else
    vf q[4];
    for (int i = 0; i < 4; i++)
        q[i] = lanes[i];
    vf_transpose(q);
    for (int i = 0; i < 4; i++)
        p[i] = q[i];
#endif
}

/* VL rows of (x, y, z) in C order as three vectors, and back. */
VT_INLINE void vti_load_rows(const float *rows, vf v[3])
{
#if VL == 16
    const __m512 a = _mm512_loadu_ps(rows), b = _mm512_loadu_ps(rows + 16),
                 c = _mm512_loadu_ps(rows + 32);
    const __m512i x01 = _mm512_setr_epi32(0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 30, 0, 0, 0, 0, 0);
    const __m512i x2 = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 17, 20, 23, 26, 29);
    const __m512i y01 = _mm512_setr_epi32(1, 4, 7, 10, 13, 16, 19, 22, 25, 28, 31, 0, 0, 0, 0, 0);
    const __m512i y2 = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 18, 21, 24, 27, 30);
    const __m512i z01 = _mm512_setr_epi32(2, 5, 8, 11, 14, 17, 20, 23, 26, 29, 0, 0, 0, 0, 0, 0);
    const __m512i z2 = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 19, 22, 25, 28, 31);
    v[0] = (vf)_mm512_permutex2var_ps(_mm512_permutex2var_ps(a, x01, b), x2, c);
    v[1] = (vf)_mm512_permutex2var_ps(_mm512_permutex2var_ps(a, y01, b), y2, c);
    v[2] = (vf)_mm512_permutex2var_ps(_mm512_permutex2var_ps(a, z01, b), z2, c);
#else
    float t[3][VL];
    for (int l = 0; l < VL; l++)
        for (int c = 0; c < 3; c++)
            t[c][l] = rows[3 * l + c];
    for (int c = 0; c < 3; c++)
        v[c] = vf_load(t[c]);
#endif
}

VT_INLINE void vti_store_rows(float *rows, const vf v[3])
{
#if VL == 16
    const __m512 x = (__m512)v[0], y = (__m512)v[1], z = (__m512)v[2];
    const __m512i a01 = _mm512_setr_epi32(0, 16, 0, 1, 17, 0, 2, 18, 0, 3, 19, 0, 4, 20, 0, 5);
    const __m512i a2 = _mm512_setr_epi32(0, 1, 16, 3, 4, 17, 6, 7, 18, 9, 10, 19, 12, 13, 20, 15);
    const __m512i b01 = _mm512_setr_epi32(21, 0, 6, 22, 0, 7, 23, 0, 8, 24, 0, 9, 25, 0, 10, 26);
    const __m512i b2 = _mm512_setr_epi32(0, 21, 2, 3, 22, 5, 6, 23, 8, 9, 24, 11, 12, 25, 14, 15);
    const __m512i c01 = _mm512_setr_epi32(0, 11, 27, 0, 12, 28, 0, 13, 29, 0, 14, 30, 0, 15, 31, 0);
    const __m512i c2 = _mm512_setr_epi32(26, 1, 2, 27, 4, 5, 28, 7, 8, 29, 10, 11, 30, 13, 14, 31);
    _mm512_storeu_ps(rows, _mm512_permutex2var_ps(_mm512_permutex2var_ps(x, a01, y), a2, z));
    _mm512_storeu_ps(rows + 16, _mm512_permutex2var_ps(_mm512_permutex2var_ps(x, b01, y), b2, z));
    _mm512_storeu_ps(rows + 32, _mm512_permutex2var_ps(_mm512_permutex2var_ps(x, c01, y), c2, z));
#else
    float t[3 * VL];
    for (int l = 0; l < VL; l++)
        for (int c = 0; c < 3; c++)
            t[3 * l + c] = v[c][l];
    memcpy(rows, t, sizeof t);
#endif
}

/* Where VL points lie: the node below each, and the weights towards the next nodes. */
typedef struct vt_cells {
    int32_t node[VL];
    float x[VL], y[VL], z[VL];
} __attribute__((aligned(64))) vt_cells;

/* Points in cells, all inside the box. */
VT_INLINE void vti_find_cells(vt_cells *c, vf x, vf y, vf z, vi row, vi plane)
{
    const vi i = vf_truncate(x), j = vf_truncate(y), k = vf_truncate(z);
    vi_store(c->node, k * plane + j * row + i);
    vf_store(c->x, x - vi_to_vf(i));
    vf_store(c->y, y - vi_to_vf(j));
    vf_store(c->z, z - vi_to_vf(k));
}

/* Asks for the nodes around VL points, some time before they are sampled. */
VT_INLINE void vti_prefetch_cells(const f4 *nodes, int64_t row, int64_t plane, const vt_cells *c)
{
    for (int l = 0; l < VL; l++) {
        const f4 *const p = nodes + (uint32_t)c->node[l];
        __builtin_prefetch(p);
        __builtin_prefetch(p + row);
        __builtin_prefetch(p + plane);
        __builtin_prefetch(p + plane + row);
    }
}

/* Where VL records lie. */
VT_INLINE void vti_find_record_cells(vt_cells *c, const vt_grid *grid, const vf position[3])
{
    vti_find_cells(c, position[0], position[1], position[2], vi_set((int32_t)grid->node_row),
                   vi_set((int32_t)grid->node_plane));
}

/* The first halves (position and volume) of VL records, or the second ones (strength and home), as
 * vectors; past `left` records the last one is repeated. */
VT_INLINE void vti_load_records(const vt_record *records, int64_t left, int half, vf lanes[4])
{
    f4 part[VL];
    for (int l = 0; l < VL; l++)
        part[l] = f4_load((const float *)(records + (l < left ? l : left - 1)) + 4 * half);
    vti_nodes_to_lanes(part, lanes);
}

/* What point l needs of the nodes around it: interpolated along z and y, the pair of nodes on
 * either side along x; and, for derivatives, the same of the differences along y and z (per cell).
 */
typedef struct vt_around {
    f8 value, dy, dz;
} vt_around;

VT_INLINE vt_around vti_sample_around(const f4 *nodes, int64_t row, int64_t plane,
                                      const vt_cells *c, int l)
{
    const f4 *const p = nodes + (uint32_t)c->node[l];
    const f8 a = f8_keep(f8_load(p)), b = f8_keep(f8_load(p + row)), d = f8_load(p + plane),
             e = f8_load(p + plane + row);
    const f8 z = f8_set(c->z[l]), y = f8_set(c->y[l]);
    const f8 up = d - a, up_next = e - b;
    const f8 low = f8_fma(up, z, a), across = f8_fma(up_next, z, b) - low;
    return (vt_around){f8_fma(across, y, low), across, f8_fma(up_next - up, y, up)};
}

/* The four floats at point l. */
VT_INLINE f4 vti_sample_node(const f4 *nodes, int64_t row, int64_t plane, const vt_cells *c, int l)
{
    const f8 pair = vti_sample_around(nodes, row, plane, c, l).value;
    return f4_fma(f8_high(pair) - f8_low(pair), f4_set(c->x[l]), f8_low(pair));
}

/* The rest of the way, for VL points: along x, with the differences along it. */
VT_INLINE void vti_sample_along(const f8 pair[VL], const vt_cells *c, vf value[4], vf dx[4])
{
    vf low[4], high[4];
    const vf x = vf_load(c->x);
    vti_pairs_to_lanes(pair, low, high);
    for (int a = 0; a < 4; a++) {
        dx[a] = high[a] - low[a];
        value[a] = vf_fma(dx[a], x, low[a]);
    }
}

/* The four floats at VL points, and their differences along x, y and z (per cell). */
VT_INLINE void vti_sample_slopes(const f4 *nodes, int64_t row, int64_t plane, const vt_cells *c,
                                 vf value[4], vf slope[3][4])
{
    f8 pair[VL], dy[VL], dz[VL];
    vf unused[4];
#pragma GCC unroll 4
    for (int l = 0; l < VL; l++) {
        const vt_around around = vti_sample_around(nodes, row, plane, c, l);
        pair[l] = around.value;
        dy[l] = around.dy;
        dz[l] = around.dz;
    }
    vti_sample_along(pair, c, value, slope[0]);
    vti_sample_along(dy, c, slope[1], unused);
    vti_sample_along(dz, c, slope[2], unused);
}

/* vti_ambient_temperature at VL points (m), K. */
VT_INLINE vf vti_ambient_of_lanes(const vt_fluid *f, const vf position[3])
{
    if (!(f->stratification > 0))
        return vf_set(f->temperature);
    vf height = position[0] * vf_set(f->up[0]);
    height = vf_fma(position[1], vf_set(f->up[1]), height);
    height = vf_fma(position[2], vf_set(f->up[2]), height);
    const vf t = vf_fma(vf_set(f->stratification), height, vf_set(f->temperature));
    return vf_max(t, vf_set(f->least));
}

/* vti_density_deviation of VL vortons, kg/m^3: from temperatures, K, and deviations of their own.
 */
VT_INLINE vf vti_deviation_of_lanes(const vt_fluid *f, vf ambient, vf temperature, vf own)
{
    const vf colder = ambient - temperature;
    if (f->expansion > 0)
        return vf_fma(vf_set(f->density * f->expansion), colder, own);
    const vf density = vf_set(f->density) * (vf_set(f->temperature) / temperature);
    return vf_fma(density, colder / ambient, own);
}
