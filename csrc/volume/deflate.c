#include "volume/deflate.h"

#include <string.h>

enum {
    END = 256,        /* the symbol that ends a block; lengths come after it */
    LITERALS = 286,   /* symbols for bytes, end and lengths */
    DISTANCES = 30,   /* symbols for distances */
    RUNS = 19,        /* symbols for the lengths of codes */
    MOST_BITS = 15,   /* of a code; 7 of those for lengths of codes */
    LEAST_MATCH = 3,  /* bytes: the least that has a symbol */
    MOST_MATCH = 258, /* bytes */
    TRIES = 8,        /* places that are compared; 4 take a tenth less time, and 1 % more bytes */
    NOTED = 16        /* places of a repeat that later ones may begin at */
};

/* A prefix code: bits of a symbol, and how many; 0 for one that does not occur. */
typedef struct code {
    uint16_t bits[LITERALS + 2];
    uint8_t length[LITERALS + 2];
} code;

/* ---- repeats ---- */

static uint32_t read3(const uint8_t *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16;
}

static void note_place(vt_deflate *work, const uint8_t *from, size_t place)
{
    const uint32_t hash = (read3(from + place) << 8) * 2654435761u >> 21;
    work->before[place] = work->newest[hash];
    work->newest[hash] = (uint16_t)(place + 1);
}

/* The longest repeat of what begins at `place`, which has been noted: length << 16 | distance, or
 * 0. */
static uint32_t find_match(const vt_deflate *work, const uint8_t *from, size_t place, size_t size)
{
    const size_t most = size - place < MOST_MATCH ? size - place : MOST_MATCH;
    size_t longest = LEAST_MATCH - 1;
    uint32_t found = 0;
    size_t other = work->before[place];
    for (int tries = TRIES; other && tries && longest < most; tries--) {
        const uint8_t *const a = from + place, *const b = from + other - 1;
        size_t same = 0;
        if (b[longest] == a[longest])
            while (same < most && a[same] == b[same])
                same++;
        if (same > longest) {
            longest = same;
            found = (uint32_t)(same << 16 | (place + 1 - other));
        }
        other = work->before[other - 1];
    }
    return found;
}

/* Returns the number of tokens. */
static size_t find_tokens(vt_deflate *work, const uint8_t *from, size_t size)
{
    const size_t last = size < 3 ? 0 : size - 2; /* from here on no three bytes are left */
    size_t tokens = 0, place = 0;
    memset(work->newest, 0, sizeof work->newest);
    while (place < size) {
        uint32_t match = 0;
        if (place < last) {
            note_place(work, from, place);
            match = find_match(work, from, place, size);
        }
        work->token[tokens++] = match ? match : from[place];
        const size_t end = place + (match ? match >> 16 : 1);
        for (size_t next = place + 1; next < end && next < last && next < place + NOTED; next++)
            note_place(work, from, next);
        place = end;
    }
    return tokens;
}

/* ---- symbols: lengths and distances in groups of powers of two, and the rest in plain bits ----
 */

static int highest_bit(uint32_t a)
{
    return 31 - __builtin_clz(a);
}

static int length_symbol(uint32_t length)
{
    const uint32_t a = length - 3;
    if (a < 8 || length == MOST_MATCH)
        return END + 1 + (length == MOST_MATCH ? 28 : (int)a);
    const int rest = highest_bit(a) - 2;
    return END + 1 + 4 * (rest + 1) + (int)(a >> rest & 3);
}

static int length_rest(int symbol)
{
    const int group = symbol - END - 1;
    return group < 8 || group == 28 ? 0 : group / 4 - 1;
}

static int distance_symbol(uint32_t distance)
{
    const uint32_t a = distance - 1;
    return a < 2 ? (int)a : 2 * highest_bit(a) + (int)(a >> (highest_bit(a) - 1) & 1);
}

static int distance_rest(int symbol)
{
    return symbol < 2 ? 0 : symbol / 2 - 1;
}

/* ---- codes ---- */

/* Symbols that occur, the rarest first, of the same count the first one first; returns how many. */
static int sort_symbols(const uint16_t *count, int symbols, uint16_t *sorted)
{
    uint16_t once[LITERALS];
    int used = 0;
    for (int s = 0; s < symbols; s++)
        if (count[s])
            once[used++] = (uint16_t)s;
    for (int shift = 0; shift < 16; shift += 8) { /* by the low byte of the count, then the high */
        const uint16_t *const from = shift ? sorted : once;
        uint16_t *const to = shift ? once : sorted;
        int first[257] = {0};
        for (int n = 0; n < used; n++)
            first[(count[from[n]] >> shift & 255) + 1]++;
        for (int value = 0; value < 255; value++)
            first[value + 1] += first[value];
        for (int n = 0; n < used; n++)
            to[first[count[from[n]] >> shift & 255]++] = from[n];
    }
    memcpy(sorted, once, sizeof *once * (size_t)used);
    return used;
}

/* How many codes have each length: Huffman's tree over counts in ascending order, where the two
 * lightest of what is left are the next leaves or the next nodes. */
static void count_lengths(const uint16_t *count, const uint16_t *sorted, int used, int *with_length)
{
    enum { NODES = 2 * LITERALS };
    uint32_t weight[NODES];
    int parent[NODES], depth[NODES];
    int leaf = 0, node = used;
    for (int made = used; made < 2 * used - 1; made++) {
        weight[made] = 0;
        for (int side = 0; side < 2; side++) {
            const int is_leaf =
                leaf < used && (node == made || count[sorted[leaf]] <= weight[node]);
            const int taken = is_leaf ? leaf++ : node++;
            weight[made] += is_leaf ? count[sorted[taken]] : weight[taken];
            parent[taken] = made;
        }
    }
    depth[2 * used - 2] = 0;
    for (int n = 2 * used - 3; n >= 0; n--)
        depth[n] = depth[parent[n]] + 1;
    for (int n = 0; n < used; n++)
        with_length[depth[n]]++;
}

/* Codes that are too long become shorter, others longer, until Kraft's sum is 1 again. */
static void limit_lengths(int *with_length, int used, int most)
{
    for (int length = most + 1; length <= used; length++) {
        with_length[most] += with_length[length];
        with_length[length] = 0;
    }
    int sum = 0;
    for (int length = 1; length <= most; length++)
        sum += with_length[length] << (most - length);
    for (; sum > 1 << most; sum--) {
        int length = most - 1;
        while (!with_length[length])
            length--;
        with_length[most]--;
        with_length[length]--;
        with_length[length + 1] += 2;
    }
}

/* 16 bits, the lowest first. */
static unsigned int reverse(unsigned int bits)
{
    bits = (bits & 0x5555) << 1 | (bits >> 1 & 0x5555);
    bits = (bits & 0x3333) << 2 | (bits >> 2 & 0x3333);
    bits = (bits & 0x0f0f) << 4 | (bits >> 4 & 0x0f0f);
    return (bits & 0xff) << 8 | bits >> 8;
}

/* Bits of each code from the lengths of all, as RFC 1951, 3.2.2; they are sent highest bit first.
 */
static void number_codes(code *c, int symbols)
{
    int next[MOST_BITS + 2] = {0};
    for (int s = 0; s < symbols; s++)
        next[c->length[s] + 1] += c->length[s] ? 1 << (MOST_BITS - c->length[s]) : 0;
    for (int length = 1; length <= MOST_BITS; length++)
        next[length] += next[length - 1];
    for (int s = 0; s < symbols; s++) {
        const int length = c->length[s];
        if (!length)
            continue;
        c->bits[s] = (uint16_t)reverse((unsigned int)next[length] << (16 - MOST_BITS));
        next[length] += 1 << (MOST_BITS - length);
    }
}

static void make_code(code *c, const uint16_t *count, int symbols, int most)
{
    uint16_t sorted[LITERALS];
    int with_length[LITERALS + 1] = {0};
    const int used = sort_symbols(count, symbols, sorted);
    memset(c->length, 0, sizeof c->length);
    if (used == 1)
        with_length[1] = 1; /* no code has less than a bit */
    else if (used > 1)
        count_lengths(count, sorted, used, with_length);
    limit_lengths(with_length, used, most);
    int length = most;
    for (int n = 0; n < used; n++) {
        while (!with_length[length])
            length--;
        c->length[sorted[n]] = (uint8_t)length;
        with_length[length]--;
    }
    number_codes(c, symbols);
}

/* Of the codes of the standard, RFC 1951, 3.2.6; they have two symbols more that nobody uses. */
static void make_standard_lengths(code *literal, code *distance)
{
    for (int s = 0; s < LITERALS + 2; s++)
        literal->length[s] = s < 144 ? 8 : s < 256 ? 9 : s < 280 ? 7 : 8;
    for (int s = 0; s < DISTANCES; s++)
        distance->length[s] = 5;
}

/* ---- bits ---- */

typedef struct bit_stream {
    uint8_t *to;
    uint64_t waiting;
    int count;
} bit_stream;

/* At most 32 wait from one call to the next. */
static void put_bits(bit_stream *b, uint32_t bits, int count)
{
    b->waiting |= (uint64_t)bits << b->count;
    b->count += count;
    if (b->count >= 32) {
        const uint32_t whole = (uint32_t)b->waiting;
        memcpy(b->to, &whole, sizeof whole);
        b->to += sizeof whole;
        b->waiting >>= 32;
        b->count -= 32;
    }
}

/* All that waits, and bits of 0 up to the next whole byte. */
static void put_rest(bit_stream *b)
{
    for (; b->count > 0; b->count -= 8) {
        *b->to++ = (uint8_t)b->waiting;
        b->waiting >>= 8;
    }
}

static void put_symbol(bit_stream *b, const code *c, int symbol)
{
    put_bits(b, c->bits[symbol], c->length[symbol]);
}

/* ---- a block ---- */

/* All that is sent of a block but its tokens. */
typedef struct block {
    uint16_t literal_count[LITERALS], distance_count[DISTANCES];
    code literal, distance, run;
    int literals, distances, runs;           /* so many codes are sent of each */
    uint8_t sent[LITERALS + DISTANCES];      /* symbols for the lengths of codes: RFC 1951, 3.2.7 */
    uint8_t sent_rest[LITERALS + DISTANCES]; /* bits after each */
    int sent_count;
} block;

static const uint8_t run_order[RUNS] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                        11, 4,  12, 3, 13, 2, 14, 1, 15};
static int run_rest(int symbol)
{
    return symbol < 16 ? 0 : symbol == 16 ? 2 : symbol == 17 ? 3 : 7;
}

/* In four parts: else one that comes again waits until it has been counted. */
static void count_literals(block *b, const uint8_t *from, size_t size)
{
    uint16_t count[4][256] = {{0}};
    size_t n = 0;
    for (; n + 4 <= size; n += 4)
        for (size_t part = 0; part < 4; part++)
            count[part][from[n + part]]++;
    for (; n < size; n++)
        count[0][from[n]]++;
    for (int s = 0; s < 256; s++)
        b->literal_count[s] = (uint16_t)(count[0][s] + count[1][s] + count[2][s] + count[3][s]);
}

static void count_tokens(block *b, const uint32_t *token, size_t tokens)
{
    for (size_t n = 0; n < tokens; n++) {
        if (token[n] < 256) {
            b->literal_count[token[n]]++;
            continue;
        }
        b->literal_count[length_symbol(token[n] >> 16)]++;
        b->distance_count[distance_symbol(token[n] & 0xffff)]++;
    }
}

/* The lengths of both codes as runs: 16 repeats the last one, 17 and 18 are zeros. */
static void find_runs(block *b, uint16_t *run_count)
{
    uint8_t length[LITERALS + DISTANCES];
    const int all = b->literals + b->distances;
    memcpy(length, b->literal.length, (size_t)b->literals);
    memcpy(length + b->literals, b->distance.length, (size_t)b->distances);
    b->sent_count = 0;
    for (int n = 0, same; n < all; n += same) {
        int symbol = length[n], rest = 0;
        for (same = 1; n + same < all && length[n + same] == length[n] && same < 138; same++)
            ;
        if (symbol == 0 && same >= 3) {
            symbol = same < 11 ? 17 : 18;
            rest = same - (same < 11 ? 3 : 11);
        } else if (n > 0 && length[n - 1] == length[n] && same >= 3) {
            same = same > 6 ? 6 : same;
            symbol = 16;
            rest = same - 3;
        } else {
            same = 1;
        }
        run_count[symbol]++;
        b->sent[b->sent_count] = (uint8_t)symbol;
        b->sent_rest[b->sent_count++] = (uint8_t)rest;
    }
}

/* Bits of the table of codes. */
static int make_codes(block *b)
{
    uint16_t run_count[RUNS] = {0};
    make_code(&b->literal, b->literal_count, LITERALS, MOST_BITS);
    make_code(&b->distance, b->distance_count, DISTANCES, MOST_BITS);
    for (b->literals = LITERALS; !b->literal.length[b->literals - 1]; b->literals--)
        ;
    for (b->distances = DISTANCES; b->distances > 1 && !b->distance.length[b->distances - 1];)
        b->distances--;
    find_runs(b, run_count);
    make_code(&b->run, run_count, RUNS, 7);
    for (b->runs = RUNS; !b->run.length[run_order[b->runs - 1]]; b->runs--)
        ;
    int bits = 5 + 5 + 4 + 3 * b->runs;
    for (int n = 0; n < b->sent_count; n++)
        bits += b->run.length[b->sent[n]] + run_rest(b->sent[n]);
    return bits;
}

static int count_bits(const block *b, const code *literal, const code *distance)
{
    int bits = 0;
    for (int s = 0; s < LITERALS; s++)
        bits += b->literal_count[s] * (literal->length[s] + (s > END ? length_rest(s) : 0));
    for (int s = 0; s < DISTANCES; s++)
        bits += b->distance_count[s] * (distance->length[s] + distance_rest(s));
    return bits;
}

static void put_codes(bit_stream *to, const block *b)
{
    put_bits(to, (uint32_t)(b->literals - 257), 5);
    put_bits(to, (uint32_t)(b->distances - 1), 5);
    put_bits(to, (uint32_t)(b->runs - 4), 4);
    for (int n = 0; n < b->runs; n++)
        put_bits(to, b->run.length[run_order[n]], 3);
    for (int n = 0; n < b->sent_count; n++) {
        put_symbol(to, &b->run, b->sent[n]);
        put_bits(to, b->sent_rest[n], run_rest(b->sent[n]));
    }
}

/* Two at a time: with the 31 bits that may wait they are at most 61. */
static void put_literals(bit_stream *stream, const code *c, const uint8_t *from, size_t size)
{
    bit_stream now = *stream, *const to = &now; /* in registers */
    uint32_t both[256];                         /* bits << 8 | how many */
    for (int s = 0; s < 256; s++)
        both[s] = (uint32_t)c->bits[s] << 8 | c->length[s];
    for (size_t n = 0; n + 1 < size; n += 2) {
        const uint32_t first = both[from[n]], second = both[from[n + 1]];
        const uint32_t bits = first >> 8 | second >> 8 << (first & 255);
        put_bits(to, bits, (int)((first & 255) + (second & 255)));
    }
    if (size % 2)
        put_symbol(to, c, from[size - 1]);
    *stream = now;
}

static void put_tokens(bit_stream *stream, const block *b, const uint32_t *token, size_t tokens)
{
    bit_stream now = *stream, *const to = &now; /* in registers */
    for (size_t n = 0; n < tokens; n++) {
        if (token[n] < 256) {
            put_symbol(to, &b->literal, (int)token[n]);
            continue;
        }
        const uint32_t length = token[n] >> 16, distance = token[n] & 0xffff;
        const int symbol = length_symbol(length), place = distance_symbol(distance);
        const int rest = length_rest(symbol), more = distance_rest(place);
        put_symbol(to, &b->literal, symbol);
        put_bits(to, (length - 3) & ((1u << rest) - 1), rest);
        put_symbol(to, &b->distance, place);
        put_bits(to, (distance - 1) & ((1u << more) - 1), more);
    }
    *stream = now;
}

/* Of 1024 bytes the sums stay below 2^28, so that they are divided once for all of them. */
uint32_t vti_adler32(const uint8_t *from, size_t size)
{
    enum { SOME = 1024, PRIME = 65521 };
    uint64_t a = 1, sum = 0;
    for (size_t begin = 0; begin < size; begin += SOME) {
        const uint32_t some = (uint32_t)(size - begin < SOME ? size - begin : SOME);
        uint32_t plain = 0, weighted = 0;
        for (uint32_t i = 0; i < some; i++)
            plain += from[begin + i];
        for (uint32_t i = 0; i < some; i++) {
            const int16_t weight = (int16_t)(some - i), value = from[begin + i];
            weighted += (uint32_t)(weight * value);
        }
        sum = (sum + some * a + weighted) % PRIME;
        a = (a + plain) % PRIME;
    }
    return (uint32_t)sum << 16 | (uint32_t)a;
}

size_t vti_deflate(vt_deflate *work, const uint8_t *from, size_t size, int repeats, uint8_t *to,
                   size_t most)
{
    enum { AROUND = 2 + 4 /* header and check */ };
    block b;
    code literal, distance;
    const size_t tokens = repeats ? find_tokens(work, from, size) : 0;
    memset(b.literal_count, 0, sizeof b.literal_count);
    memset(b.distance_count, 0, sizeof b.distance_count);
    if (repeats)
        count_tokens(&b, work->token, tokens);
    else
        count_literals(&b, from, size);
    b.literal_count[END] = 1;
    const int table = make_codes(&b);
    make_standard_lengths(&literal, &distance);
    const int own = table + count_bits(&b, &b.literal, &b.distance);
    const int standard = count_bits(&b, &literal, &distance), is_own = own < standard;
    if ((size_t)(3 + (is_own ? own : standard) + 7) / 8 + AROUND > most)
        return 0;
    bit_stream stream = {.to = to};
    put_bits(&stream, 0x0178, 16); /* deflate, 32 KiB, fastest: a multiple of 31, high byte first */
    put_bits(&stream, 1, 1);       /* the last block */
    put_bits(&stream, is_own ? 2 : 1, 2);
    if (is_own) {
        put_codes(&stream, &b);
    } else {
        b.literal = literal;
        b.distance = distance;
        number_codes(&b.literal, LITERALS + 2);
        number_codes(&b.distance, DISTANCES);
    }
    if (repeats)
        put_tokens(&stream, &b, work->token, tokens);
    else
        put_literals(&stream, &b.literal, from, size);
    put_symbol(&stream, &b.literal, END);
    put_rest(&stream);
    const uint32_t check = vti_adler32(from, size);
    for (int shift = 24; shift >= 0; shift -= 8)
        *stream.to++ = (uint8_t)(check >> shift);
    return (size_t)(stream.to - to);
}
