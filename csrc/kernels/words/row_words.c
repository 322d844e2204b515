#include "kernels/words/row_words.h"

#include <math.h>
#include <string.h>

#include "base/simd.h"

/* ---- the numbers of a chunk ---- */

static int64_t row_at(const vt_packed_rows *about, int64_t n)
{
    return about->order ? about->order[n] : n;
}

/* One number of each row of so many. */
static inline void gather_every(const uint8_t *from, int components, int64_t count,
                                uint32_t *restrict numbers)
{
    for (int64_t n = 0; n < count; n++)
        memcpy(numbers + n, from + 4 * components * n, 4);
}

void VT_NAME(gather_rows)(const void *rows, int components, const vt_packed_rows *about,
                          const vt_chunk *chunk, uint32_t *restrict numbers)
{
    const uint8_t *const from = (const uint8_t *)rows + 4 * (chunk->component % components);
    const uint8_t *const first = from + 4 * components * chunk->first;
    if (about->order)
        for (int64_t n = 0; n < chunk->count; n++)
            memcpy(numbers + n, from + 4 * components * (int64_t)about->order[chunk->first + n], 4);
    else if (components == 3) /* loops that the compiler knows */
        gather_every(first, 3, chunk->count, numbers);
    else if (components == 1)
        gather_every(first, 1, chunk->count, numbers);
    else
        gather_every(first, components, chunk->count, numbers);
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

static inline uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* Of a number that is a multiple, with less than 31 bits; 0 of what is far too large, or no number.
 */
static inline uint32_t multiple_of(uint32_t bits, float scale)
{
    const float at = float_of(bits) * scale;
    return (uint32_t)(int32_t)(fabsf(at) < 0x1p30f ? at : 0);
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
    return bits_of((float)((double)multiple * step));
}

/* ---- which numbers are on a lattice ---- */

enum { NONE = 255 /* digits of what is on no lattice */ };

/* Digits that numbers need. */
static void find_needs(const uint32_t *numbers, int64_t count, uint8_t *needs)
{
    for (int64_t n = 0; n < count; n++) {
        const int32_t exponent = (int32_t)(numbers[n] >> 23 & 255);
        const uint32_t fraction = (numbers[n] & 0x7fffff) | 1 << 23;
        const float lowest = (float)(int32_t)(fraction & (UINT32_C(0) - fraction));
        const int32_t digits = 150 + 127 - exponent - (int32_t)(bits_of(lowest) >> 23);
        const int32_t known = exponent == 0 || exponent == 255 ? (int32_t)NONE : digits;
        const int32_t some = known < 0 ? 0 : known > NONE ? (int32_t)NONE : known;
        needs[n] = (uint8_t)(numbers[n] == 0 ? 0 : some);
    }
}

/* The digits with which least is stored, by a sample: one more of them takes a bit of each number,
 * and a stray 48. -1 where most are on no lattice. */
static int choose_digits(const uint32_t *numbers, int64_t count)
{
    enum { STRAY = 48, SAMPLES = 512 };
    uint32_t some[SAMPLES];
    uint8_t needs[SAMPLES];
    int64_t with[NONE + 1] = {0}, left = count < SAMPLES ? count : SAMPLES, least = INT64_MAX;
    const int64_t all = left;
    int best = -1;
    const int64_t step = count / (all ? all : 1);
    for (int64_t n = 0; n < all; n++)
        some[n] = numbers[n * step];
    find_needs(some, all, needs);
    for (int64_t n = 0; n < all; n++)
        with[needs[n]]++;
    for (int digits = 0; digits <= VT_MOST_DIGITS; digits++) {
        left -= with[digits];
        const int64_t bits = digits * all + STRAY * left;
        if (with[digits] && bits < least) {
            least = bits;
            best = digits;
        }
    }
    return 2 * left > all ? -1 : best;
}

/* Whether a number is a multiple, of at most 30 bits, with so many digits; -0 is none, nor is what
 * is too small for its exponent, which some processors take for 0. */
static int is_multiple(uint32_t number, float scale)
{
    const float at = float_of(number) * scale;
    const int tiny = (number & 0x7f800000) == 0 && number != 0;
    return !tiny && fabsf(at) < 0x1p30f && (float)(int32_t)at == at;
}

/* The same of all of them. */
static int are_multiples(const uint32_t *numbers, int64_t count, float scale)
{
    const vf most = vf_set(0x1p30f), half = vf_set(0.5f);
    vi bad = {0};
    int64_t n = 0;
    int rest = 1;
    for (; n + VL <= count; n += VL) {
        const vi number = vi_load((const int32_t *)numbers + n);
        const vf at = (vf)number * vf_set(scale);
        const vf known = vf_select((at < most) & (at > -most), at, half);
        const vi tiny = (number & 0x7f800000) == 0;
        bad |= (vi_to_vf(vf_truncate(known)) != known) | (tiny & number);
    }
    for (; n < count; n++)
        rest &= is_multiple(numbers[n], scale);
    return rest && !vi_any(bad);
}

/* -1: there are too many. */
static int find_strays(const uint32_t *numbers, int64_t count, int digits, vt_strays *strays)
{
    enum { SOME = 64 };
    const float scale = scale_of(digits);
    strays->count = 0;
    for (int64_t begin = 0; begin < count; begin += SOME) {
        const int64_t end = count - begin < SOME ? count : begin + SOME;
        if (are_multiples(numbers + begin, end - begin, scale))
            continue;
        for (int64_t n = begin; n < end; n++) {
            if (is_multiple(numbers[n], scale))
                continue;
            if (strays->count >= VT_MOST_STRAYS || 16 * strays->count >= count)
                return -1;
            strays->place[strays->count] = (uint16_t)n;
            strays->bits[strays->count++] = numbers[n];
        }
    }
    return 0;
}

int VT_NAME(find_digits)(const uint32_t *numbers, int64_t count, vt_strays *strays)
{
    uint8_t needs[VT_MOST_ROWS], most = 0;
    const int digits = choose_digits(numbers, count);
    if (digits < 0 || !find_strays(numbers, count, digits, strays))
        return digits;
    find_needs(numbers, count, needs);
    for (int64_t n = 0; n < count; n++)
        most = needs[n] > most ? needs[n] : most;
    return most > VT_MOST_DIGITS || find_strays(numbers, count, most, strays) ? -1 : most;
}

int VT_NAME(find_zeros)(const uint32_t *numbers, int64_t count)
{
    uint32_t all = UINT32_C(1) << VT_MOST_ZEROS;
    for (int64_t n = 0; n < count; n++)
        all |= numbers[n];
    return __builtin_ctz(all);
}

/* ---- a chunk ---- */

/* Numbers, those of the other field or none, as what differences are taken of: their places among
 * values, or their multiples. */
static void take_wholes(const uint32_t *numbers, const uint32_t *others, int64_t count, int lattice,
                        int digits, uint32_t *restrict whole)
{
    const float scale = scale_of(lattice ? digits : 0);
    if (!lattice)
        for (int64_t n = 0; n < count; n++)
            whole[n] = order_of(numbers[n]) >> digits;
    else
        for (int64_t n = 0; n < count; n++)
            whole[n] = multiple_of(numbers[n], scale);
    if (others && !lattice)
        for (int64_t n = 0; n < count; n++)
            whole[n] -= order_of(others[n]) >> digits;
    else if (others)
        for (int64_t n = 0; n < count; n++)
            whole[n] -= nearest_multiple(others[n], scale);
}

/* The mean of those before, as a sum of their parts of it, which never overflows: of multiples. */
enum { MEAN_OF = 16 };

static inline uint32_t part_of_mean(uint32_t whole)
{
    return (uint32_t)((int32_t)(whole + MEAN_OF / 2) >> 4);
}

_Static_assert((-9 >> 4) == -1 && MEAN_OF == 1 << 4, "shifts of signed numbers round down");

/* Each of those and as many behind them: of two, of four, of eight, of sixteen. */
static inline void add_next(uint32_t *sum, int64_t count, int64_t far)
{
    for (int64_t n = 0; n < count; n++)
        sum[n] += sum[n + far];
}

static void take_mean(const uint32_t *whole, int64_t count, uint32_t *restrict words)
{
    enum { SOME = 512 };
    uint32_t sum[MEAN_OF + SOME], before[MEAN_OF];
    for (int n = 0; n < MEAN_OF && count; n++)
        before[n] = part_of_mean(whole[0]);
    for (int64_t begin = 0; begin < count; begin += SOME) {
        const int64_t some = count - begin < SOME ? count - begin : SOME;
        memcpy(sum, before, sizeof before);
        for (int64_t n = 0; n < some; n++)
            sum[MEAN_OF + n] = part_of_mean(whole[begin + n]);
        memcpy(before, sum + some, sizeof before);
        add_next(sum, some + 14, 1);
        add_next(sum, some + 12, 2);
        add_next(sum, some + 8, 4);
        for (int64_t n = 0; n < some; n++)
            words[begin + n] = fold(whole[begin + n] - sum[n] - sum[n + 8]);
    }
    if (count)
        words[0] = fold(whole[0]);
}

void VT_NAME(take_words)(const uint32_t *numbers, const uint32_t *others, int64_t first,
                         int64_t count, int way, int digits, const vt_strays *strays,
                         uint32_t *restrict words)
{
    uint32_t whole[1 + VT_MOST_ROWS];
    whole[0] = 0;
    if (way == VT_AS_THEY_ARE) {
        memcpy(words, numbers + first, 4 * (size_t)count);
        return;
    }
    const int lattice = vti_is_on_lattice(way);
    take_wholes(numbers + first, vti_is_beside_another(way) ? others + first : NULL, count, lattice,
                digits, whole + 1);
    for (int32_t k = 0; lattice && k < strays->count; k++)
        if (strays->place[k] >= first && strays->place[k] < first + count)
            whole[strays->place[k] - first + 1] = whole[strays->place[k] - first];
    if (way == VT_LESS_ANOTHER_FIELD)
        for (int64_t n = 0; n < count; n++)
            words[n] = fold(whole[n + 1]);
    else if (vti_is_less_mean(way))
        take_mean(whole + 1, count, words);
    else
        for (int64_t n = 0; n < count; n++)
            words[n] = fold(whole[n + 1] - whole[n]);
}

static void restore_less_mean(const uint32_t *words, int64_t count, uint32_t *whole)
{
    uint32_t part[MEAN_OF + VT_MOST_ROWS], mean = 0;
    if (count)
        whole[0] = unfold(words[0]);
    for (int n = 0; n < MEAN_OF && count; n++) {
        part[n] = part_of_mean(whole[0]);
        mean += part[n];
    }
    for (int64_t n = 0; n < count; n++) {
        whole[n] = n ? unfold(words[n]) + mean : whole[0];
        part[MEAN_OF + n] = part_of_mean(whole[n]);
        mean += part[MEAN_OF + n] - part[n];
    }
}

/* Words as what the differences were taken of. */
static void restore_wholes(const uint32_t *words, const vt_chunk *chunk, uint32_t *whole)
{
    const int keeps = chunk->way != VT_LESS_ANOTHER_FIELD;
    uint32_t before = 0;
    if (vti_is_less_mean(chunk->way)) {
        restore_less_mean(words, chunk->count, whole);
        return;
    }
    for (int64_t n = 0; n < chunk->count; n++) {
        whole[n] = unfold(words[n]) + before;
        before = keeps ? whole[n] : 0;
    }
}

void VT_NAME(restore_words)(const uint32_t *words, const vt_packed_rows *about,
                            const vt_chunk *chunk, const vt_strays *strays, uint32_t *room,
                            uint8_t *to)
{
    uint32_t whole[VT_MOST_ROWS];
    const int lattice = vti_is_on_lattice(chunk->way), beside = vti_is_beside_another(chunk->way);
    const float scale = scale_of(lattice ? chunk->digits : 0);
    const double step = 1 / (double)scale;
    const int zeros = lattice ? 0 : chunk->digits;
    const int64_t stride = 4 * about->components;
    to += 4 * chunk->component;
    if (beside)
        VT_NAME(gather_rows)(about->reference, about->reference_components, about, chunk, room);
    if (chunk->way == VT_AS_THEY_ARE)
        memcpy(whole, words, 4 * (size_t)chunk->count);
    else
        restore_wholes(words, chunk, whole);
    for (int64_t n = 0; n < chunk->count; n++) {
        const uint32_t other = !beside   ? 0
                               : lattice ? nearest_multiple(room[n], scale)
                                         : order_of(room[n]) >> zeros;
        uint32_t bits = whole[n];
        if (lattice)
            bits = bits_of_multiple(bits + other, step);
        else if (chunk->way != VT_AS_THEY_ARE)
            bits = bits_of_order((bits + other) << zeros) >> zeros << zeros;
        memcpy(to + row_at(about, chunk->first + n) * stride, &bits, 4);
    }
    for (int32_t k = 0; lattice && k < strays->count; k++)
        memcpy(to + row_at(about, chunk->first + strays->place[k]) * stride, &strays->bits[k], 4);
}
