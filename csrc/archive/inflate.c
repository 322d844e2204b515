#include "archive/inflate.h"

#include <string.h>

#include "base/little_endian.h"
#include "volume/deflate.h"

enum {
    MOST_BITS = 15,
    FAST_BITS = 9, /* codes of as many are looked up at once */
    LITERALS = 288,
    DISTANCES = 32,
    END = 256
};

typedef struct reader {
    const uint8_t *from;
    size_t size, at;
    uint64_t bits; /* read, not yet used */
    int count;     /* of those */
    int failed;    /* the stream ended */
    uint8_t *to;
    size_t most, done;
} reader;

/* A canonical code: how many codes have each length, and the symbols in their order. */
typedef struct code {
    uint16_t count[MOST_BITS + 1], symbol[LITERALS];
    uint16_t fast[1 << FAST_BITS]; /* by the next bits: symbol x 16 + length; 0: a longer one, or
                                      none */
} code;

/* Reads ahead as far as there is room, and something left. */
static inline void read_ahead(reader *r)
{
    if (r->size - r->at >= 8 && r->count < 56) {
        r->bits |= vti_read_eight(r->from + r->at) << r->count;
        r->at += (size_t)(63 - r->count) / 8;
        r->count |= 56;
        return;
    }
    for (; r->count <= 56 && r->at < r->size; r->count += 8)
        r->bits |= (uint64_t)r->from[r->at++] << r->count;
}

/* Gives back what was read ahead, but for the rest of a byte. */
static void stop_reading_ahead(reader *r)
{
    r->at -= (size_t)r->count / 8;
    r->bits = 0;
    r->count = 0;
}

static uint32_t take_bits(reader *r, int count)
{
    if (r->count < count)
        read_ahead(r);
    r->failed |= r->count < count;
    if (r->failed)
        return 0;
    const uint32_t value = (uint32_t)(r->bits & ((UINT64_C(1) << count) - 1));
    r->bits >>= count;
    r->count -= count;
    return value;
}

/* Notes a code of so many bits, which come from its highest on. */
static void note_fast(code *c, int symbol, int length, uint32_t value)
{
    uint32_t turned = 0;
    for (int b = 0; b < length; b++)
        turned |= (value >> b & 1) << (length - 1 - b);
    for (uint32_t n = turned; n < 1u << FAST_BITS; n += 1u << length)
        c->fast[n] = (uint16_t)(symbol << 4 | length);
}

/* -1 where the lengths leave a code for nothing, or two symbols one code. */
static int make_code(code *c, const uint8_t *length, int symbols)
{
    uint16_t first[MOST_BITS + 2] = {0};
    uint32_t value[MOST_BITS + 2] = {0}; /* of the next code of each length */
    int left = 1;
    memset(c->count, 0, sizeof c->count);
    memset(c->fast, 0, sizeof c->fast);
    for (int s = 0; s < symbols; s++)
        c->count[length[s]]++;
    for (int bits = 1; bits <= MOST_BITS; bits++) {
        left = 2 * left - c->count[bits];
        if (left < 0)
            return -1;
        first[bits + 1] = (uint16_t)(first[bits] + c->count[bits]);
        value[bits + 1] = 2 * (value[bits] + c->count[bits]);
    }
    for (int s = 0; s < symbols; s++) {
        if (length[s] == 0)
            continue;
        c->symbol[first[length[s]]++] = (uint16_t)s;
        if (length[s] <= FAST_BITS)
            note_fast(c, s, length[s], value[length[s]]++);
    }
    c->count[0] = 0;
    /* a lone code of one bit is allowed: distances, where there is but one */
    return left > 0 && !(first[MOST_BITS + 1] <= 1) ? -1 : 0;
}

static int take_long_symbol(reader *r, const code *c)
{
    int value = 0, first = 0, index = 0;
    for (int bits = 1; bits <= MOST_BITS; bits++) {
        value |= (int)take_bits(r, 1);
        const int count = c->count[bits];
        if (value - first < count)
            return c->symbol[index + value - first];
        index += count;
        first = 2 * (first + count);
        value *= 2;
    }
    return -1;
}

/* -1: no symbol has that code. */
static inline int take_symbol(reader *r, const code *c)
{
    if (r->count < MOST_BITS)
        read_ahead(r);
    const uint32_t known = c->fast[r->bits & ((1u << FAST_BITS) - 1)];
    const int length = (int)(known & 15);
    if (length == 0 || length > r->count)
        return take_long_symbol(r, c);
    r->bits >>= length;
    r->count -= length;
    return (int)(known >> 4);
}

static int copy_stored(reader *r)
{
    stop_reading_ahead(r);
    if (r->size - r->at < 4)
        return -1;
    const size_t length = vti_read_two(r->from + r->at);
    const size_t inverse = vti_read_two(r->from + r->at + 2);
    r->at += 4;
    if (length != (~inverse & 0xFFFF) || length > r->size - r->at || length > r->most - r->done)
        return -1;
    memcpy(r->to + r->done, r->from + r->at, length);
    r->at += length;
    r->done += length;
    return 0;
}

static int copy_match(reader *r, const code *distances, int symbol)
{
    static const uint16_t length_base[] = {3,  4,  5,  6,   7,   8,   9,   10,  11, 13,
                                           15, 17, 19, 23,  27,  31,  35,  43,  51, 59,
                                           67, 83, 99, 115, 131, 163, 195, 227, 258};
    static const uint8_t length_bits[] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                          2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
    static const uint16_t distance_base[] = {
        1,   2,   3,   4,   5,   7,    9,    13,   17,   25,   33,   49,   65,    97,    129,
        193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
    if (symbol - END > 29)
        return -1;
    const size_t length =
        length_base[symbol - END - 1] + take_bits(r, length_bits[symbol - END - 1]);
    const int far = take_symbol(r, distances);
    if (far < 0 || far > 29)
        return -1;
    const size_t distance = distance_base[far] + take_bits(r, far < 2 ? 0 : far / 2 - 1);
    if (distance > r->done || length > r->most - r->done)
        return -1;
    for (size_t n = 0; n < length; n++, r->done++)
        r->to[r->done] = r->to[r->done - distance];
    return 0;
}

static int copy_tokens(reader *r, const code *literals, const code *distances)
{
    while (!r->failed) {
        const int symbol = take_symbol(r, literals);
        if (symbol == END)
            return r->failed ? -1 : 0;
        if (symbol < 0 || (symbol < END && r->done == r->most))
            return -1;
        if (symbol < END)
            r->to[r->done++] = (uint8_t)symbol;
        else if (copy_match(r, distances, symbol))
            return -1;
    }
    return -1;
}

static void make_standard_codes(code *literals, code *distances)
{
    uint8_t length[LITERALS];
    for (int s = 0; s < LITERALS; s++)
        length[s] = s < 144 ? 8 : s < 256 ? 9 : s < 280 ? 7 : 8;
    make_code(literals, length, LITERALS);
    memset(length, 5, DISTANCES);
    make_code(distances, length, DISTANCES);
}

static int take_codes(reader *r, code *literals, code *distances)
{
    static const uint8_t order[] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                    11, 4,  12, 3, 13, 2, 14, 1, 15};
    uint8_t length[LITERALS + DISTANCES] = {0};
    const int literal_count = 257 + (int)take_bits(r, 5),
              all = literal_count + 1 + (int)take_bits(r, 5);
    const int coded = 4 + (int)take_bits(r, 4);
    for (int n = 0; n < coded; n++)
        length[order[n]] = (uint8_t)take_bits(r, 3);
    if (literal_count > 286 || all - literal_count > 30 || make_code(literals, length, 19))
        return -1;
    memset(length, 0, sizeof length);
    for (int n = 0; n < all;) {
        const int symbol = take_symbol(r, literals);
        if (symbol < 0 || r->failed || (symbol == 16 && n == 0))
            return -1;
        const uint8_t value = symbol == 16 ? length[n - 1] : symbol < 16 ? (uint8_t)symbol : 0;
        int times = symbol < 16    ? 1
                    : symbol == 16 ? 3 + (int)take_bits(r, 2)
                    : symbol == 17 ? 3 + (int)take_bits(r, 3)
                                   : 11 + (int)take_bits(r, 7);
        if (times > all - n)
            return -1;
        for (; times > 0; times--)
            length[n++] = value;
    }
    return make_code(literals, length, literal_count) ||
           make_code(distances, length + literal_count, all - literal_count);
}

static int copy_block(reader *r)
{
    code literals, distances;
    switch (take_bits(r, 2)) {
    case 0:
        return copy_stored(r);
    case 1:
        make_standard_codes(&literals, &distances);
        return copy_tokens(r, &literals, &distances);
    case 2:
        return take_codes(r, &literals, &distances) ? -1 : copy_tokens(r, &literals, &distances);
    default:
        return -1;
    }
}

int vti_inflate(const uint8_t *from, size_t size, uint8_t *to, size_t most)
{
    reader r = {.from = from, .size = size, .at = 2, .to = to, .most = most};
    if (size < 6 || (from[0] & 15) != 8 || (from[0] << 8 | from[1]) % 31 || from[1] & 32)
        return -1;
    r.size -= 4;
    for (int last = 0; !last;) {
        last = (int)take_bits(&r, 1);
        if (r.failed || copy_block(&r))
            return -1;
    }
    stop_reading_ahead(&r);
    const uint8_t *const sum = from + r.at;
    const uint32_t told =
        (uint32_t)sum[0] << 24 | (uint32_t)sum[1] << 16 | (uint32_t)sum[2] << 8 | sum[3];
    return r.done == most && r.at == r.size && told == vti_adler32(to, most) ? 0 : -1;
}
