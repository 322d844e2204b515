/* Words in Rice's code: the lowest bits of each, which are noise, all as many; and before them how
 * much is above, in unary. Good for words of one scale, which classes (word_classes.h) are not
 * needed for, and far faster. For k bits, 0 .. 31, and `count` words these are one behind the
 * other:
 *
 *   2 bytes  bytes of the unary numbers; 2 bytes, how many words are large. Little-endian
 *   the lowest k bits: word n in lane n % 16; a lane has its numbers one behind the other, from the
 *   lowest bit of each on, in words of 4 bytes, as many as they need in a lane of count / 16 of
 *   them, rounded up; the first words of all lanes, then the second ones. What nothing fills is 0
 *   the unary numbers, from the lowest bit of each byte on: of what is above, q, up to
 *   VT_RICE_LARGE - 1, q bits of 0, then one of 1; VT_RICE_LARGE of 0 and one of 1 of larger ones
 *   these larger ones, q in 4 bytes */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/kernel.h"

enum {
    VT_RICE_LARGE = 13, /* unary numbers of four words have at most 56 bits */
    VT_RICE_HEAD = 4,
    VT_RICE_LANES = 16,
    VT_RICE_MOST = 8192, /* words */
    VT_RICE_ROOM = VT_RICE_HEAD + VT_RICE_MOST * (4 + 4) + (VT_RICE_MOST * 14 + 7) / 8 + 8
};

/* Bytes of the lowest bits of all words. */
static inline size_t vti_rice_low_bytes(int64_t count, int k)
{
    const int64_t rows = (count + VT_RICE_LANES - 1) / VT_RICE_LANES;
    return (size_t)((rows * k + 31) / 32 * 4 * VT_RICE_LANES);
}

/* Puts at most VT_RICE_MOST words where there is room for VT_RICE_ROOM bytes; returns how many they
 * take, or 0 where more than an eighth of them are large. */
typedef size_t vt_put_rice_kernel(const uint32_t *words, int64_t count, int k, uint8_t *to);
VT_DECLARE_KERNEL(put_rice);

/* Bits that a few words take with each number of lowest ones: the least, and with how many. */
typedef int64_t vt_guess_rice_kernel(const uint32_t *words, int64_t count, int *k);
VT_DECLARE_KERNEL(guess_rice);

/* Back from bytes of which vti_end_of_rice has found the end; -1: they are not so. */
typedef int vt_take_rice_kernel(const uint8_t *from, int64_t count, int k, uint32_t *words);
VT_DECLARE_KERNEL(take_rice);

/* Where they end that begin at `at`; 0: not within the bytes. */
static inline size_t vti_end_of_rice(const uint8_t *from, size_t size, size_t at, int64_t count,
                                     int k)
{
    if (at > size || size - at < VT_RICE_HEAD)
        return 0;
    const size_t unary = (size_t)(from[at] | from[at + 1] << 8);
    const size_t large = (size_t)(from[at + 2] | from[at + 3] << 8);
    const size_t bytes = VT_RICE_HEAD + vti_rice_low_bytes(count, k) + unary + 4 * large;
    return bytes > size - at ? 0 : at + bytes;
}
