#include "kernels/words/byte_codes.h"

#include <string.h>

#include "base/simd.h"
#include "kernels/words/joined_bits.h"

enum { SOME = 512 /* bytes at a time */, FOUR = 4 };

_Static_assert(FOUR *VT_BYTE_CODE_BITS <= VT_MOST_JOINED, "four are joined");

/* ---- the code of each ---- */

#if defined(__AVX512BW__)

enum { HALF = 32 /* codes of a register */ };

static inline __m512i load(const void *from)
{
    return _mm512_loadu_si512(from);
}

/* The codes of four registers, by the lowest 7 bits. */
static inline __m512i look_up_half(const __m512i code[4], __m512i at)
{
    const __m512i low = _mm512_permutex2var_epi16(code[0], at, code[1]);
    const __m512i high = _mm512_permutex2var_epi16(code[2], at, code[3]);
    const __mmask32 is_high = _mm512_test_epi16_mask(at, _mm512_set1_epi16(2 * HALF));
    return _mm512_mask_blend_epi16(is_high, low, high);
}

static int64_t look_up_many(const uint8_t *bytes, int64_t count, int most, const uint16_t *code,
                            uint16_t *found)
{
    __m512i all[8];
    int64_t n = 0;
    for (int k = 0; k < 8; k++)
        all[k] = load(code + HALF * k);
    for (; n + HALF <= count; n += HALF) {
        const __m256i some = _mm256_loadu_si256((const __m256i *)(const void *)(bytes + n));
        const __m512i at = _mm512_cvtepu8_epi16(some);
        __m512i here = look_up_half(all, at);
        if (most >= 4 * HALF) {
            const __mmask32 is_high = _mm512_test_epi16_mask(at, _mm512_set1_epi16(4 * HALF));
            here = _mm512_mask_blend_epi16(is_high, here, look_up_half(all + 4, at));
        }
        _mm512_storeu_si512(found + n, here);
    }
    return n;
}

#else

static int64_t look_up_many(const uint8_t *bytes, int64_t count, int most, const uint16_t *code,
                            uint16_t *found)
{
    (void)bytes, (void)count, (void)most, (void)code, (void)found;
    return 0;
}

#endif

/* ---- codes one behind the other ---- */

/* Four codes each: the first two, the others, all of them. */
static void join_four(const uint16_t *found, uint64_t *of, uint64_t *bits)
{
    for (int n = 0; n < SOME / FOUR; n += VT_LONGS) {
        vt_longs four;
        memcpy(&four, found + FOUR * n, sizeof four);
        const vt_longs first = four & 15, third = four >> 32 & 15;
        const vt_longs two = first + (four >> 16 & 15), others = third + (four >> 48 & 15);
        vt_longs joined = (four >> 4 & 0xfff) | (four >> 20 & 0xfff) << first;
        joined |= ((four >> 36 & 0xfff) | four >> 52 << third) << two;
        const vt_longs all = two + others;
        memcpy(of + n, &joined, sizeof joined);
        memcpy(bits + n, &all, sizeof all);
    }
}

size_t VT_NAME(put_codes)(const uint8_t *bytes, int64_t count, int most, const uint16_t code[256],
                          uint8_t *to)
{
    uint16_t found[SOME];
    uint64_t of[SOME / FOUR], bits[SOME / FOUR];
    vt_bit_writer w = {.to = to};
    for (int64_t begin = 0; begin < count; begin += SOME) {
        const int64_t some = count - begin < SOME ? count - begin : SOME;
        int64_t n = look_up_many(bytes + begin, some, most, code, found);
        for (; n < some; n++)
            found[n] = code[bytes[begin + n]];
        memset(found + some, 0, sizeof *found * (size_t)(SOME - some)); /* of no bits */
        join_four(found, of, bits);
        vti_put_all_joined(&w, of, bits, SOME / FOUR);
    }
    return (size_t)(vti_end_of_bits(&w) - to);
}
