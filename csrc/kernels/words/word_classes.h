/* Words as their classes, of which some come far more often than others, and the digits that these
 * leave open, which are noise: what is stored of a number is then hardly more than what it tells.
 *
 * The class of a word below 8 is the word; that of one of L bits (4 .. 32) is 8 + 4 (L - 4) + the
 * two bits after its highest, and L - 3 bits are left, its lowest. These lie one behind the other,
 * from the lowest bit of each byte on; bits of the last byte that nothing fills are 0. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/kernel.h"

enum { VT_CLASSES = 8 + 4 * (32 - 3) };

/* Classes of the words; the digits that are left to `digits`, which has room for 29 bits each and 8
 * bytes more. Returns the bytes that they take. */
typedef size_t vt_part_words_kernel(const uint32_t *words, int64_t count, uint8_t *classes,
                                    uint8_t *digits);
VT_DECLARE_KERNEL(part_words);

/* Back from `size` bytes of digits; -1: they are not those that the classes leave. */
typedef int vt_join_classes_kernel(const uint8_t *classes, const uint8_t *digits, size_t size,
                                   int64_t count, uint32_t *words);
VT_DECLARE_KERNEL(join_classes);

/* Numbers of 8 bytes as words: each less the one before, the first less 0, as 2d or, of a negative
 * d, -2d - 1. 0 where one of these has more than 32 bits. */
typedef int vt_take_differences_kernel(const uint8_t *numbers, int64_t count, uint32_t *words);
VT_DECLARE_KERNEL(take_differences);

/* Class of a word, and how many of its bits are left. */
static inline uint32_t vti_class_of(uint32_t word, uint32_t *left)
{
    const uint32_t length = 31 - (uint32_t)__builtin_clz(word | 4); /* of the bits but the first */
    *left = length - 2;
    return word < 8 ? word : 4 * length + (word >> (length - 2) & 3) - 4;
}
