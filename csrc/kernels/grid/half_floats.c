#include "kernels/grid/half_floats.h"

#include "base/simd.h"

/* VL values. Integer operations and one addition, or the processor's own, which rounds likewise. */
VT_INLINE void halve(vf x, uint16_t *to)
{
#if VL == 16
    _mm256_storeu_si256((__m256i *)to, _mm512_cvtps_ph((__m512)x, _MM_FROUND_TO_NEAREST_INT));
#elif VL == 8
    _mm_storeu_si128((__m128i *)to, _mm256_cvtps_ph((__m256)x, _MM_FROUND_TO_NEAREST_INT));
#else
    const vi a = (vi)x & vi_set(0x7fffffff), sign = (vi)x >> 16 & vi_set(0x8000);
    /* 13 bits of the fraction go; a carry moves into the exponent, as it should */
    const vi normal = (a - vi_set(0x38000000) + vi_set(0xfff) + (a >> 13 & vi_set(1))) >> 13;
    /* below 2^-14: the unit of 0.5f is that of a subnormal half, so the addition rounds */
    const vi small = (vi)((vf)a + vf_set(0.5f)) - vi_set(0x3f000000);
    const vi is_small = a < vi_set(0x38800000), is_large = a >= vi_set(0x477ff000);
    const vi finite = (is_small & small) | (~is_small & normal);
    const vi half = sign | (is_large & vi_set(0x7c00)) | (~is_large & finite);
    for (int l = 0; l < VL; l++)
        to[l] = (uint16_t)half[l];
#endif
}

float VT_NAME(halve)(int64_t count, const float *from, uint16_t *to)
{
    vf largest = {0};
    int64_t i = 0;
    for (; i + VL <= count; i += VL) {
        const vf x = vf_load(from + i);
        halve(x, to + i);
        largest = vf_max(largest, vf_max(x, -x));
    }
    if (i < count) {
        const size_t left = (size_t)(count - i);
        float rest[VL] = {0};
        uint16_t halves[VL];
        memcpy(rest, from + i, left * sizeof *rest);
        const vf x = vf_load(rest);
        halve(x, halves);
        memcpy(to + i, halves, left * sizeof *to);
        largest = vf_max(largest, vf_max(x, -x));
    }
    float most = 0.0f;
    for (int l = 0; l < VL; l++)
        most = largest[l] > most ? largest[l] : most;
    return most;
}
