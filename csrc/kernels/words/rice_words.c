#include "kernels/words/rice_words.h"

#include <string.h>

#include "base/little_endian.h"
#include "kernels/words/joined_bits.h"

enum { LANES = VT_RICE_LANES, SOME = 512 /* words at a time */, LARGE = VT_RICE_LARGE };

typedef uint32_t lanes __attribute__((vector_size(4 * LANES)));

/* ---- the lowest bits ---- */

static uint8_t *put_low_bits(const uint32_t *words, int64_t count, int k, uint8_t *to)
{
    const uint32_t mask = (UINT32_C(1) << k) - 1;
    lanes waiting = {0};
    int bits = 0;
    for (int64_t n = 0; n < count && k > 0; n += LANES) {
        lanes low = {0};
        if (n + LANES <= count)
            memcpy(&low, words + n, sizeof low);
        else
            memcpy(&low, words + n, 4 * (size_t)(count - n));
        low &= mask;
        waiting |= low << bits;
        bits += k;
        if (bits < 32)
            continue;
        memcpy(to, &waiting, sizeof waiting);
        to += sizeof waiting;
        bits -= 32;
        waiting = low >> (k - bits); /* by 1 to 31, of less than 2^k: 0 where nothing is left */
    }
    if (bits > 0) {
        memcpy(to, &waiting, sizeof waiting);
        to += sizeof waiting;
    }
    return to;
}

static const uint8_t *take_low_bits(const uint8_t *from, int64_t count, int k, uint32_t *words)
{
    const uint32_t mask = (UINT32_C(1) << k) - 1;
    lanes waiting = {0};
    int bits = 0; /* that wait */
    for (int64_t n = 0; n < count; n += LANES) {
        lanes low = waiting;
        if (bits < k) {
            lanes next;
            memcpy(&next, from, sizeof next);
            from += sizeof next;
            low |= next << bits;
            waiting = next >> (k - bits);
            bits += 32 - k;
        } else {
            waiting >>= k;
            bits -= k;
        }
        low &= mask;
        if (n + LANES <= count)
            memcpy(words + n, &low, sizeof low);
        else
            memcpy(words + n, &low, 4 * (size_t)(count - n));
    }
    return from;
}

/* ---- what is above ---- */

/* Unary numbers of some words, four together, and how many bits these are. */
typedef struct unary {
    uint64_t of[SOME / 4], bits[SOME / 4];
} unary;

/* Bits of each word's unary number; returns the most that is above. */
static uint32_t count_bits(const uint32_t *restrict words, int64_t count, int k,
                           uint16_t *restrict bits)
{
    uint32_t most = 0;
    for (int64_t n = 0; n < count; n++) {
        const uint32_t above = words[n] >> k;
        most = above > most ? above : most;
        bits[n] = (uint16_t)((above < LARGE ? above : LARGE) + 1);
    }
    return most;
}

/* Each ends with the only bit of 1 that it has. */
static void join_four(const uint16_t *bits, unary *to)
{
    const vt_longs one = (vt_longs){0} + 1;
    for (int n = 0; n < SOME / 4; n += VT_LONGS) {
        vt_longs end;
        memcpy(&end, bits + 4 * n, sizeof end);
        end += end << 16;
        end += end << 32; /* sums of one, two, three, four */
        vt_longs ends = one << (end & 63) | one << (end >> 16 & 63) | one << (end >> 32 & 63);
        end >>= 48;
        ends = ((ends | one << end) & ~one) >> 1; /* words beyond the last have no bits */
        memcpy(to->of + n, &ends, sizeof ends);
        memcpy(to->bits + n, &end, sizeof end);
    }
}

/* Returns how many large ones there are now; too many: those that there is no room for. */
static int64_t note_large(const uint32_t *words, int64_t count, int k, int64_t most,
                          uint32_t *large, int64_t already)
{
    for (int64_t n = 0; n < count && already <= most; n++)
        if (words[n] >> k >= LARGE) {
            if (already < most)
                large[already] = words[n] >> k;
            already++;
        }
    return already;
}

size_t VT_NAME(put_rice)(const uint32_t *words, int64_t count, int k, uint8_t *to)
{
    uint32_t large[VT_RICE_MOST / 8];
    int64_t larger = 0;
    unary u;
    uint8_t *const above = put_low_bits(words, count, k, to + VT_RICE_HEAD);
    vt_bit_writer w = {.to = above};
    for (int64_t begin = 0; begin < count; begin += SOME) {
        uint16_t bits[SOME] = {0};
        const int64_t some = count - begin < SOME ? count - begin : SOME;
        if (count_bits(words + begin, some, k, bits) >= LARGE)
            larger = note_large(words + begin, some, k, count / 8, large, larger);
        if (larger > count / 8)
            return 0;
        join_four(bits, &u);
        vti_put_all_joined(&w, u.of, u.bits, SOME / 4);
    }
    uint8_t *const end = vti_end_of_bits(&w);
    const size_t size = (size_t)(end - above);
    const uint32_t head = (uint32_t)size | (uint32_t)larger << 16;
    for (int b = 0; b < VT_RICE_HEAD; b++)
        to[b] = (uint8_t)(head >> 8 * b);
    memcpy(end, large, 4 * (size_t)larger);
    return (size_t)(end - to) + 4 * (size_t)larger;
}

int VT_NAME(take_rice)(const uint8_t *from, int64_t count, int k, uint32_t *words)
{
    uint8_t unary[VT_RICE_MOST * (LARGE + 1) / 8 + 16] = {0};
    const size_t size = (size_t)(from[0] | from[1] << 8);
    const int64_t large = from[2] | from[3] << 8;
    const uint8_t *const above = take_low_bits(from + VT_RICE_HEAD, count, k, words);
    const uint8_t *larger = above + size;
    uint64_t waiting = 0;
    int64_t found = 0;
    size_t at = 0;
    uint32_t bits = 0;
    if (size > sizeof unary - 16)
        return -1;
    memcpy(unary, above, size);
    for (int64_t n = 0; n < count; n++) {
        if (bits <= LARGE) {
            waiting |= vti_read_eight(unary + at) << bits;
            at += (63 - bits) / 8;
            bits |= 56;
        }
        uint32_t zeros = (uint32_t)__builtin_ctzll(waiting | UINT64_C(1) << 63);
        if (zeros > LARGE)
            return -1;
        waiting >>= zeros + 1;
        bits -= zeros + 1;
        if (zeros == LARGE) {
            if (found++ == large)
                return -1;
            memcpy(&zeros, larger, sizeof zeros);
            larger += sizeof zeros;
        }
        words[n] |= zeros << k;
    }
    at -= bits / 8;
    return at == size && found == large && (waiting & ((UINT64_C(1) << bits % 8) - 1)) == 0 ? 0
                                                                                            : -1;
}

/* ---- how many are the lowest ---- */

static int64_t bits_with(const uint32_t *words, int64_t count, int k)
{
    uint32_t sum = 0, large = 0;
    for (int64_t n = 0; n < count; n++) {
        const uint32_t above = words[n] >> k;
        sum += above < LARGE ? above : LARGE;
        large += above >= LARGE;
    }
    return count * (k + 1) + (int64_t)sum + 32 * (int64_t)large;
}

/* From the digits of the mean down, as long as it takes less. */
int64_t VT_NAME(guess_rice)(const uint32_t *words, int64_t count, int *k)
{
    uint64_t sum = 1;
    for (int64_t n = 0; n < count; n++)
        sum += words[n];
    const uint64_t mean = sum / (uint64_t)count | 1;
    *k = 63 - __builtin_clzll(mean);
    int64_t least = bits_with(words, count, *k);
    while (*k > 0) {
        const int64_t bits = bits_with(words, count, *k - 1);
        if (bits >= least)
            break;
        least = bits;
        --*k;
    }
    return least;
}
