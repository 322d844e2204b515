#include "archive/byte_planes.h"

#include <string.h>

#include "archive/inflate.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "volume/deflate.h"

_Static_assert((int)VT_PLANE <= (int)VT_DEFLATE_MOST, "a plane is packed at once");

enum {
    MOST_CHUNK = 2 + VT_MOST_PLANES * (2 + VT_PLANE),
    AT_ONCE = 64 /* chunks */,
    SAMPLE = 512,
    ALIKE = 65535
};

/* Bytes of the numbers by their weight, each less the one before where delta is 1. */
#define VT_SPLIT(type, name)                                                                       \
    static void name(const uint8_t *from, int64_t count, int delta, uint8_t *restrict planes)      \
    {                                                                                              \
        enum { ITEM = sizeof(type), SOME = 512 };                                                  \
        type number[1 + SOME] = {0};                                                               \
        for (int64_t begin = 0; begin < count; begin += SOME) {                                    \
            const int64_t some = count - begin < SOME ? count - begin : SOME;                      \
            memcpy(number + 1, from + begin * ITEM, (size_t)some * ITEM);                          \
            for (int b = 0; b < ITEM; b++)                                                         \
                for (int64_t n = 0; n < some; n++)                                                 \
                    planes[b * count + begin + n] =                                                \
                        (uint8_t)((type)(number[n + 1] - (delta ? number[n] : 0)) >> 8 * b);       \
            number[0] = number[some];                                                              \
        }                                                                                          \
    }
VT_SPLIT(uint32_t, split_words)
VT_SPLIT(uint64_t, split_long_words)
#undef VT_SPLIT

static void split(const uint8_t *from, int64_t count, int item, int delta, uint8_t *planes)
{
    if (item == 4)
        split_words(from, count, delta, planes);
    else if (item == 8)
        split_long_words(from, count, delta, planes);
    else
        memcpy(planes, from, (size_t)count); /* of bytes there is one plane, and no difference */
}

/* Sum of the squares of how often each byte comes: count^2 / 256 + count of noise, about. */
static int64_t sameness(const uint8_t *plane, int64_t count)
{
    uint32_t often[256] = {0};
    int64_t sum = count; /* (n + 1)^2 - n^2 = 2 n + 1 */
    for (int64_t n = 0; n < count; n++)
        sum += 2 * (int64_t)often[plane[n]]++;
    return sum;
}

/* What a plane looks like: not to be packed at all, byte by byte, or with its repeats. */
enum { NOISE, ALONE, REPEATS };

/* What planes of `some` numbers look like; the sum of their sameness. */
static int64_t look_at(const uint8_t *planes, int64_t some, int item, int looks[VT_MOST_PLANES])
{
    int64_t sum = 0;
    for (int b = 0; b < item; b++) {
        const int64_t same = sameness(planes + b * some, some);
        looks[b] = same > some * some / 8 * 7              ? REPEATS
                   : same > 3 * (some * some / 256 + some) ? ALONE
                                                           : NOISE;
        sum += same;
    }
    return sum;
}

/* Whether differences of the numbers are more alike than these, and what the planes look like, by
 * the first of them. */
static int look_ahead(const uint8_t *from, int64_t count, int item, int looks[VT_MOST_PLANES])
{
    uint8_t planes[VT_MOST_PLANES * SAMPLE];
    int seen[2][VT_MOST_PLANES];
    int64_t sum[2];
    const int64_t some = count < SAMPLE ? count : SAMPLE;
    for (int delta = 0; delta < 2; delta++) {
        split(from, some, item, delta, planes);
        sum[delta] = look_at(planes, some, item, seen[delta]);
    }
    const int delta = item > 1 && sum[1] > sum[0];
    memcpy(looks, seen[delta], sizeof seen[delta]);
    return delta;
}

typedef struct packing {
    const uint8_t *from;
    const vt_packed_rows *about; /* NULL: plain numbers */
    int64_t count, first;        /* numbers in all, or rows; number of the first chunk */
    int item;
    uint8_t *to;  /* AT_ONCE x MOST_CHUNK */
    size_t *size; /* of each chunk, packed */
    vt_deflate *work;
    uint8_t *planes; /* of each thread: VT_MOST_PLANES x VT_PLANE */
} packing;

/* A plane as its size and bytes; returns where the next one goes. */
static uint8_t *put_plane(vt_deflate *work, const uint8_t *plane, int64_t count, int looks,
                          uint8_t *to)
{
    size_t size = 0;
    if (memcmp(plane, plane + 1, (size_t)count - 1) == 0) {
        memcpy(to, (const uint8_t[]){ALIKE & 255, ALIKE >> 8, plane[0]}, 3);
        return to + 3;
    }
    if (looks != NOISE)
        size = vti_deflate(work, plane, (size_t)count, looks == REPEATS, to + 2, (size_t)count - 1);
    to[0] = (uint8_t)size;
    to[1] = (uint8_t)(size >> 8);
    if (size == 0)
        memcpy(to + 2, plane, (size_t)count);
    return to + 2 + (size ? size : (size_t)count);
}

/* ---- rows ---- */

static int64_t int64_at(const uint8_t *numbers, int64_t row)
{
    int64_t value;
    memcpy(&value, numbers + 8 * row, sizeof value);
    return value;
}

/* Rows + 1 of all numbers from the least on: 0 where there is none. */
static int fill_table(const uint8_t *numbers, int64_t rows, int64_t least, uint32_t *table)
{
    for (int64_t n = 0; n < rows; n++) {
        uint32_t *const place = &table[int64_at(numbers, n) - least];
        if (*place)
            return -1;
        *place = (uint32_t)n + 1;
    }
    return 0;
}

uint32_t *vti_order_rows(const uint8_t *numbers, int64_t rows, int *failed)
{
    int64_t least = INT64_MAX, most = INT64_MIN;
    for (int64_t n = 0; n < rows; n++) {
        const int64_t value = int64_at(numbers, n);
        least = value < least ? value : least;
        most = value > most ? value : most;
    }
    if (rows == 0 || (uint64_t)most - (uint64_t)least >= VT_MOST_APART * (uint64_t)rows)
        return NULL;
    const size_t range = (size_t)((uint64_t)most - (uint64_t)least) + 1;
    uint32_t *const table = vti_allocate_zeroed(range, sizeof *table);
    if (!table)
        *failed = 1;
    if (!table || fill_table(numbers, rows, least, table)) {
        vti_free(table);
        return NULL;
    }
    size_t count = 0;
    for (size_t n = 0; n < range; n++)
        if (table[n])
            table[count++] = table[n] - 1;
    return table;
}

/* The numbers of a chunk, those of the other field, and the words that are made of them. */
typedef struct row_room {
    uint32_t numbers[VT_PLANE], others[VT_PLANE], words[VT_PLANE];
} row_room;

/* SAMPLE words of a chunk, in stretches all over it: where one kind ends another begins. Returns
 * how many. */
static int64_t take_sample(const row_room *room, const vt_chunk *chunk, uint32_t *words)
{
    enum { STRETCH = SAMPLE / 8 };
    if (chunk->count <= SAMPLE) {
        vti_take_words(room->numbers, room->others, chunk->count, chunk->way, chunk->digits, words);
        return chunk->count;
    }
    for (int k = 0; k < 8; k++) {
        const int64_t first = k * (chunk->count - STRETCH) / 7;
        vti_take_words(room->numbers + first, room->others + first, STRETCH, chunk->way,
                       chunk->digits, words + k * STRETCH);
    }
    return SAMPLE;
}

/* Chooses the way in which a sample of the numbers is most alike; what the planes then look like.
 */
static void choose_way(const row_room *room, int has_others, vt_chunk *chunk,
                       int looks[VT_MOST_PLANES])
{
    uint32_t words[SAMPLE];
    uint8_t planes[4 * SAMPLE];
    int64_t most = -1;
    int best = VT_AS_THEY_ARE;
    chunk->digits = vti_find_digits(room->numbers, chunk->count);
    for (chunk->way = 0; chunk->way <= VT_ON_A_LATTICE_BESIDE_ANOTHER; chunk->way++) {
        int seen[VT_MOST_PLANES];
        if ((vti_is_beside_another(chunk->way) && !has_others) ||
            (vti_is_on_lattice(chunk->way) && chunk->digits < 0))
            continue;
        const int64_t some = take_sample(room, chunk, words);
        split((const uint8_t *)words, some, 4, 0, planes);
        const int64_t sum = look_at(planes, some, 4, seen);
        if (sum <= most)
            continue;
        most = sum;
        best = chunk->way;
        memcpy(looks, seen, 4 * sizeof *looks);
    }
    chunk->way = best;
}

static void pack_row_chunks(void *data, int64_t begin, int64_t end, int thread)
{
    const packing *const p = data;
    const int64_t each = (p->count + VT_PLANE - 1) / VT_PLANE;
    uint8_t *const planes = p->planes + (size_t)thread * VT_MOST_PLANES * VT_PLANE;
    for (int64_t c = begin; c < end; c++) {
        row_room room;
        vt_chunk chunk = {.component = (int)((p->first + c) / each),
                          .first = (p->first + c) % each * VT_PLANE};
        const int64_t count = p->count - chunk.first < VT_PLANE ? p->count - chunk.first : VT_PLANE;
        chunk.count = count;
        int looks[VT_MOST_PLANES];
        uint8_t *const to = p->to + c * MOST_CHUNK, *at = to + 1;
        vti_gather_numbers(p->from, p->about, &chunk, room.numbers);
        if (p->about->reference)
            vti_gather_others(p->about, &chunk, room.others);
        choose_way(&room, p->about->reference != NULL, &chunk, looks);
        to[0] = (uint8_t)chunk.way;
        if (vti_is_on_lattice(chunk.way))
            *at++ = (uint8_t)chunk.digits;
        vti_take_words(room.numbers, room.others, count, chunk.way, chunk.digits, room.words);
        split((const uint8_t *)room.words, count, 4, 0, planes);
        for (int b = 0; b < 4; b++)
            at = put_plane(&p->work[thread], planes + b * count, count, looks[b], at);
        p->size[c] = (size_t)(at - to);
    }
}

/* ---- packing ---- */

static void pack_chunks(void *data, int64_t begin, int64_t end, int thread)
{
    const packing *const p = data;
    uint8_t *const planes = p->planes + (size_t)thread * VT_MOST_PLANES * VT_PLANE;
    for (int64_t c = begin; c < end; c++) {
        const int64_t first = (p->first + c) * VT_PLANE;
        const int64_t count = p->count - first < VT_PLANE ? p->count - first : VT_PLANE;
        const uint8_t *const from = p->from + first * p->item;
        int looks[VT_MOST_PLANES];
        uint8_t *const to = p->to + c * MOST_CHUNK, *at = to + 1;
        to[0] = (uint8_t)look_ahead(from, count, p->item, looks);
        split(from, count, p->item, to[0], planes);
        for (int b = 0; b < p->item; b++)
            at = put_plane(&p->work[thread], planes + b * count, count, looks[b], at);
        p->size[c] = (size_t)(at - to);
    }
}

/* Appends `chunks` chunks, some at a time. */
static void put_chunks(packing *p, int64_t chunks, vt_numbered_function *pack, int threads,
                       vt_bytes *to)
{
    const size_t each = sizeof(vt_deflate) + VT_MOST_PLANES * VT_PLANE;
    size_t size[AT_ONCE];
    p->size = size;
    p->to = vti_allocate((size_t)(chunks < AT_ONCE ? chunks : AT_ONCE) * MOST_CHUNK + 1);
    p->work = vti_allocate((size_t)threads * each);
    p->planes = (uint8_t *)(p->work + threads);
    to->failed |= !p->to || !p->work;
    for (; p->first < chunks && !to->failed; p->first += AT_ONCE) {
        const int64_t now = chunks - p->first < AT_ONCE ? chunks - p->first : AT_ONCE;
        vti_parallel_for_numbered(threads, now, 1, pack, p);
        for (int64_t c = 0; c < now; c++)
            vti_put(to, p->to + c * MOST_CHUNK, size[c]);
    }
    vti_free(p->to);
    vti_free(p->work);
}

void vti_pack_planes(const void *from, int64_t count, int item, int threads, vt_bytes *to)
{
    packing p = {.from = from, .count = count, .item = item};
    put_chunks(&p, (count + VT_PLANE - 1) / VT_PLANE, pack_chunks, threads, to);
}

void vti_pack_rows(const void *from, const vt_packed_rows *about, int threads, vt_bytes *to)
{
    packing p = {.from = from, .about = about, .count = about->rows, .item = 4};
    const int64_t each = (about->rows + VT_PLANE - 1) / VT_PLANE;
    put_chunks(&p, each * about->components, pack_row_chunks, threads, to);
}

/* ---- unpacking ---- */

enum { MOST_WAYS = 1 + VT_ON_A_LATTICE_BESIDE_ANOTHER };

/* Where the chunk that begins at `at` ends, in one of the ways of which bits are set; 0: not within
 * the bytes. */
static size_t end_of_chunk(const uint8_t *from, size_t size, size_t at, int64_t count, int item,
                           int ways)
{
    if (at >= size || from[at] >= MOST_WAYS || !(ways >> from[at] & 1))
        return 0;
    if (vti_is_on_lattice(from[at++]) && (at >= size || from[at++] > VT_MOST_DIGITS))
        return 0;
    for (int b = 0; b < item; b++) {
        if (size - at < 2)
            return 0;
        const size_t packed = (size_t)(from[at] | from[at + 1] << 8);
        at += 2;
        const size_t bytes = packed == ALIKE ? 1 : packed ? packed : (size_t)count;
        if (bytes > size - at)
            return 0;
        at += bytes;
    }
    return at;
}

typedef struct unpacking {
    const uint8_t *from;
    const size_t *start;         /* of each chunk */
    const vt_packed_rows *about; /* NULL: plain numbers */
    int64_t count;               /* numbers in all, or rows */
    int item;
    uint8_t *to;
    uint8_t *failed; /* of each chunk */
} unpacking;

#define VT_JOIN(type, name)                                                                        \
    static void name(const uint8_t *restrict planes, int64_t count, int delta, uint8_t *to)        \
    {                                                                                              \
        enum { ITEM = sizeof(type) };                                                              \
        type before = 0;                                                                           \
        for (int64_t n = 0; n < count; n++) {                                                      \
            type value = 0;                                                                        \
            for (int b = 0; b < ITEM; b++)                                                         \
                value |= (type)planes[b * count + n] << 8 * b;                                     \
            before = (type)(delta ? before + value : value);                                       \
            memcpy(to + n * ITEM, &before, ITEM);                                                  \
        }                                                                                          \
    }
VT_JOIN(uint8_t, join_bytes)
VT_JOIN(uint32_t, join_words)
VT_JOIN(uint64_t, join_long_words)
#undef VT_JOIN

/* The planes behind the first byte of a chunk. */
static int unpack_planes(const uint8_t *from, int64_t count, int item, uint8_t *planes)
{
    for (int b = 0; b < item; b++) {
        uint8_t *const plane = planes + b * count;
        const size_t packed = (size_t)(from[0] | from[1] << 8);
        from += 2;
        if (packed == ALIKE)
            memset(plane, *from, (size_t)count);
        else if (packed == 0)
            memcpy(plane, from, (size_t)count);
        else if (vti_inflate(from, packed, plane, (size_t)count))
            return -1;
        from += packed == ALIKE ? 1 : packed ? packed : (size_t)count;
    }
    return 0;
}

static int unpack_chunk(const uint8_t *from, int64_t count, int item, uint8_t *planes, uint8_t *to)
{
    const int delta = from[0];
    if (unpack_planes(from + 1, count, item, planes))
        return -1;
    if (item == 1)
        join_bytes(planes, count, delta, to);
    else if (item == 4)
        join_words(planes, count, delta, to);
    else
        join_long_words(planes, count, delta, to);
    return 0;
}

static void unpack_row_chunks(void *data, int64_t begin, int64_t end)
{
    const unpacking *const u = data;
    const int64_t each = (u->count + VT_PLANE - 1) / VT_PLANE;
    uint8_t planes[4 * VT_PLANE];
    uint32_t words[VT_PLANE], room[VT_PLANE];
    for (int64_t c = begin; c < end; c++) {
        const uint8_t *from = u->from + u->start[c];
        vt_chunk chunk = {.component = (int)(c / each), .first = c % each * VT_PLANE};
        chunk.count = u->count - chunk.first < VT_PLANE ? u->count - chunk.first : VT_PLANE;
        chunk.way = *from++;
        if (vti_is_on_lattice(chunk.way))
            chunk.digits = *from++;
        u->failed[c] = unpack_planes(from, chunk.count, 4, planes) != 0;
        if (u->failed[c])
            continue;
        join_words(planes, chunk.count, 0, (uint8_t *)words);
        vti_restore_words(words, u->about, &chunk, room, u->to);
    }
}

static void unpack_chunks(void *data, int64_t begin, int64_t end)
{
    const unpacking *const u = data;
    uint8_t planes[VT_MOST_PLANES * VT_PLANE];
    for (int64_t c = begin; c < end; c++) {
        const int64_t first = c * VT_PLANE;
        const int64_t count = u->count - first < VT_PLANE ? u->count - first : VT_PLANE;
        u->failed[c] = unpack_chunk(u->from + u->start[c], count, u->item, planes,
                                    u->to + first * u->item) != 0;
    }
}

static vt_status unpack_all(unpacking *u, size_t size, int components, int ways,
                            vt_block_function *unpack, int threads)
{
    const int64_t each = (u->count + VT_PLANE - 1) / VT_PLANE, chunks = each * components;
    size_t *const start = vti_allocate((sizeof *start + 1) * (size_t)chunks + 1);
    size_t at = 0;
    int64_t c = 0;
    if (!start)
        return VT_OUT_OF_MEMORY;
    for (; c < chunks; c++) {
        const int64_t left = u->count - c % each * VT_PLANE;
        start[c] = at;
        at = end_of_chunk(u->from, size, at, left < VT_PLANE ? left : VT_PLANE, u->item, ways);
        if (at == 0)
            break;
    }
    int failed = c < chunks || at != size;
    if (!failed) {
        u->start = start;
        u->failed = (uint8_t *)(start + chunks);
        vti_parallel_for(threads, chunks, 1, unpack, u);
        for (c = 0; c < chunks; c++)
            failed |= u->failed[c];
    }
    vti_free(start);
    return failed ? VT_INVALID_ARGUMENT : VT_OK;
}

vt_status vti_unpack_planes(const uint8_t *from, size_t size, int64_t count, int item, int threads,
                            void *to)
{
    unpacking u = {.from = from, .count = count, .item = item, .to = to};
    return unpack_all(&u, size, 1, 1 << 0 | 1 << 1, unpack_chunks, threads);
}

vt_status vti_unpack_rows(const uint8_t *from, size_t size, const vt_packed_rows *about,
                          int threads, void *to)
{
    unpacking u = {.from = from, .about = about, .count = about->rows, .item = 4, .to = to};
    int ways = 0;
    for (int way = 0; way < MOST_WAYS; way++)
        ways |= (about->reference || !vti_is_beside_another(way)) << way;
    return unpack_all(&u, size, about->components, ways, unpack_row_chunks, threads);
}
