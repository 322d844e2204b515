#include "archive/byte_planes.h"

#include <stdlib.h>
#include <string.h>

#include "archive/inflate.h"
#include "base/parallel.h"
#include "volume/deflate.h"

_Static_assert((int)VT_PLANE <= (int)VT_DEFLATE_MOST, "a plane is packed at once");

enum {
    MOST_CHUNK = 1 + VT_MOST_PLANES * (2 + VT_PLANE),
    AT_ONCE = 64 /* chunks */,
    SAMPLE = 1024,
    ALIKE = 65535
};

/* Bytes of the numbers by their weight, each less the one before where delta is 1. */
#define VT_SPLIT(type, name)                                                                       \
    static void name(const uint8_t *from, int64_t count, int delta, uint8_t *restrict planes)      \
    {                                                                                              \
        enum { ITEM = sizeof(type) };                                                              \
        for (int64_t n = 0; n < count; n++) {                                                      \
            type value, before = 0;                                                                \
            memcpy(&value, from + n * ITEM, ITEM);                                                 \
            if (delta && n > 0)                                                                    \
                memcpy(&before, from + (n - 1) * ITEM, ITEM);                                      \
            value = (type)(value - before);                                                        \
            for (int b = 0; b < ITEM; b++)                                                         \
                planes[b * count + n] = (uint8_t)(value >> 8 * b);                                 \
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
    int64_t sum = 0;
    for (int64_t n = 0; n < count; n++)
        often[plane[n]]++;
    for (int v = 0; v < 256; v++)
        sum += (int64_t)often[v] * often[v];
    return sum;
}

/* What a plane looks like: not to be packed at all, byte by byte, or with its repeats. */
enum { NOISE, ALONE, REPEATS };

/* Whether differences of the numbers are more alike than these, and what the planes look like, by
 * the first of them. */
static int look_ahead(const uint8_t *from, int64_t count, int item, int looks[VT_MOST_PLANES])
{
    uint8_t planes[VT_MOST_PLANES * SAMPLE];
    int64_t same[2][VT_MOST_PLANES], sum[2] = {0, 0};
    const int64_t some = count < SAMPLE ? count : SAMPLE;
    for (int delta = 0; delta < 2; delta++) {
        split(from, some, item, delta, planes);
        for (int b = 0; b < item; b++)
            sum[delta] += same[delta][b] = sameness(planes + b * some, some);
    }
    const int delta = item > 1 && sum[1] > sum[0];
    for (int b = 0; b < item; b++)
        looks[b] = same[delta][b] > some * some / 8 * 7              ? REPEATS
                   : same[delta][b] > 8 * (some * some / 256 + some) ? ALONE
                                                                     : NOISE;
    return delta;
}

typedef struct packing {
    const uint8_t *from;
    int64_t count, first; /* numbers in all; number of the first chunk */
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

void vti_pack_planes(const void *from, int64_t count, int item, int threads, vt_bytes *to)
{
    const int64_t chunks = (count + VT_PLANE - 1) / VT_PLANE;
    const size_t each = sizeof(vt_deflate) + VT_MOST_PLANES * VT_PLANE;
    size_t size[AT_ONCE];
    packing p = {.from = from, .count = count, .item = item, .size = size};
    p.to = malloc((size_t)(chunks < AT_ONCE ? chunks : AT_ONCE) * MOST_CHUNK + 1);
    p.work = malloc((size_t)threads * each);
    p.planes = (uint8_t *)(p.work + threads);
    to->failed |= !p.to || !p.work;
    for (; p.first < chunks && !to->failed; p.first += AT_ONCE) {
        const int64_t now = chunks - p.first < AT_ONCE ? chunks - p.first : AT_ONCE;
        vti_parallel_for_numbered(threads, now, 1, pack_chunks, &p);
        for (int64_t c = 0; c < now; c++)
            vti_put(to, p.to + c * MOST_CHUNK, size[c]);
    }
    free(p.to);
    free(p.work);
}

/* ---- unpacking ---- */

/* Where the chunk that begins at `at` ends; 0: not within the bytes. */
static size_t end_of_chunk(const uint8_t *from, size_t size, size_t at, int64_t count, int item)
{
    if (at >= size || from[at++] > 1)
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
    const size_t *start; /* of each chunk */
    int64_t count;
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

static int unpack_chunk(const uint8_t *from, int64_t count, int item, uint8_t *planes, uint8_t *to)
{
    const int delta = *from++;
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
    const unpacking *const u = data;
    uint8_t planes[VT_MOST_PLANES * VT_PLANE];
    for (int64_t c = begin; c < end; c++) {
        const int64_t first = c * VT_PLANE;
        const int64_t count = u->count - first < VT_PLANE ? u->count - first : VT_PLANE;
        u->failed[c] = unpack_chunk(u->from + u->start[c], count, u->item, planes,
                                    u->to + first * u->item) != 0;
    }
}

vt_status vti_unpack_planes(const uint8_t *from, size_t size, int64_t count, int item, int threads,
                            void *to)
{
    const int64_t chunks = (count + VT_PLANE - 1) / VT_PLANE;
    size_t *const start = malloc((sizeof *start + 1) * (size_t)chunks + 1);
    unpacking u = {.from = from, .start = start, .count = count, .item = item, .to = to};
    size_t at = 0;
    int64_t c = 0;
    if (!start)
        return VT_OUT_OF_MEMORY;
    for (; c < chunks; c++) {
        const int64_t left = count - c * VT_PLANE;
        start[c] = at;
        at = end_of_chunk(from, size, at, left < VT_PLANE ? left : VT_PLANE, item);
        if (at == 0)
            break;
    }
    int failed = c < chunks || at != size;
    if (!failed) {
        u.failed = (uint8_t *)(start + chunks);
        vti_parallel_for(threads, chunks, 1, unpack_chunks, &u);
        for (c = 0; c < chunks; c++)
            failed |= u.failed[c];
    }
    free(start);
    return failed ? VT_INVALID_ARGUMENT : VT_OK;
}
