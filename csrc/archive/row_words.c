#include "archive/row_words.h"

#include <string.h>

/* The numbers of one component. */
typedef struct column {
    const uint8_t *first;
    int64_t stride; /* bytes */
} column;

static column find_column(const void *rows, int components, int component)
{
    return (column){(const uint8_t *)rows + 4 * (component % components), 4 * components};
}

static uint32_t bits_at(const column *c, int64_t row)
{
    uint32_t bits;
    memcpy(&bits, c->first + row * c->stride, sizeof bits);
    return bits;
}

static int64_t row_at(const vt_packed_rows *about, int64_t n)
{
    return about->order ? about->order[n] : n;
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
    const column numbers = find_column(from, about->components, chunk->component);
    int digits = 0;
    uint32_t largest = 0;
    for (int64_t n = 0; n < chunk->count; n++) {
        const uint32_t bits = bits_at(&numbers, row_at(about, chunk->first + n));
        const uint32_t size = bits & 0x7fffffff;
        const int needed = digits_of(bits);
        if (needed <= digits && size <= largest)
            continue;
        digits = needed > digits ? needed : digits;
        largest = size > largest ? size : largest;
        if (digits > VT_MOST_DIGITS || !((double)float_of(largest) * scale_of(digits) < 0x1p30))
            return -1;
    }
    return digits;
}

/* ---- a chunk ---- */

/* A number as what differences are taken of: its place among values, or its multiple. */
static uint32_t whole_of(const column *c, int64_t row, int lattice, double scale)
{
    const uint32_t bits = bits_at(c, row);
    return lattice ? nearest_multiple(bits, scale) : order_of(bits);
}

static column find_reference(const vt_packed_rows *about, const vt_chunk *chunk)
{
    if (!vti_is_beside_another(chunk->way))
        return (column){NULL, 0};
    return find_column(about->reference, about->reference_components, chunk->component);
}

void vti_take_words(const uint8_t *from, const vt_packed_rows *about, const vt_chunk *chunk,
                    uint32_t *words)
{
    const int lattice = vti_is_on_lattice(chunk->way), keeps = chunk->way != VT_LESS_ANOTHER_FIELD;
    const double scale = scale_of(lattice ? chunk->digits : 0);
    const column numbers = find_column(from, about->components, chunk->component);
    const column other = find_reference(about, chunk);
    uint32_t before = 0;
    for (int64_t n = 0; n < chunk->count; n++) {
        const int64_t row = row_at(about, chunk->first + n);
        if (chunk->way == VT_AS_THEY_ARE) {
            words[n] = bits_at(&numbers, row);
            continue;
        }
        uint32_t now = whole_of(&numbers, row, lattice, scale);
        if (other.first)
            now -= whole_of(&other, row, lattice, scale);
        words[n] = fold(now - before);
        before = keeps ? now : 0;
    }
}

static uint32_t bits_of(uint32_t whole, int lattice, double step)
{
    if (!lattice)
        return whole >> 31 ? whole & ~(UINT32_C(1) << 31) : ~whole;
    const int64_t multiple = (int64_t)whole - ((int64_t)(whole >> 31) << 32);
    const float value = (float)((double)multiple * step);
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

void vti_restore_words(const uint32_t *words, const vt_packed_rows *about, const vt_chunk *chunk,
                       uint8_t *to)
{
    const int lattice = vti_is_on_lattice(chunk->way), keeps = chunk->way != VT_LESS_ANOTHER_FIELD;
    const double scale = scale_of(lattice ? chunk->digits : 0), step = 1 / scale;
    const column other = find_reference(about, chunk);
    uint32_t before = 0;
    for (int64_t n = 0; n < chunk->count; n++) {
        const int64_t row = row_at(about, chunk->first + n);
        uint32_t bits = words[n];
        if (chunk->way != VT_AS_THEY_ARE) {
            const uint32_t now = before + unfold(bits);
            const uint32_t beside = other.first ? whole_of(&other, row, lattice, scale) : 0;
            bits = bits_of(now + beside, lattice, step);
            before = keeps ? now : 0;
        }
        memcpy(to + 4 * (row * about->components + chunk->component), &bits, 4);
    }
}
