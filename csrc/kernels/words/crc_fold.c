#include "kernels/words/crc_fold.h"

#if defined(__PCLMUL__)

#include <immintrin.h>

enum { LANE = 16, LANES = 4, SOME = LANE * LANES };

static inline __m128i load(const uint8_t *from)
{
    return _mm_loadu_si128((const __m128i *)(const void *)from);
}

/* What lies `far` behind it, and itself there: its halves times x^(far + 64) and x^far modulo the
 * polynomial, of which `powers` has both (Gopal et al., Intel 2009, "Fast CRC computation for
 * generic polynomials using PCLMULQDQ instruction"). */
static inline __m128i pass(__m128i lane, __m128i powers, __m128i behind)
{
    const __m128i low = _mm_clmulepi64_si128(lane, powers, 0x00);
    const __m128i high = _mm_clmulepi64_si128(lane, powers, 0x11);
    return _mm_xor_si128(_mm_xor_si128(low, high), behind);
}

size_t VT_NAME(fold_crc)(const uint8_t *bytes, size_t size, uint32_t rest,
                         uint8_t folded[VT_CRC_FOLDED])
{
    const __m128i by_some = _mm_set_epi64x(0x1c6e41596, 0x154442bd4);
    const __m128i by_lane = _mm_set_epi64x(0x0ccaa009e, 0x1751997d0);
    __m128i lane[LANES];
    if (size < SOME)
        return 0;
    for (int l = 0; l < LANES; l++)
        lane[l] = load(bytes + LANE * l);
    lane[0] = _mm_xor_si128(lane[0], _mm_cvtsi32_si128((int)rest));
    size_t at = SOME;
    for (; size - at >= SOME; at += SOME)
        for (int l = 0; l < LANES; l++)
            lane[l] = pass(lane[l], by_some, load(bytes + at + (size_t)(LANE * l)));
    for (int l = 1; l < LANES; l++)
        lane[l] = pass(lane[l - 1], by_lane, lane[l]);
    _mm_storeu_si128((__m128i *)(void *)folded, lane[LANES - 1]);
    return at;
}

#else

size_t VT_NAME(fold_crc)(const uint8_t *bytes, size_t size, uint32_t rest,
                         uint8_t folded[VT_CRC_FOLDED])
{
    (void)bytes, (void)size, (void)rest, (void)folded;
    return 0;
}

#endif
