#include "volume/deflate.h"

#include <string.h>

#include "volume/prefix_code.h"

enum {
    END = 256,                  /* the symbol that ends a block; lengths come after it */
    LITERALS = VT_MOST_SYMBOLS, /* symbols for bytes, end and lengths */
    DISTANCES = 30,             /* symbols for distances */
    RUNS = 19,                  /* symbols for the lengths of codes */
    LEAST_MATCH = 3,            /* bytes: the least that has a symbol */
    MOST_MATCH = 258,           /* bytes */
    WORD = 4,                   /* bytes */
    PART = 32768,               /* bytes that are looked at together: their counts have 16 bits */
    MOST_STORED = 65535,
    TRIES = 8, /* places that are compared; 4 take a tenth less time, and 1 % more bytes */
    NOTED = 16 /* places of a repeat that later ones may begin at */
};
_Static_assert(PART <= 32768 && (int)PART <= (int)MOST_STORED, "distances, counts, stored blocks");

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

static uint32_t read_word(const uint8_t *at)
{
    uint32_t word;
    memcpy(&word, at, WORD);
    return word;
}

/* How far back the word at `place` comes last, of whole words, or 8 bytes back, as the upper bytes
 * of numbers do that rise slowly; 0: nowhere that is known. */
static size_t find_word(vt_deflate *work, const uint8_t *from, size_t place)
{
    const uint32_t word = read_word(from + place);
    size_t distance = place >= 8 && read_word(from + place - 8) == word ? 8 : 0;
    if (place % WORD == 0) {
        uint16_t *const newest = &work->newest[word * 2654435761u >> 21];
        if (!distance && *newest && read_word(from + *newest - 1) == word)
            distance = place + 1 - *newest;
        *newest = (uint16_t)(place + 1);
    }
    return distance;
}

/* The same of numbers, at most PART bytes of them, as long as there is room for tokens; *done: so
 * many bytes, if it can be whole words, for the next ones begin there. */
static size_t find_word_tokens(vt_deflate *work, const uint8_t *from, size_t size, size_t *done)
{
    enum { ENOUGH = VT_DEFLATE_MOST - 64 };
    size_t tokens = 0, place = 0;
    memset(work->newest, 0, sizeof work->newest);
    while (place < size && tokens < VT_DEFLATE_MOST && (tokens < ENOUGH || place % WORD)) {
        const size_t most = size - place < MOST_MATCH ? size - place : MOST_MATCH;
        const size_t distance = most < WORD ? 0 : find_word(work, from, place);
        size_t same = distance ? WORD : 1;
        while (distance && same < most && from[place + same] == from[place + same - distance])
            same++;
        work->token[tokens++] = distance ? (uint32_t)(same << 16 | distance) : from[place];
        place += same;
    }
    *done = place;
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

/* ---- codes of the standard ---- */

/* Of the codes of the standard, RFC 1951, 3.2.6; they have two symbols more that nobody uses. */
static void make_standard_lengths(vt_prefix_code *literal, vt_prefix_code *distance)
{
    for (int s = 0; s < LITERALS + 2; s++)
        literal->length[s] = s < 144 ? 8 : s < 256 ? 9 : s < 280 ? 7 : 8;
    for (int s = 0; s < DISTANCES; s++)
        distance->length[s] = 5;
}

/* ---- bits ---- */

typedef struct bit_stream {
    uint8_t *to, *end;
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
    b->count = 0;
}

static void put_symbol(bit_stream *b, const vt_prefix_code *c, int symbol)
{
    put_bits(b, c->bits[symbol], c->length[symbol]);
}

/* ---- a block ---- */

/* All that is sent of a block but its tokens. */
typedef struct block {
    uint16_t literal_count[LITERALS], distance_count[DISTANCES];
    vt_prefix_code literal, distance, run;
    int literals, distances, runs;           /* so many codes are sent of each */
    uint8_t sent[LITERALS + DISTANCES];      /* symbols for the lengths of codes: RFC 1951, 3.2.7 */
    uint8_t sent_rest[LITERALS + DISTANCES]; /* bits after each */
    int sent_count;
    int is_own; /* whether the codes are those of the block, not of the standard */
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
    vti_make_code(&b->literal, b->literal_count, LITERALS, VT_MOST_CODE_BITS);
    vti_make_code(&b->distance, b->distance_count, DISTANCES, VT_MOST_CODE_BITS);
    for (b->literals = LITERALS; !b->literal.length[b->literals - 1]; b->literals--)
        ;
    for (b->distances = DISTANCES; b->distances > 1 && !b->distance.length[b->distances - 1];)
        b->distances--;
    find_runs(b, run_count);
    vti_make_code(&b->run, run_count, RUNS, 7);
    for (b->runs = RUNS; !b->run.length[run_order[b->runs - 1]]; b->runs--)
        ;
    int bits = 5 + 5 + 4 + 3 * b->runs;
    for (int n = 0; n < b->sent_count; n++)
        bits += b->run.length[b->sent[n]] + run_rest(b->sent[n]);
    return bits;
}

static int count_bits(const block *b, const vt_prefix_code *literal, const vt_prefix_code *distance)
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

/* ---- many symbols ---- */

/* What of that which waits are whole bytes is done: at most 7 bits wait before 56 more. While there
 * is room for eight bytes all are written, which needs no decision. */
static inline void put_whole_bytes(bit_stream *b)
{
    if (b->end - b->to >= (int64_t)sizeof b->waiting) {
        memcpy(b->to, &b->waiting, sizeof b->waiting);
        b->to += b->count >> 3;
        b->waiting >>= b->count & 56;
        b->count &= 7;
    }
    for (; b->count >= 8; b->count -= 8) {
        *b->to++ = (uint8_t)b->waiting;
        b->waiting >>= 8;
    }
}

/* So many at a time as there is room for behind the 7 bits that may wait: 3, or 4 of codes that
 * have at most 14 bits. Returns how many bytes have been put. */
static inline size_t put_some_literals(bit_stream *stream, const uint32_t both[256],
                                       const uint8_t *from, size_t size, size_t some)
{
    bit_stream now = *stream, *const to = &now; /* in registers */
    size_t n = 0;
    for (; n + some <= size; n += some) {
        for (size_t k = 0; k < some; k++) {
            const uint32_t next = both[from[n + k]];
            to->waiting |= (uint64_t)(next >> 8) << (to->count & 63);
            to->count += (int)(next & 255);
        }
        put_whole_bytes(to);
    }
    *stream = now;
    return n;
}

static void put_literals(bit_stream *stream, const vt_prefix_code *c, const uint8_t *from,
                         size_t size)
{
    uint32_t both[256]; /* bits << 8 | how many */
    int most = 0;
    for (int s = 0; s < 256; s++) {
        both[s] = (uint32_t)c->bits[s] << 8 | c->length[s];
        most = c->length[s] > most ? c->length[s] : most;
    }
    put_whole_bytes(stream);
    size_t n = most > 14 ? put_some_literals(stream, both, from, size, 3)
                         : put_some_literals(stream, both, from, size, 4);
    for (; n < size; n++)
        put_symbol(stream, c, from[n]);
}

/* A length or a distance: the bits of its group, and the rest. */
static inline void add_group(bit_stream *to, const vt_prefix_code *c, int symbol, uint32_t rest,
                             int bits)
{
    const uint64_t more = rest & ((1u << bits) - 1);
    to->waiting |= (c->bits[symbol] | more << c->length[symbol]) << to->count;
    to->count += c->length[symbol] + bits;
}

static void put_tokens(bit_stream *stream, const block *b, const uint32_t *token, size_t tokens)
{
    bit_stream now = *stream, *const to = &now; /* in registers */
    put_whole_bytes(to);
    for (size_t n = 0; n < tokens; n++) {
        const uint32_t length = token[n] >> 16, distance = token[n] & 0xffff;
        const int symbol = length ? length_symbol(length) : (int)distance;
        add_group(to, &b->literal, symbol, length - 3, length ? length_rest(symbol) : 0);
        if (length) {
            const int place = distance_symbol(distance);
            add_group(to, &b->distance, place, distance - 1, distance_rest(place));
        }
        put_whole_bytes(to);
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

/* Counts the tokens, or where there are none the bytes, and chooses the codes; returns the bits
 * that the block takes. */
static size_t plan_block(block *b, const uint32_t *token, size_t tokens, const uint8_t *from,
                         size_t size)
{
    vt_prefix_code literal, distance;
    memset(b->literal_count, 0, sizeof b->literal_count);
    memset(b->distance_count, 0, sizeof b->distance_count);
    if (token)
        count_tokens(b, token, tokens);
    else
        count_literals(b, from, size);
    b->literal_count[END] = 1;
    const int table = make_codes(b);
    make_standard_lengths(&literal, &distance);
    const int own = table + count_bits(b, &b->literal, &b->distance);
    const int standard = count_bits(b, &literal, &distance);
    b->is_own = own < standard;
    if (!b->is_own) {
        b->literal = literal;
        b->distance = distance;
        vti_number_codes(&b->literal, LITERALS + 2);
        vti_number_codes(&b->distance, DISTANCES);
    }
    return 3 + (size_t)(b->is_own ? own : standard);
}

static void put_block(bit_stream *stream, const block *b, int is_last, const uint32_t *token,
                      size_t tokens, const uint8_t *from, size_t size)
{
    put_bits(stream, (uint32_t)is_last, 1);
    put_bits(stream, b->is_own ? 2 : 1, 2);
    if (b->is_own)
        put_codes(stream, b);
    if (token)
        put_tokens(stream, b, token, tokens);
    else
        put_literals(stream, &b->literal, from, size);
    put_symbol(stream, &b->literal, END);
}

size_t vti_deflate(vt_deflate *work, const uint8_t *from, size_t size, uint8_t *to, size_t most)
{
    enum { AROUND = 2 + 4 /* header and check */ };
    block b;
    const uint32_t *const token = work->token;
    const size_t tokens = find_tokens(work, from, size);
    if ((plan_block(&b, token, tokens, from, size) + 7) / 8 + AROUND > most)
        return 0;
    bit_stream stream = {.to = to, .end = to + most};
    put_bits(&stream, 0x0178, 16); /* deflate, 32 KiB, fastest: a multiple of 31, high byte first */
    put_block(&stream, &b, 1, token, tokens, from, size);
    put_rest(&stream);
    const uint32_t check = vti_adler32(from, size);
    for (int shift = 24; shift >= 0; shift -= 8)
        *stream.to++ = (uint8_t)(check >> shift);
    return (size_t)(stream.to - to);
}

/* ---- long streams ---- */

/* Plain bytes, from a whole byte on. */
static void put_stored(bit_stream *stream, const uint8_t *from, size_t size)
{
    put_bits(stream, 0, 3);
    put_rest(stream);
    put_bits(stream, (uint32_t)(size | (size ^ MOST_STORED) << 16), 32);
    put_rest(stream);
    if (size)
        memcpy(stream->to, from, size);
    stream->to += size;
}

static void put_or_store(bit_stream *stream, vt_deflate *work, size_t tokens, const uint8_t *from,
                         size_t size)
{
    block b;
    const uint32_t *const token = tokens ? work->token : NULL;
    if (plan_block(&b, token, tokens, from, size) < 7 * size) /* bits: an eighth less */
        put_block(stream, &b, 0, token, tokens, from, size);
    else
        put_stored(stream, from, size);
}

/* Whether repeats, which take longer, save a tenth, by pieces of the bytes. */
static int repeats_pay(vt_deflate *work, const uint8_t *from, size_t size)
{
    enum { PIECES = 4, PIECE = VT_DEFLATE_MOST / PIECES };
    uint8_t pieces[VT_DEFLATE_MOST];
    size_t some = size;
    block b;
    if (size > sizeof pieces) {
        for (size_t k = 0; k < PIECES; k++) /* from words on */
            memcpy(pieces + k * PIECE, from + k * (size - PIECE) / (PIECES - 1) / 8 * 8, PIECE);
        some = sizeof pieces;
        from = pieces;
    }
    const size_t tokens = find_word_tokens(work, from, some, &some);
    const size_t with = plan_block(&b, work->token, tokens, from, some);
    return 10 * with < 9 * plan_block(&b, NULL, 0, from, some);
}

size_t vti_deflate_room(size_t size)
{
    enum { HEADER = 3 + 2 + 2, LEAST_PART = VT_DEFLATE_MOST };
    return size + HEADER * (size / LEAST_PART + 3);
}

size_t vti_deflate_part(vt_deflate *work, const uint8_t *from, size_t size, uint8_t *to)
{
    bit_stream stream = {.to = to, .end = to + vti_deflate_room(size)};
    const int repeats = size > 0 && repeats_pay(work, from, size);
    for (size_t begin = 0, done; begin < size; begin += done) {
        done = size - begin < PART ? size - begin : PART;
        const size_t tokens = repeats ? find_word_tokens(work, from + begin, done, &done) : 0;
        put_or_store(&stream, work, tokens, from + begin, done);
    }
    put_stored(&stream, from, 0);
    return (size_t)(stream.to - to);
}
