#include "archive/row_words.h"

#include <string.h>

static const uint8_t *number_at(const void *rows, int components, int64_t row, int component)
{
    return (const uint8_t *)rows + 4 * (row * components + component % components);
}

static int64_t row_at(const vt_packed_rows *about, int64_t n)
{
    return about->order ? about->order[n] : n;
}

static uint32_t bits_at(const uint8_t *from, const vt_packed_rows *about, const vt_chunk *chunk,
                        int64_t n)
{
    uint32_t bits;
    const int64_t row = row_at(about, chunk->first + n);
    memcpy(&bits, number_at(from, about->components, row, chunk->component), sizeof bits);
    return bits;
}

static uint32_t reference_bits(const vt_packed_rows *about, const vt_chunk *chunk, int64_t n)
{
    uint32_t bits;
    memcpy(&bits,
           number_at(about->reference, about->reference_components, chunk->first + n,
                     chunk->component),
           sizeof bits);
    return bits;
}

/* ---- differences of bits ---- */

/* The bits of a float, in the order of values. */
static uint32_t order_of(uint32_t bits)
{
    return bits >> 31 ? ~bits : bits | UINT32_C(1) << 31;
}

static uint32_t fold(uint32_t difference)
{
    return difference << 1 ^ (UINT32_C(0) - (difference >> 31));
}

static uint32_t unfold(uint32_t word)
{
    return word >> 1 ^ (UINT32_C(0) - (word & 1));
}

/* ---- a lattice ---- */

/* 2^digits */
static double scale_of(int digits)
{
    return (double)(UINT64_C(1) << digits);
}

static float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The multiple nearest to a number, whatever it is; 0 of what is far too large, or no number. */
static uint32_t nearest_multiple(uint32_t bits, double scale)
{
    const double at = (double)float_of(bits) * scale, large = 0x1.8p52;
    if (!(at > -0x1p31 && at < 0x1p31))
        return 0;
    return (uint32_t)(int64_t)((at + large) - large);
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
    const float lowest = (float)(fraction & (UINT32_C(0) - fraction)); /* its lowest bit */
    uint32_t of_lowest;
    memcpy(&of_lowest, &lowest, sizeof of_lowest);
    const int digits = 150 - exponent - ((int)(of_lowest >> 23) - 127);
    return digits < 0 ? 0 : digits;
}

int vti_find_digits(const uint8_t *from, const vt_packed_rows *about, const vt_chunk *chunk)
{
    int digits = 0;
    uint32_t largest = 0;
    for (int64_t n = 0; n < chunk->count; n++) {
        const uint32_t bits = bits_at(from, about, chunk, n), size = bits & 0x7fffffff;
        const int needed = digits_of(bits);
        digits = needed > digits ? needed : digits;
        largest = size > largest ? size : largest;
        if (digits > VT_MOST_DIGITS || !((double)float_of(largest) * scale_of(digits) < 0x1p30))
            return -1;
    }
    return digits;
}

/* ---- a chunk ---- */

/* What the number of a row is less, before the one before is taken off. */
static uint32_t reference_at(const vt_packed_rows *about, const vt_chunk *chunk, int64_t n)
{
    switch (chunk->way) {
    case VT_LESS_ANOTHER_FIELD:
        return order_of(reference_bits(about, chunk, n));
    case VT_ON_A_LATTICE_BESIDE_ANOTHER:
        return nearest_multiple(reference_bits(about, chunk, n), scale_of(chunk->digits));
    default:
        return 0;
    }
}

static int has_lattice(const vt_chunk *chunk)
{
    return chunk->way == VT_ON_A_LATTICE || chunk->way == VT_ON_A_LATTICE_BESIDE_ANOTHER;
}

void vti_take_words(const uint8_t *from, const vt_packed_rows *about, const vt_chunk *chunk,
                    uint32_t *words)
{
    const int lattice = has_lattice(chunk);
    const double scale = scale_of(lattice ? chunk->digits : 0);
    uint32_t before = 0;
    for (int64_t n = 0; n < chunk->count; n++) {
        const uint32_t bits = bits_at(from, about, chunk, n);
        if (chunk->way == VT_AS_THEY_ARE) {
            words[n] = bits;
            continue;
        }
        const uint32_t now = (lattice ? nearest_multiple(bits, scale) : order_of(bits)) -
                             reference_at(about, chunk, n);
        words[n] = fold(now - before);
        before = chunk->way == VT_LESS_ANOTHER_FIELD ? 0 : now;
    }
}

void vti_restore_words(const uint32_t *words, const vt_packed_rows *about, const vt_chunk *chunk,
                       uint8_t *to)
{
    const int lattice = has_lattice(chunk);
    const double step = 1 / scale_of(lattice ? chunk->digits : 0);
    uint32_t before = 0;
    for (int64_t n = 0; n < chunk->count; n++) {
        uint32_t bits = words[n];
        if (chunk->way != VT_AS_THEY_ARE) {
            const uint32_t now = before + unfold(bits);
            const uint32_t whole = now + reference_at(about, chunk, n);
            before = chunk->way == VT_LESS_ANOTHER_FIELD ? 0 : now;
            bits = whole >> 31 ? whole & ~(UINT32_C(1) << 31) : ~whole;
            if (lattice) {
                const int64_t multiple = whole >> 31 ? (int64_t)whole - (INT64_C(1) << 32) : whole;
                const float value = (float)((double)multiple * step);
                memcpy(&bits, &value, sizeof bits);
            }
        }
        memcpy(to + 4 * (row_at(about, chunk->first + n) * about->components + chunk->component),
               &bits, 4);
    }
}
