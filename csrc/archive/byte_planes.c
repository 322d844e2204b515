#include "archive/byte_planes.h"

#include <string.h>

#include "archive/byte_codes.h"
#include "archive/inflate.h"
#include "base/little_endian.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "kernels/dispatch.h"
#include "kernels/words/word_classes.h"
#include "volume/deflate.h"

_Static_assert((int)VT_PLANE <= (int)VT_DEFLATE_MOST && (int)VT_PLANE <= (int)VT_CODED_MOST,
               "a plane is packed at once");

enum {
    AT_ONCE = 4 /* chunks of each thread: what it writes stays near it */,
    SAMPLE = 512,
    ALIKE = 65535,
    CODED = 65534,
    MOST_DIGITS = VT_PLANE * 29 / 8 + 16
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

/* n log2 n in 256ths, between powers of 2 by a line, as the exponent of a float goes on in its
 * highest bits: of at most VT_PLANE, whose products fit. */
static inline int32_t times_log(int32_t n)
{
    const float exact = (float)n;
    int32_t bits;
    memcpy(&bits, &exact, sizeof bits);
    return n * ((bits >> 15) - (127 << 8));
}

/* About how many bits `count` things take, in 256ths, of which each kind comes so often. */
static int64_t guess_bits(const uint16_t *often, int kinds, int64_t count)
{
    int32_t bits = times_log((int32_t)count);
    for (int k = 0; k < kinds; k++)
        bits -= times_log(often[k]);
    return bits;
}

int64_t vti_look_at(const uint8_t *planes, int64_t some, int item, int looks[VT_MOST_PLANES])
{
    int64_t sum = 0;
    for (int b = 0; b < item; b++) {
        uint16_t often[256] = {0};
        int32_t same = 0; /* some^2 / 256 + some of noise, about */
        for (int64_t n = 0; n < some; n++)
            often[planes[b * some + n]]++;
        for (int k = 0; k < 256; k++)
            same += often[k] * often[k];
        looks[b] = same > some * some / 8 * 7              ? VT_REPEATS
                   : same > 3 * (some * some / 256 + some) ? VT_ALONE
                                                           : VT_NOISE;
        sum += looks[b] == VT_NOISE ? VT_NOISE_BITS * some : guess_bits(often, 256, some);
    }
    return sum;
}

/* Whether differences of the numbers take less than these, and what the planes look like, by the
 * first of them. */
static int look_ahead(const uint8_t *from, int64_t count, int item, int looks[VT_MOST_PLANES])
{
    uint8_t planes[VT_MOST_PLANES * SAMPLE];
    int seen[2][VT_MOST_PLANES];
    int64_t sum[2];
    const int64_t some = count < SAMPLE ? count : SAMPLE;
    for (int delta = 0; delta < 2; delta++) {
        split(from, some, item, delta, planes);
        sum[delta] = vti_look_at(planes, some, item, seen[delta]);
    }
    const int delta = item > 1 && sum[1] < sum[0];
    memcpy(looks, seen[delta], sizeof seen[delta]);
    return delta;
}

int vti_are_alike(const void *items, size_t size, int64_t count)
{
    const uint8_t *const bytes = items;
    return count > 0 && memcmp(bytes, bytes + size, size * ((size_t)count - 1)) == 0;
}

uint8_t *vti_put_equal_bytes(uint8_t byte, uint8_t *to)
{
    vti_write_two(to, ALIKE);
    to[2] = byte;
    return to + 3;
}

uint8_t *vti_put_plane(vt_deflate *work, const uint8_t *plane, int64_t count, int looks,
                       uint8_t *to)
{
    uint8_t *const at = to + 2, *end = NULL;
    if (vti_are_alike(plane, 1, count))
        return vti_put_equal_bytes(plane[0], to);
    if (looks == VT_ALONE)
        end = vti_put_codes(plane, count, at);
    else if (looks == VT_REPEATS)
        end = at + vti_deflate(work, plane, (size_t)count, at, (size_t)count - 1);
    if (!end || end == at || end - at >= count) {
        vti_write_two(to, 0);
        memcpy(at, plane, (size_t)count);
        return at + count;
    }
    vti_write_two(to, looks == VT_ALONE ? CODED : (uint16_t)(end - at));
    return end;
}

/* ---- words ---- */

int64_t vti_guess_class_bits(const uint32_t *words, int64_t some)
{
    uint16_t often[VT_CLASSES] = {0};
    int64_t digits = 0;
    for (int64_t n = 0; n < some; n++) {
        uint32_t left;
        often[vti_class_of(words[n], &left)]++;
        digits += left;
    }
    return 256 * digits + guess_bits(often, VT_CLASSES, some);
}

uint8_t *vti_put_words(const uint32_t *words, int64_t count, uint8_t *to)
{
    uint8_t classes[VT_PLANE], digits[MOST_DIGITS];
    const size_t size = vti_stages()->part_words(words, count, classes, digits);
    to = vti_put_codes(classes, count, to);
    vti_write_two(to, (uint16_t)size);
    memcpy(to + 2, digits, size);
    return to + 2 + size;
}

size_t vti_end_of_words(const uint8_t *from, size_t size, size_t at)
{
    at = vti_end_of_codes(from, size, at);
    if (at == 0 || size - at < 2)
        return 0;
    const size_t bytes = vti_read_two(from + at);
    return bytes > size - at - 2 ? 0 : at + 2 + bytes;
}

/* Where the next thing lies; NULL: it cannot be unpacked. */
static const uint8_t *get_plane(const uint8_t *from, int64_t count, uint8_t *plane)
{
    const size_t packed = vti_read_two(from);
    from += 2;
    if (packed == ALIKE) {
        memset(plane, *from, (size_t)count);
        return from + 1;
    }
    if (packed == CODED)
        return vti_get_codes(from, count, plane);
    if (packed == 0) {
        memcpy(plane, from, (size_t)count);
        return from + count;
    }
    return vti_inflate(from, packed, plane, (size_t)count) ? NULL : from + packed;
}

int vti_get_words(const uint8_t *from, int64_t count, uint32_t *words)
{
    uint8_t classes[VT_PLANE];
    from = vti_get_codes(from, count, classes);
    if (!from)
        return -1;
    const size_t size = vti_read_two(from);
    return vti_stages()->join_classes(classes, from + 2, size, count, words);
}

void vti_split_into_planes(const uint32_t *words, int64_t count, uint8_t *restrict planes)
{
    split_words((const uint8_t *)words, count, 0, planes);
}

/* ---- packing ---- */

static void pack_chunks(void *data, int64_t begin, int64_t end, int thread)
{
    const vt_packing *const p = data;
    uint8_t *const planes = vti_planes_of_thread(p, thread);
    uint32_t words[VT_PLANE];
    for (int64_t c = begin; c < end; c++) {
        const int64_t first = (p->first + c) * VT_PLANE;
        const int64_t count = p->count - first < VT_PLANE ? p->count - first : VT_PLANE;
        const uint8_t *const from = p->from + first * p->item;
        int looks[VT_MOST_PLANES];
        uint8_t *const to = vti_room_of_chunk(p, c), *at = to + 1;
        if (p->item == 8 && vti_stages()->take_differences(from, count, words)) {
            to[0] = VT_SMALL_DIFFERENCES;
            p->packer->size[c] = (size_t)(vti_put_words(words, count, at) - to);
            continue;
        }
        to[0] = (uint8_t)look_ahead(from, count, p->item, looks);
        split(from, count, p->item, to[0], planes);
        for (int b = 0; b < p->item; b++)
            at = vti_put_plane(&p->packer->work[thread], planes + b * count, count, looks[b], at);
        p->packer->size[c] = (size_t)(at - to);
    }
}

int vti_create_packer(vt_packer *packer, int threads)
{
    const size_t some = (size_t)threads;
    *packer = (vt_packer){.threads = threads,
                          .chunks = vti_allocate(AT_ONCE * some * VT_MOST_CHUNK),
                          .planes = vti_allocate(some * VT_MOST_PLANES * VT_PLANE),
                          .size = vti_allocate(AT_ONCE * some * sizeof(size_t)),
                          .work = vti_allocate(some * sizeof(vt_deflate))};
    if (packer->chunks && packer->planes && packer->size && packer->work)
        return 0;
    vti_destroy_packer(packer);
    return -1;
}

void vti_destroy_packer(vt_packer *packer)
{
    vti_free(packer->chunks);
    vti_free(packer->planes);
    vti_free(packer->size);
    vti_free(packer->work);
}

void vti_put_chunks(vt_packing *p, int64_t chunks, vt_numbered_function *pack, vt_bytes *to)
{
    const int threads = p->packer->threads;
    const int64_t some = AT_ONCE * threads;
    for (; p->first < chunks && !to->failed; p->first += some) {
        const int64_t now = chunks - p->first < some ? chunks - p->first : some;
        vti_parallel_for_numbered(threads, now, 1, pack, p);
        for (int64_t c = 0; c < now; c++)
            vti_put(to, vti_room_of_chunk(p, c), p->packer->size[c]);
    }
}

void vti_pack_planes(const vt_packer *packer, const void *from, int64_t count, int item,
                     vt_bytes *to)
{
    vt_packing p = {.from = from, .count = count, .item = item, .packer = packer};
    vti_put_chunks(&p, (count + VT_PLANE - 1) / VT_PLANE, pack_chunks, to);
}

/* ---- unpacking ---- */

size_t vti_end_of_plane(const uint8_t *from, size_t size, size_t at, int64_t count)
{
    if (at == 0 || at > size || size - at < 2)
        return 0;
    const size_t packed = vti_read_two(from + at);
    if (packed == CODED)
        return vti_end_of_codes(from, size, at + 2);
    const size_t bytes = packed == ALIKE ? 1 : packed ? packed : (size_t)count;
    return bytes > size - at - 2 ? 0 : at + 2 + bytes;
}

/* Where the chunk that begins at `at` ends. */
static size_t end_of_chunk(const vt_unpacking *u, size_t size, size_t at, int64_t count)
{
    if (at >= size || u->from[at] > VT_SMALL_DIFFERENCES ||
        (u->from[at] == VT_SMALL_DIFFERENCES && u->item != 8))
        return 0;
    if (u->from[at++] == VT_SMALL_DIFFERENCES)
        return vti_end_of_words(u->from, size, at);
    for (int b = 0; b < u->item; b++)
        at = vti_end_of_plane(u->from, size, at, count);
    return at;
}

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

void vti_join_planes(const uint8_t *planes, int64_t count, uint32_t *words)
{
    join_words(planes, count, 0, (uint8_t *)words);
}

int vti_get_planes(const uint8_t *from, int64_t count, int item, uint8_t *planes)
{
    for (int b = 0; b < item && from; b++)
        from = get_plane(from, count, planes + b * count);
    return from ? 0 : -1;
}

/* Words of small differences as the numbers. */
static int join_differences(const uint8_t *from, int64_t count, uint8_t *to)
{
    uint32_t words[VT_PLANE];
    int64_t before = 0;
    if (vti_get_words(from, count, words))
        return -1;
    for (int64_t n = 0; n < count; n++) {
        const uint64_t half = words[n] >> 1;
        before = (int64_t)((uint64_t)before + (words[n] & 1 ? ~half : half));
        memcpy(to + 8 * n, &before, 8);
    }
    return 0;
}

static int unpack_chunk(const uint8_t *from, int64_t count, int item, uint8_t *planes, uint8_t *to)
{
    const int delta = from[0];
    if (delta == VT_SMALL_DIFFERENCES)
        return join_differences(from + 1, count, to);
    if (vti_get_planes(from + 1, count, item, planes))
        return -1;
    if (item == 1)
        join_bytes(planes, count, delta, to);
    else if (item == 4)
        join_words(planes, count, delta, to);
    else
        join_long_words(planes, count, delta, to);
    return 0;
}

static void unpack_chunks(void *data, int64_t begin, int64_t end)
{
    const vt_unpacking *const u = data;
    uint8_t planes[VT_MOST_PLANES * VT_PLANE];
    for (int64_t c = begin; c < end; c++) {
        const int64_t first = c * VT_PLANE;
        const int64_t count = u->count - first < VT_PLANE ? u->count - first : VT_PLANE;
        u->failed[c] = unpack_chunk(u->from + u->start[c], count, u->item, planes,
                                    u->to + first * u->item) != 0;
    }
}

vt_status vti_unpack_chunks(vt_unpacking *u, size_t size, int components,
                            vt_end_of_chunk_function *end_of, vt_block_function *unpack,
                            int threads)
{
    const int64_t each = (u->count + VT_PLANE - 1) / VT_PLANE, chunks = each * components;
    size_t *const start = vti_allocate((sizeof *start + 1) * (size_t)chunks + 1);
    size_t at = 0;
    int64_t c = 0;
    if (!start)
        return VT_OUT_OF_MEMORY;
    for (; c < chunks; c++) {
        const int64_t left = u->count - c / components * VT_PLANE;
        start[c] = at;
        at = end_of(u, size, at, left < VT_PLANE ? left : VT_PLANE);
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
    vt_unpacking u = {.from = from, .count = count, .item = item, .to = to};
    return vti_unpack_chunks(&u, size, 1, end_of_chunk, unpack_chunks, threads);
}
