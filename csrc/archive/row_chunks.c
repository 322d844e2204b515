#include "archive/row_chunks.h"

#include <string.h>

#include "archive/byte_planes.h"
#include "base/little_endian.h"
#include "base/memory.h"
#include "kernels/dispatch.h"

_Static_assert((int)VT_MOST_ROWS == (int)VT_PLANE && (int)VT_RICE_MOST == (int)VT_PLANE,
               "a chunk of rows is one of words");

enum { SAMPLE = 256, STRAY = 6 /* bytes */ };

_Static_assert(2 + 2 + STRAY * (int)VT_MOST_STRAYS + 1 + (int)VT_RICE_ROOM <= (int)VT_MOST_CHUNK,
               "there is room for a chunk of strays and large words");

/* How words are stored: bits of the first byte of a chunk. */
enum { IN_PLANES = 0, IN_RICE = 64, IN_CLASSES = 128, OF_WAY = 63 };

/* ---- the order of rows ---- */

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

/* ---- packing ---- */

/* The numbers of a chunk, those of the other field, and the words that are made of them. */
typedef struct row_room {
    uint32_t numbers[VT_PLANE], others[VT_PLANE], words[VT_PLANE];
    vt_strays strays;
} row_room;

/* SAMPLE words of a chunk, in stretches all over it: where one kind ends another begins. Returns
 * how many. */
static int64_t take_sample(const row_room *room, const vt_chunk *chunk, uint32_t *words)
{
    enum { STRETCH = SAMPLE / 8 };
    if (chunk->count <= SAMPLE) {
        vti_stages()->take_words(room->numbers, room->others, 0, chunk->count, chunk->way,
                                 chunk->digits, &room->strays, words);
        return chunk->count;
    }
    for (int k = 0; k < 8; k++)
        vti_stages()->take_words(room->numbers, room->others, k * (chunk->count - STRETCH) / 7,
                                 STRETCH, chunk->way, chunk->digits, &room->strays,
                                 words + k * STRETCH);
    return SAMPLE;
}

/* Differences of bits hardly are the best where few digits are enough. */
static int may_be_bits(int digits)
{
    enum { FEW = 24 };
    return digits < 0 || digits > FEW;
}

/* Whether a way may be the best. */
static int may_serve(int way, int has_others, int digits)
{
    if (vti_is_beside_another(way) && !has_others)
        return 0;
    if (vti_is_on_lattice(way))
        return digits >= 0;
    return way == VT_AS_THEY_ARE || may_be_bits(digits) || way == VT_LESS_ANOTHER_FIELD;
}

/* How the words of a chunk are stored, and about how many bits they take, in 256ths. */
typedef struct storage {
    int kind;                  /* IN_... */
    int low;                   /* of Rice's code: the lowest bits that it takes as they are */
    int looks[VT_MOST_PLANES]; /* of planes */
    int64_t bits;
} storage;

enum { BYTE = 8 * 256 /* of those */ };

/* Some of the words of a chunk, and how many it has. */
typedef struct sample {
    uint32_t words[SAMPLE];
    int64_t some, count;
} sample;

static void sample_way(const row_room *room, vt_chunk *chunk, int way, const int digits[2],
                       sample *sample)
{
    chunk->way = way;
    chunk->digits = digits[vti_is_on_lattice(way)];
    sample->some = take_sample(room, chunk, sample->words);
    sample->count = chunk->count;
}

/* The way in which classes take least, of so many bits of the sample; *plain: of numbers as they
 * are. */
static int find_way(const row_room *room, int has_others, vt_chunk *chunk, const int digits[2],
                    int64_t *least, int64_t *plain)
{
    sample sample;
    int best = VT_AS_THEY_ARE;
    *least = INT64_MAX;
    for (int way = 0; way < VT_MOST_WAYS; way++) {
        if (!may_serve(way, has_others, digits[1]))
            continue;
        sample_way(room, chunk, way, digits, &sample);
        const int64_t bits = vti_guess_class_bits(sample.words, sample.some);
        if (way == VT_AS_THEY_ARE)
            *plain = bits;
        if (bits < *least)
            best = way;
        *least = bits < *least ? bits : *least;
    }
    return best;
}

/* In classes, of so many bits of the sample, or in Rice's code, which is packed in a third of the
 * time: then it may take a 32nd more. */
static storage choose_code(const sample *sample, int64_t in_classes)
{
    enum { CODE = 32 /* bytes of the code, and of sizes, about */ };
    const int64_t count = sample->count;
    storage found = {.kind = IN_CLASSES, .bits = in_classes * count / sample->some + CODE * BYTE};
    const int64_t guess = vti_stages()->guess_rice(sample->words, sample->some, &found.low);
    const int64_t above = guess * count / sample->some - count * found.low;
    const size_t low = VT_RICE_HEAD + vti_rice_low_bytes(count, found.low);
    const int64_t in_rice = 256 * above + BYTE * (int64_t)low;
    if (in_rice < found.bits + found.bits / 32) {
        found.kind = IN_RICE;
        found.bits = in_rice < found.bits ? in_rice : found.bits;
    }
    return found;
}

static storage look_at_planes(const sample *sample)
{
    enum { CODE = 100 /* bytes of the code of a plane, about */ };
    uint8_t planes[4 * SAMPLE];
    storage found = {.kind = IN_PLANES};
    vti_split_into_planes(sample->words, sample->some, planes);
    found.bits = vti_look_at(planes, sample->some, 4, found.looks) * sample->count / sample->some;
    for (int b = 0; b < 4; b++)
        found.bits += found.looks[b] == VT_ALONE ? CODE * BYTE : 0;
    return found;
}

/* Whether planes may be better: not where the lowest byte of multiples is noise. */
static int may_be_planes(int way, const storage *code, const storage *planes)
{
    const int noise = vti_is_on_lattice(way) && planes->looks[0] == VT_NOISE;
    return !noise && planes->bits <= code->bits;
}

/* Chooses the way in which a sample of the numbers takes least, in classes, in Rice's code or in
 * planes, or planes of numbers as they are, unless classes take half of these. */
static storage choose_way(row_room *room, int has_others, int may_be_multiples, vt_chunk *chunk)
{
    sample sample;
    int64_t least, plain = 0;
    int digits[2] = {0, -1};
    if (may_be_multiples)
        digits[1] = vti_stages()->find_digits(room->numbers, chunk->count, &room->strays);
    if (has_others || may_be_bits(digits[1]))
        digits[0] = vti_stages()->find_zeros(room->numbers, chunk->count);
    int best = find_way(room, has_others, chunk, digits, &least, &plain);
    sample_way(room, chunk, best, digits, &sample);
    storage found = choose_code(&sample, least);
    /* not where the lowest byte is noise; what is less a foretold number has few classes */
    if ((may_be_multiples || best != VT_LESS_ANOTHER_FIELD) &&
        (found.kind != IN_RICE || found.low < 8)) {
        const storage planes = look_at_planes(&sample);
        if (may_be_planes(best, &found, &planes))
            found = planes;
    }
    if (best != VT_AS_THEY_ARE && 2 * least > plain) {
        sample_way(room, chunk, VT_AS_THEY_ARE, digits, &sample);
        const storage planes = look_at_planes(&sample);
        if (may_be_planes(VT_AS_THEY_ARE, &found, &planes)) {
            best = VT_AS_THEY_ARE;
            found = planes;
        }
    }
    chunk->way = best;
    chunk->digits = digits[vti_is_on_lattice(best)];
    return found;
}

static uint8_t *put_strays(const vt_strays *strays, uint8_t *to)
{
    vti_write_two(to, (uint16_t)strays->count);
    to += 2;
    for (int32_t k = 0; k < strays->count; k++) {
        vti_write_two(to, strays->place[k]);
        to += 2;
        for (int b = 0; b < 4; b++)
            *to++ = (uint8_t)(strays->bits[k] >> 8 * b);
    }
    return to;
}

/* A chunk of nothing but one number. */
static size_t put_one_number(uint32_t number, uint8_t *to)
{
    uint8_t *at = to;
    *at++ = VT_AS_THEY_ARE;
    for (int b = 0; b < 4; b++)
        at = vti_put_equal_bytes((uint8_t)(number >> 8 * b), at);
    return (size_t)(at - to);
}

/* The words of a chunk as they are best stored; 0: Rice's code does not serve. */
static uint8_t *put_stored(const vt_packing *p, int thread, const uint32_t *words, int64_t count,
                           const storage *how, uint8_t *to)
{
    if (how->kind == IN_CLASSES)
        return vti_put_words(words, count, to);
    if (how->kind == IN_RICE) {
        *to++ = (uint8_t)how->low;
        const size_t size = vti_stages()->put_rice(words, count, how->low, to);
        return size ? to + size : NULL;
    }
    uint8_t *const planes = vti_planes_of_thread(p, thread);
    vti_split_into_planes(words, count, planes);
    for (int b = 0; b < 4; b++)
        to = vti_put_plane(&p->packer->work[thread], planes + b * count, count, how->looks[b], to);
    return to;
}

/* Returns how many bytes it took. */
static size_t pack_chunk(const vt_packing *p, const vt_packed_rows *about, vt_chunk *chunk,
                         int thread, uint8_t *to)
{
    row_room room;
    uint8_t *at = to + 1, *end;
    if (about->alike) {
        memcpy(room.numbers, p->from + 4 * chunk->component, sizeof *room.numbers);
        return put_one_number(room.numbers[0], to);
    }
    vti_stages()->gather_rows(p->from, about->components, about, chunk, room.numbers);
    if (vti_are_alike(room.numbers, sizeof *room.numbers, chunk->count))
        return put_one_number(room.numbers[0], to);
    if (about->reference)
        vti_stages()->gather_rows(about->reference, about->reference_components, about, chunk,
                                  room.others);
    storage how = choose_way(&room, about->reference != NULL, p->may_be_multiples, chunk);
    if (chunk->way != VT_AS_THEY_ARE)
        *at++ = (uint8_t)chunk->digits;
    if (vti_is_on_lattice(chunk->way))
        at = put_strays(&room.strays, at);
    vti_stages()->take_words(room.numbers, room.others, 0, chunk->count, chunk->way, chunk->digits,
                             &room.strays, room.words);
    while (!(end = put_stored(p, thread, room.words, chunk->count, &how, at)))
        how.kind = IN_CLASSES;
    to[0] = (uint8_t)(chunk->way + how.kind);
    return (size_t)(end - to);
}

/* Where chunk c of the rows lies: of some rows all components, then of the next. */
static vt_chunk find_chunk(const vt_packed_rows *about, int64_t c)
{
    vt_chunk chunk = {.component = (int)(c % about->components),
                      .first = c / about->components * VT_PLANE};
    const int64_t left = about->rows - chunk.first;
    chunk.count = left < VT_PLANE ? left : VT_PLANE;
    return chunk;
}

static void pack_chunks(void *data, int64_t begin, int64_t end, int thread)
{
    const vt_packing *const p = data;
    for (int64_t c = begin; c < end; c++) {
        vt_chunk chunk = find_chunk(p->about, p->first + c);
        p->packer->size[c] = pack_chunk(p, p->about, &chunk, thread, vti_room_of_chunk(p, c));
    }
}

void vti_pack_rows(const vt_packer *packer, const void *from, const vt_packed_rows *about,
                   int may_be_multiples, vt_bytes *to)
{
    vt_packing p = {.from = from,
                    .about = about,
                    .may_be_multiples = may_be_multiples,
                    .count = about->rows,
                    .item = 4,
                    .packer = packer};
    const int64_t each = (about->rows + VT_PLANE - 1) / VT_PLANE;
    vti_put_chunks(&p, each * about->components, pack_chunks, to);
}

/* ---- unpacking ---- */

static size_t end_of_chunk(const vt_unpacking *u, size_t size, size_t at, int64_t count)
{
    const vt_packed_rows *const about = u->about;
    if (at >= size)
        return 0;
    const int way = u->from[at] & OF_WAY, stored = u->from[at] & ~OF_WAY;
    at++;
    if (way >= VT_MOST_WAYS || stored > IN_CLASSES ||
        (vti_is_beside_another(way) && !about->reference))
        return 0;
    if (way != VT_AS_THEY_ARE &&
        (at >= size || u->from[at++] > (vti_is_on_lattice(way) ? VT_MOST_DIGITS : VT_MOST_ZEROS)))
        return 0;
    if (vti_is_on_lattice(way)) {
        if (size - at < 2)
            return 0;
        const size_t strays = vti_read_two(u->from + at);
        at += 2;
        if (strays > VT_MOST_STRAYS || STRAY * strays > size - at)
            return 0;
        at += STRAY * strays;
    }
    if (stored == IN_RICE)
        return at >= size || u->from[at] > VT_MOST_ZEROS
                   ? 0
                   : vti_end_of_rice(u->from, size, at + 1, count, u->from[at]);
    if (stored == IN_CLASSES)
        return vti_end_of_words(u->from, size, at);
    for (int b = 0; b < 4; b++)
        at = vti_end_of_plane(u->from, size, at, count);
    return at;
}

/* Places that ascend, and lie in the chunk; NULL: not so. */
static const uint8_t *get_strays(const uint8_t *from, int64_t count, vt_strays *strays)
{
    int32_t last = -1;
    strays->count = vti_read_two(from);
    from += 2;
    for (int32_t k = 0; k < strays->count; k++, from += STRAY) {
        const int32_t place = vti_read_two(from);
        if (place <= last || place >= count)
            return NULL;
        last = place;
        strays->place[k] = (uint16_t)place;
        strays->bits[k] = (uint32_t)from[2] | (uint32_t)from[3] << 8 | (uint32_t)from[4] << 16 |
                          (uint32_t)from[5] << 24;
    }
    return from;
}

static int unpack_chunk(const vt_unpacking *u, vt_chunk *chunk, const uint8_t *from)
{
    uint8_t planes[4 * VT_PLANE];
    uint32_t words[VT_PLANE], room[VT_PLANE];
    vt_strays strays = {.count = 0};
    const int stored = *from & ~OF_WAY;
    chunk->way = *from++ & OF_WAY;
    if (chunk->way != VT_AS_THEY_ARE)
        chunk->digits = *from++;
    if (vti_is_on_lattice(chunk->way) && !(from = get_strays(from, chunk->count, &strays)))
        return -1;
    if (stored == IN_RICE      ? vti_stages()->take_rice(from + 1, chunk->count, *from, words)
        : stored == IN_CLASSES ? vti_get_words(from, chunk->count, words)
                               : vti_get_planes(from, chunk->count, 4, planes))
        return -1;
    if (stored == IN_PLANES)
        vti_join_planes(planes, chunk->count, words);
    vti_stages()->restore_words(words, u->about, chunk, &strays, room, u->to);
    return 0;
}

static void unpack_chunks(void *data, int64_t begin, int64_t end)
{
    const vt_unpacking *const u = data;
    for (int64_t c = begin; c < end; c++) {
        vt_chunk chunk = find_chunk(u->about, c);
        u->failed[c] = unpack_chunk(u, &chunk, u->from + u->start[c]) != 0;
    }
}

vt_status vti_unpack_rows(const uint8_t *from, size_t size, const vt_packed_rows *about,
                          int threads, void *to)
{
    vt_unpacking u = {.from = from, .about = about, .count = about->rows, .item = 4, .to = to};
    return vti_unpack_chunks(&u, size, about->components, end_of_chunk, unpack_chunks, threads);
}
