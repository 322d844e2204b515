#include "archive/row_chunks.h"

#include <string.h>

#include "archive/byte_planes.h"
#include "base/memory.h"
#include "kernels/dispatch.h"

_Static_assert((int)VT_MOST_ROWS == (int)VT_PLANE, "a chunk of rows is one of words");

enum { SAMPLE = 256, IN_CLASSES = 128, STRAY = 6 /* bytes */ };

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

/* Whether a way may be the best: differences of bits hardly are where few digits are enough. */
static int may_serve(int way, int has_others, int digits)
{
    enum { FEW = 24 };
    if (vti_is_beside_another(way) && !has_others)
        return 0;
    if (vti_is_on_lattice(way))
        return digits >= 0;
    return way == VT_AS_THEY_ARE || digits < 0 || digits > FEW ||
           (has_others && way == VT_LESS_ANOTHER_FIELD);
}

/* Chooses the way in which a sample of the numbers takes least in classes, or in planes that or
 * numbers as they are, unless classes take half of these. Returns whether in classes; else what the
 * planes look like. */
static int choose_way(row_room *room, int has_others, vt_chunk *chunk, int looks[VT_MOST_PLANES])
{
    uint32_t words[SAMPLE];
    uint8_t planes[4 * SAMPLE];
    const int digits = vti_stages()->find_digits(room->numbers, chunk->count, &room->strays);
    int64_t least = INT64_MAX, plain = 0;
    int best = VT_AS_THEY_ARE, in_classes = 1;
    const int zeros = vti_stages()->find_zeros(room->numbers, chunk->count);
    for (int way = 0; way < VT_MOST_WAYS; way++) {
        if (!may_serve(way, has_others, digits))
            continue;
        chunk->way = way;
        chunk->digits = vti_is_on_lattice(way) ? digits : zeros;
        const int64_t bits = vti_guess_class_bits(words, take_sample(room, chunk, words));
        plain = way == VT_AS_THEY_ARE ? bits : plain;
        best = bits < least ? way : best;
        least = bits < least ? bits : least;
    }
    const int tried[2] = {best, VT_AS_THEY_ARE};
    const int both = best != VT_AS_THEY_ARE && 2 * least > plain;
    for (int n = 0; n < 1 + both; n++) {
        int seen[VT_MOST_PLANES];
        chunk->way = tried[n];
        chunk->digits = vti_is_on_lattice(tried[n]) ? digits : zeros;
        const int64_t some = take_sample(room, chunk, words);
        vti_split_into_planes(words, some, planes);
        if (vti_is_on_lattice(best) && vti_look_at(planes, some, 1, seen) == VT_NOISE_BITS * some)
            continue; /* classes are better where the lowest byte of multiples is noise */
        const int64_t bits = vti_look_at(planes, some, 4, seen);
        if (bits > least)
            continue;
        least = bits;
        best = tried[n];
        in_classes = 0;
        memcpy(looks, seen, 4 * sizeof *looks);
    }
    chunk->way = best;
    chunk->digits = vti_is_on_lattice(best) ? digits : zeros;
    return in_classes;
}

static uint8_t *put_strays(const vt_strays *strays, uint8_t *to)
{
    *to++ = (uint8_t)strays->count;
    *to++ = (uint8_t)(strays->count >> 8);
    for (int32_t k = 0; k < strays->count; k++) {
        for (int b = 0; b < 2; b++)
            *to++ = (uint8_t)(strays->place[k] >> 8 * b);
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

/* Returns how many bytes it took. */
static size_t pack_chunk(const vt_packing *p, const vt_packed_rows *about, vt_chunk *chunk,
                         vt_deflate *work, uint8_t *planes, uint8_t *to)
{
    row_room room;
    int looks[VT_MOST_PLANES];
    uint8_t *at = to + 1;
    vti_stages()->gather_rows(p->from, about->components, about, chunk, room.numbers);
    if (vti_are_alike(room.numbers, sizeof *room.numbers, chunk->count))
        return put_one_number(room.numbers[0], to);
    if (about->reference)
        vti_stages()->gather_rows(about->reference, about->reference_components, about, chunk,
                                  room.others);
    const int in_classes = choose_way(&room, about->reference != NULL, chunk, looks);
    to[0] = (uint8_t)(chunk->way + (in_classes ? IN_CLASSES : 0));
    if (chunk->way != VT_AS_THEY_ARE)
        *at++ = (uint8_t)chunk->digits;
    if (vti_is_on_lattice(chunk->way))
        at = put_strays(&room.strays, at);
    vti_stages()->take_words(room.numbers, room.others, 0, chunk->count, chunk->way, chunk->digits,
                             &room.strays, room.words);
    if (in_classes)
        return (size_t)(vti_put_words(work, room.words, chunk->count, at) - to);
    vti_split_into_planes(room.words, chunk->count, planes);
    for (int b = 0; b < 4; b++)
        at = vti_put_plane(work, planes + b * chunk->count, chunk->count, looks[b], at);
    return (size_t)(at - to);
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
    uint8_t *const planes = p->planes + (size_t)thread * VT_MOST_PLANES * VT_PLANE;
    for (int64_t c = begin; c < end; c++) {
        vt_chunk chunk = find_chunk(p->about, p->first + c);
        p->size[c] =
            pack_chunk(p, p->about, &chunk, &p->work[thread], planes, p->to + c * VT_MOST_CHUNK);
    }
}

void vti_pack_rows(const void *from, const vt_packed_rows *about, int threads, vt_bytes *to)
{
    vt_packing p = {.from = from, .about = about, .count = about->rows, .item = 4};
    const int64_t each = (about->rows + VT_PLANE - 1) / VT_PLANE;
    vti_put_chunks(&p, each * about->components, pack_chunks, threads, to);
}

/* ---- unpacking ---- */

static size_t end_of_chunk(const vt_unpacking *u, size_t size, size_t at, int64_t count)
{
    const vt_packed_rows *const about = u->about;
    if (at >= size)
        return 0;
    const int way = u->from[at] & (IN_CLASSES - 1), classes = u->from[at] >= IN_CLASSES;
    at++;
    if (way >= VT_MOST_WAYS || (vti_is_beside_another(way) && !about->reference))
        return 0;
    if (way != VT_AS_THEY_ARE &&
        (at >= size || u->from[at++] > (vti_is_on_lattice(way) ? VT_MOST_DIGITS : VT_MOST_ZEROS)))
        return 0;
    if (vti_is_on_lattice(way)) {
        if (size - at < 2)
            return 0;
        const size_t strays = (size_t)(u->from[at] | u->from[at + 1] << 8);
        at += 2;
        if (strays > VT_MOST_STRAYS || STRAY * strays > size - at)
            return 0;
        at += STRAY * strays;
    }
    for (int b = 0; b < (classes ? 1 : 4); b++)
        at = vti_end_of_plane(u->from, size, at, count);
    return classes ? vti_end_of_digits(u->from, size, at) : at;
}

/* Places that ascend, and lie in the chunk; NULL: not so. */
static const uint8_t *get_strays(const uint8_t *from, int64_t count, vt_strays *strays)
{
    int32_t last = -1;
    strays->count = from[0] | from[1] << 8;
    from += 2;
    for (int32_t k = 0; k < strays->count; k++, from += STRAY) {
        const int32_t place = from[0] | from[1] << 8;
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
    const int in_classes = *from >= IN_CLASSES;
    chunk->way = *from++ & (IN_CLASSES - 1);
    if (chunk->way != VT_AS_THEY_ARE)
        chunk->digits = *from++;
    if (vti_is_on_lattice(chunk->way) && !(from = get_strays(from, chunk->count, &strays)))
        return -1;
    if (in_classes ? vti_get_words(from, chunk->count, words)
                   : vti_get_planes(from, chunk->count, 4, planes))
        return -1;
    if (!in_classes)
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
