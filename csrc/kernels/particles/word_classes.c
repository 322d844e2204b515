#include "kernels/particles/word_classes.h"

#include <string.h>

#include "base/little_endian.h"

enum { SOME = 512 /* words at a time */, MOST_AT_ONCE = 56 /* bits */ };

/* Classes of words, and how many bits of each are left, as vti_class_of, without a decision: by the
 * exponent and the highest bits of floats, which have room for 24 of them. Returns the most that
 * are left. */
static uint32_t find_classes(const uint32_t *restrict words, int64_t count,
                             uint8_t *restrict classes, uint32_t *restrict left)
{
    uint32_t most = 0;
    for (int64_t n = 0; n < count; n++) {
        const uint32_t large = ((words[n] >> 24) + 255) >> 8;
        const uint32_t some = (words[n] & (large - 1)) | (words[n] >> 8 & (0 - large));
        const float exact = (float)(int32_t)some;
        uint32_t bits;
        memcpy(&bits, &exact, sizeof bits);
        const uint32_t small = UINT32_C(0) - ((some - 4) >> 31);
        const uint32_t class = (some & small) | (((bits >> 21) - 512 + 32 * large) & ~small);
        const uint32_t quarter = class >> 2;
        classes[n] = (uint8_t)class;
        left[n] = quarter - ((quarter + 31) >> 5);
        most |= left[n];
    }
    return most;
}

/* Digits one behind the other, from the lowest bit on, and how many bits they are. */
typedef struct vt_digits {
    uint64_t of[SOME];
    uint32_t bits[SOME];
} vt_digits;

static void take_digits(const uint32_t *restrict words, const uint32_t *restrict left,
                        int64_t count, vt_digits *restrict digits)
{
    for (int64_t n = 0; n < count; n++) {
        digits->of[n] = words[n] & ((UINT32_C(1) << left[n]) - 1);
        digits->bits[n] = left[n];
    }
}

/* Each two as one; returns how many there are then. */
static int64_t join_pairs(const vt_digits *restrict digits, int64_t count,
                          vt_digits *restrict joined)
{
    const int64_t pairs = count / 2;
    for (int64_t n = 0; n < pairs; n++) {
        joined->of[n] = digits->of[2 * n] | digits->of[2 * n + 1] << digits->bits[2 * n];
        joined->bits[n] = digits->bits[2 * n] + digits->bits[2 * n + 1];
    }
    if (count % 2) {
        joined->of[pairs] = digits->of[count - 1];
        joined->bits[pairs] = digits->bits[count - 1];
    }
    return pairs + count % 2;
}

/* Bits that are written one behind the other. */
typedef struct bit_writer {
    uint8_t *to;
    uint64_t waiting;
    uint32_t bits; /* that wait: less than 8 */
} bit_writer;

/* At most MOST_AT_ONCE bits each. */
static void put_digits(bit_writer *writer, const vt_digits *digits, int64_t count)
{
    bit_writer w = *writer; /* in registers */
    for (int64_t n = 0; n < count; n++) {
        w.waiting |= digits->of[n] << w.bits;
        w.bits += digits->bits[n];
        vti_write_eight(w.to, w.waiting);
        w.to += w.bits / 8;
        w.waiting >>= w.bits & ~UINT32_C(7);
        w.bits &= 7;
    }
    *writer = w;
}

size_t VT_NAME(part_words)(const uint32_t *words, int64_t count, uint8_t *classes, uint8_t *digits)
{
    uint32_t left[SOME];
    vt_digits single, pair, four;
    bit_writer w = {.to = digits};
    for (int64_t begin = 0; begin < count; begin += SOME) {
        const int64_t some = count - begin < SOME ? count - begin : SOME;
        const uint32_t most = find_classes(words + begin, some, classes + begin, left);
        if (most == 0)
            continue;
        take_digits(words + begin, left, some, &single);
        const int64_t pairs = join_pairs(&single, some, &pair);
        if (most > MOST_AT_ONCE / 2)
            put_digits(&w, &single, some);
        else if (most > MOST_AT_ONCE / 4)
            put_digits(&w, &pair, pairs);
        else
            put_digits(&w, &four, join_pairs(&pair, pairs, &four));
    }
    return (size_t)(w.to - digits) + (w.bits > 0);
}

/* Word of a class without its digits, and how many they are. */
static inline uint32_t word_of(uint32_t class, uint32_t *left)
{
    const uint32_t length = class < 8 ? 2 : (class + 4) / 4;
    *left = length - 2;
    return class < 8 ? class : (4 | (class & 3)) << (length - 2);
}

int VT_NAME(join_classes)(const uint8_t *classes, const uint8_t *digits, size_t size, int64_t count,
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
