#include "archive/row_words.h"

#include <math.h>
#include <string.h>

/* ---- the numbers of a chunk ---- */

static int64_t row_at(const vt_packed_rows *about, int64_t n)
{
    return about->order ? about->order[n] : n;
}

static void gather(const uint8_t *from, int components, const vt_packed_rows *about,
                   const vt_chunk *chunk, uint32_t *numbers)
{
    const int64_t stride = 4 * components;
    from += 4 * (chunk->component % components);
    if (about->order)
        for (int64_t n = 0; n < chunk->count; n++)
            memcpy(numbers + n, from + about->order[chunk->first + n] * stride, 4);
    else
        for (int64_t n = 0; n < chunk->count; n++)
            memcpy(numbers + n, from + (chunk->first + n) * stride, 4);
}

void vti_gather_numbers(const void *from, const vt_packed_rows *about, const vt_chunk *chunk,
                        uint32_t *numbers)
{
    gather(from, about->components, about, chunk, numbers);
}

void vti_gather_others(const vt_packed_rows *about, const vt_chunk *chunk, uint32_t *others)
{
    gather(about->reference, about->reference_components, about, chunk, others);
}

/* ---- differences of bits ---- */

/* The bits of a float, in the order of values. */
static inline uint32_t order_of(uint32_t bits)
{
    return bits ^ ((UINT32_C(0) - (bits >> 31)) | UINT32_C(1) << 31);
}

static inline uint32_t bits_of_order(uint32_t order)
{
    return order >> 31 ? order & ~(UINT32_C(1) << 31) : ~order;
}

static inline uint32_t fold(uint32_t difference)
{
    return difference << 1 ^ (UINT32_C(0) - (difference >> 31));
}

static inline uint32_t unfold(uint32_t word)
{
    return word >> 1 ^ (UINT32_C(0) - (word & 1));
}

/* ---- a lattice ---- */

/* 2^digits */
static float scale_of(int digits)
{
    return (float)(UINT64_C(1) << digits);
}

static inline float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Of a number that is a multiple, with less than 31 bits. */
static inline uint32_t multiple_of(uint32_t bits, float scale)
{
    return (uint32_t)(int32_t)(float_of(bits) * scale);
}

/* The multiple nearest to a number, whatever it is; 0 of what is far too large, or no number. */
static inline uint32_t nearest_multiple(uint32_t bits, float scale)
{
    const float at = float_of(bits) * scale, size = fabsf(at), large = 0x1p23f;
    const float whole = size < large ? (size + large) - large : size;
    const float known = size < 0x1p31f ? whole : 0;
    const uint32_t multiple = (uint32_t)(int32_t)known, below = UINT32_C(0) - (bits >> 31);
    return (multiple ^ below) - below;
}

static inline uint32_t bits_of_multiple(uint32_t whole, double step)
{
    const int64_t multiple = (int64_t)whole - ((int64_t)(whole >> 31) << 32);
    const float value = (float)((double)multiple * step);
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* Digits that a number needs, INT32_MAX: more than there are. */
static int digits_of(uint32_t bits)
{
    const int exponent = (int)(bits >> 23 & 255);
    const uint32_t fraction = (bits & 0x7fffff) | 1 << 23;
    if (bits == 0)
        return 0;
    if (exponent == 0 || exponent == 255)
        return INT32_MAX;
    const int digits = 150 - exponent - __builtin_ctz(fraction);
    return digits < 0 ? 0 : digits;
}

/* Whether all are multiples, of at most 30 bits, with so many digits. */
static int are_multiples(const uint32_t *numbers, int64_t count, float scale)
{
    uint32_t bad = 0;
    for (int64_t n = 0; n < count; n++) {
        const float at = float_of(numbers[n]) * scale;
        const float known = fabsf(at) < 0x1p30f ? at : 0.5f;
        const uint32_t whole = (float)(int32_t)known == known;
        const uint32_t normal = (numbers[n] & 0x7f800000) != 0, zero = numbers[n] == 0;
        bad |= (whole & (normal | zero)) ^ 1;
    }
    return !bad;
}

int vti_find_digits(const uint32_t *numbers, int64_t count)
{
    enum { SOME = 128 };
    int digits = 0;
    int64_t changed = 0; /* before it there are numbers that fewer digits were enough for */
    for (int64_t begin = 0; begin < count; begin += SOME) {
        const int64_t some = count - begin < SOME ? count - begin : SOME;
        if (are_multiples(numbers + begin, some, scale_of(digits)))
            continue;
        const int before = digits;
        for (int64_t n = begin; n < begin + some; n++) {
            const int needed = digits_of(numbers[n]);
            digits = needed > digits ? needed : digits;
        }
        if (digits == before || digits > VT_MOST_DIGITS ||
            !are_multiples(numbers + begin, some, scale_of(digits)))
            return -1;
        changed = begin;
    }
    return are_multiples(numbers, changed, scale_of(digits)) ? digits : -1;
}

/* ---- a chunk ---- */

/* Numbers, those of the other field or none, as what differences are taken of: their places among
 * values, or their multiples. */
static void take_wholes(const uint32_t *numbers, const uint32_t *others, int64_t count, int lattice,
                        float scale, uint32_t *restrict whole)
{
    if (!lattice)
        for (int64_t n = 0; n < count; n++)
            whole[n] = order_of(numbers[n]);
    else
        for (int64_t n = 0; n < count; n++)
            whole[n] = multiple_of(numbers[n], scale);
    if (others && !lattice)
        for (int64_t n = 0; n < count; n++)
            whole[n] -= order_of(others[n]);
    else if (others)
        for (int64_t n = 0; n < count; n++)
            whole[n] -= nearest_multiple(others[n], scale);
}

void vti_take_words(const uint32_t *numbers, const uint32_t *others, int64_t count, int way,
                    int digits, uint32_t *restrict words)
{
    enum { SOME = 256 };
    const int lattice = vti_is_on_lattice(way);
    const float scale = scale_of(lattice ? digits : 0);
    uint32_t whole[1 + SOME] = {0}; /* the first is the one before */
    if (way == VT_AS_THEY_ARE) {
        memcpy(words, numbers, 4 * (size_t)count);
        return;
    }
    for (int64_t begin = 0; begin < count; begin += SOME) {
        const int64_t some = count - begin < SOME ? count - begin : SOME;
        take_wholes(numbers + begin, vti_is_beside_another(way) ? others + begin : NULL, some,
                    lattice, scale, whole + 1);
        if (way == VT_LESS_ANOTHER_FIELD)
            for (int64_t n = 0; n < some; n++)
                words[begin + n] = fold(whole[n + 1]);
        else
            for (int64_t n = 0; n < some; n++)
                words[begin + n] = fold(whole[n + 1] - whole[n]);
        whole[0] = whole[some];
    }
}

void vti_restore_words(const uint32_t *words, const vt_packed_rows *about, const vt_chunk *chunk,
                       uint32_t *room, uint8_t *to)
{
    const int lattice = vti_is_on_lattice(chunk->way), keeps = chunk->way != VT_LESS_ANOTHER_FIELD;
    const float scale = scale_of(lattice ? chunk->digits : 0);
    const double step = 1 / (double)scale;
    const int beside = vti_is_beside_another(chunk->way);
    uint32_t before = 0;
    if (beside)
        vti_gather_others(about, chunk, room);
    for (int64_t n = 0; n < chunk->count; n++) {
        const int64_t row = row_at(about, chunk->first + n);
        uint32_t bits = words[n];
        if (chunk->way != VT_AS_THEY_ARE) {
            const uint32_t now = before + unfold(bits);
            const uint32_t other = !beside   ? 0
                                   : lattice ? nearest_multiple(room[n], scale)
                                             : order_of(room[n]);
            bits = lattice ? bits_of_multiple(now + other, step) : bits_of_order(now + other);
            before = keeps ? now : 0;
        }
        memcpy(to + 4 * (row * about->components + chunk->component), &bits, 4);
    }
}
