#include "kernels/words/word_classes.h"

#include <string.h>

#include "base/little_endian.h"
#include "kernels/words/joined_bits.h"

enum { SOME = 512 /* words at a time */ };

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
    uint64_t of[SOME], bits[SOME];
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

size_t VT_NAME(part_words)(const uint32_t *words, int64_t count, uint8_t *classes, uint8_t *digits)
{
    uint32_t left[SOME];
    vt_digits single, pair, four;
    vt_bit_writer w = {.to = digits};
    for (int64_t begin = 0; begin < count; begin += SOME) {
        const int64_t some = count - begin < SOME ? count - begin : SOME;
        const uint32_t most = find_classes(words + begin, some, classes + begin, left);
        if (most == 0)
            continue;
        take_digits(words + begin, left, some, &single);
        const int64_t pairs = join_pairs(&single, some, &pair);
        if (most > VT_MOST_JOINED / 2)
            vti_put_all_joined(&w, single.of, single.bits, some);
        else if (most > VT_MOST_JOINED / 4)
            vti_put_all_joined(&w, pair.of, pair.bits, pairs);
        else
            vti_put_all_joined(&w, four.of, four.bits, join_pairs(&pair, pairs, &four));
    }
    return (size_t)(vti_end_of_bits(&w) - digits);
}

static inline uint64_t number_at(const uint8_t *numbers, int64_t n)
{
    uint64_t number;
    memcpy(&number, numbers + 8 * n, sizeof number);
    return number;
}

static inline uint64_t fold(uint64_t difference)
{
    return difference << 1 ^ (UINT64_C(0) - (difference >> 63));
}

int VT_NAME(take_differences)(const uint8_t *numbers, int64_t count, uint32_t *words)
{
    uint64_t most = count ? fold(number_at(numbers, 0)) : 0;
    if (count)
        words[0] = (uint32_t)most;
    for (int64_t n = 1; n < count; n++) {
        const uint64_t word = fold(number_at(numbers, n) - number_at(numbers, n - 1));
        most |= word;
        words[n] = (uint32_t)word;
    }
    return most >> 32 == 0;
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
