/* Pairs of a target and a vorton in float32, for the kernels that sum over them: the sum over all
 * pairs (direct) and the near field of the tree. Lanes are targets.
 *
 *   u = velocity(s) / (4 pi sigma^3) alpha x (x - x_j),  s = (|x - x_j| / sigma)^2
 *
 * and its gradient, with the core functions of kernels/sums/regularization.h; and the vorticity of
 * the cores, - lap A = sum alpha zeta. */
#pragma once

#include "base/math_double.h"
#include "base/simd.h"
#include "kernels/sums/regularization.h"
#include "vorton.h"

/* A vorton made ready for the pair loop. */
typedef struct vt_packed_vorton {
    float position[3];
    float narrowness;  /* 1 / core^2 */
    float strength[3]; /* alpha / (4 pi core^3) */
    float square;      /* core^2 */
} vt_packed_vorton;
_Static_assert(sizeof(vt_packed_vorton) == 32, "two sources in a cache line");

/* What VL targets have gathered. */
typedef struct vt_pair_sums {
    vf velocity[3];
    vf rotation[3]; /* sum of core velocity x strength: the antisymmetric part of the gradient */
    vf outer[9];    /* sum of core gradient x (strength x offset)_i offset_j */
    vf vorticity[3];
} vt_pair_sums;

static inline vt_packed_vorton vti_pack_vorton(const float position[3], const float strength[3],
                                               float core)
{
    const double square = (double)core * (double)core;
    const double scale = 1.0 / (4.0 * VT_PI * square * (double)core);
    vt_packed_vorton source = {.narrowness = (float)(1.0 / square), .square = (float)square};
    for (int c = 0; c < 3; c++) {
        source.position[c] = position[c];
        source.strength[c] = (float)(scale * (double)strength[c]);
    }
    return source;
}

/* ---- the cores: csrc/kernels/sums/regularization.h, s = (r / core)^2 ---- */

/* table[index], 0 <= index < 32 */
VT_INLINE vf vti_look_up(const float table[VT_CORE_INTERVALS], vi index)
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

VT_INLINE vf vti_look_up_quartic(const float table[VT_CORE_TERMS][VT_CORE_INTERVALS], vf s)
{
    /* Lanes beyond the table read its last interval; their values are not used. */
    const vf scaled = s * ((float)VT_CORE_INTERVALS / (float)VT_CORE_END);
    const vi index = vf_truncate(vf_min(scaled, vf_set(VT_CORE_INTERVALS - 1)));
    const vf t = scaled - vi_to_vf(index);
    vf sum = vti_look_up(table[VT_CORE_TERMS - 1], index);
#pragma GCC unroll 4
    for (int k = VT_CORE_TERMS - 2; k >= 0; k--)
        sum = vf_fma(sum, t, vti_look_up(table[k], index));
    return sum;
}

/* The core functions of velocity and, if asked for, gradient: one root and one division. */
VT_INLINE void vti_evaluate_core(int kernel, int with_gradient, const vt_core_table *table, vf s,
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
    if (kernel != VT_KERNEL_GAUSSIAN || !vi_any(near))
        return;
    *velocity = vf_select(near, vti_look_up_quartic(table->velocity, s), point);
    if (with_gradient)
        *gradient = vf_select(near, vti_look_up_quartic(table->gradient, s), *gradient);
}

/* 4 pi zeta = q' / p^2 of the core functions. */
VT_INLINE vf vti_core_vorticity(vf s, vf velocity, vf gradient)
{
    return velocity * 3.0f + s * gradient;
}

/* ---- pairs ---- */

VT_INLINE void vti_add_pair(int kernel, int with_gradient, const vt_core_table *table,
                            const vf target[3], const vt_packed_vorton *source, vt_pair_sums *sum)
{
    const float *const a = source->strength;
    const vf x = target[0] - source->position[0];
    const vf y = target[1] - source->position[1];
    const vf z = target[2] - source->position[2];
    const vf s = (x * x + y * y + z * z) * source->narrowness;
    const vf cross[3] = {z * a[1] - y * a[2], x * a[2] - z * a[0], y * a[0] - x * a[1]};
    vf value, slope;
    vti_evaluate_core(kernel, with_gradient, table, s, &value, &slope);
#pragma GCC unroll 3
    for (int i = 0; i < 3; i++)
        sum->velocity[i] += cross[i] * value;
    if (!with_gradient)
        return;
    const vf offset[3] = {x, y, z}, zeta = vti_core_vorticity(s, value, slope);
    slope *= source->narrowness;
#pragma GCC unroll 3
    for (int i = 0; i < 3; i++) {
        const vf along = cross[i] * slope;
        sum->rotation[i] += value * a[i];
        sum->vorticity[i] += zeta * a[i];
#pragma GCC unroll 3
        for (int j = 0; j < 3; j++)
            sum->outer[3 * i + j] += along * offset[j];
    }
}

/* |alpha| zeta */
VT_INLINE void vti_add_pair_density(int kernel, const vt_core_table *table, const vf target[3],
                                    const vt_packed_vorton *source, vf *sum)
{
    const float *const a = source->strength;
    const vf x = target[0] - source->position[0];
    const vf y = target[1] - source->position[1];
    const vf z = target[2] - source->position[2];
    const vf s = (x * x + y * y + z * z) * source->narrowness;
    vf value, slope;
    vti_evaluate_core(kernel, 1, table, s, &value, &slope);
    const float length = __builtin_sqrtf(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
    *sum += vti_core_vorticity(s, value, slope) * length;
}

VT_INLINE void vti_add_sums(int with_gradient, vt_pair_sums *total, const vt_pair_sums *part)
{
#pragma GCC unroll 3
    for (int i = 0; i < 3; i++)
        total->velocity[i] += part->velocity[i];
#pragma GCC unroll 3
    for (int i = 0; with_gradient && i < 3; i++) {
        total->rotation[i] += part->rotation[i];
        total->vorticity[i] += part->vorticity[i];
    }
#pragma GCC unroll 9
    for (int i = 0; with_gradient && i < 9; i++)
        total->outer[i] += part->outer[i];
}

/* outer becomes the gradient, for d (a x offset)_i / d x_j = e_ikj a_k, and vorticity grad div A =
 * curl u + lap A. */
static inline void vti_finish_gradient(vt_pair_sums *sum)
{
    const vf *const r = sum->rotation;
    sum->outer[1] -= r[2];
    sum->outer[2] += r[1];
    sum->outer[3] += r[2];
    sum->outer[5] -= r[0];
    sum->outer[6] -= r[1];
    sum->outer[7] += r[0];
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        sum->vorticity[i] = sum->outer[3 * k + j] - sum->outer[3 * j + k] - sum->vorticity[i];
    }
}
