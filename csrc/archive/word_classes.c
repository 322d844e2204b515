#include "archive/word_classes.h"

#include "archive/little_endian.h"

size_t vti_part_words(const uint32_t *words, int64_t count, uint8_t *classes, uint8_t *digits)
{
    uint8_t *to = digits;
    uint64_t waiting = 0;
    uint32_t bits = 0; /* that wait: less than 8 at first */
    for (int64_t n = 0; n < count; n++) {
        uint32_t left;
        classes[n] = (uint8_t)vti_class_of(words[n], &left);
        waiting |= (words[n] & ((UINT64_C(1) << left) - 1)) << bits;
        bits += left;
        vti_write_eight(to, waiting);
        to += bits / 8;
        waiting >>= bits & ~UINT32_C(7);
        bits &= 7;
    }
    return (size_t)(to - digits) + (bits > 0);
}

/* Word of a class without its digits, and how many they are. */
static inline uint32_t word_of(uint32_t class, uint32_t *left)
{
    const uint32_t length = class < 8 ? 2 : (class + 4) / 4;
    *left = length - 2;
    return class < 8 ? class : (4 | (class & 3)) << (length - 2);
}

int vti_join_classes(const uint8_t *classes, const uint8_t *digits, size_t size, int64_t count,
                     uint32_t *words)
{
    uint64_t waiting = 0;
    uint32_t bits = 0;
    size_t at = 0;
    for (int64_t n = 0; n < count; n++) {
        uint32_t left;
        if (classes[n] >= VT_CLASSES)
            return -1;
        const uint32_t word = word_of(classes[n], &left);
        if (bits < left && size - at >= 8) { /* as many as there is room for above the others */
            waiting |= vti_read_eight(digits + at) << bits;
            at += (63 - bits) / 8;
            bits |= 56;
        }
        for (; bits < left && at < size; bits += 8)
            waiting |= (uint64_t)digits[at++] << bits;
        if (bits < left)
            return -1;
        words[n] = word | (uint32_t)(waiting & ((UINT64_C(1) << left) - 1));
        waiting >>= left;
        bits -= left;
    }
    at -= bits / 8; /* whole bytes that were read ahead */
    return at == size && (waiting & ((UINT64_C(1) << bits % 8) - 1)) == 0 ? 0 : -1;
}
