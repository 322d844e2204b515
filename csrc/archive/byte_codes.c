#include "archive/byte_codes.h"

#include <string.h>

#include "base/little_endian.h"
#include "kernels/dispatch.h"
#include "volume/prefix_code.h"

enum { HEAD = 2 /* bytes */, SIZE = 2, BYTES = 256, MOST_BITS = VT_BYTE_CODE_BITS };

/* ---- packing ---- */

/* How often bytes come, by a sample of many; those that it lacks may come, too. */
static void count_bytes(const uint8_t *bytes, int64_t count, int least, int most,
                        uint16_t often[BYTES])
{
    enum { MANY = 4096, STRETCH = 16, OF = 64, WEIGHT = 8 };
    uint16_t part[4][BYTES] = {{0}}; /* one that comes again does not wait */
    const int64_t step = count >= MANY ? OF : STRETCH;
    for (int64_t begin = 0; begin < count; begin += step)
        for (int64_t n = begin; n < begin + STRETCH && n < count; n++)
            part[n % 4][bytes[n]]++;
    memset(often, 0, sizeof *often * BYTES);
    for (int b = least; b <= most; b++)
        often[b] = (uint16_t)(1 + WEIGHT * (part[0][b] + part[1][b] + part[2][b] + part[3][b]));
}

/* Puts the lengths of the codes, and finds these. */
static uint8_t *put_code(const uint16_t *often, int least, int most, uint16_t table[BYTES],
                         uint8_t *to)
{
    vt_prefix_code code;
    vti_make_code(&code, often, most + 1, MOST_BITS);
    for (int b = least; b <= most; b++) {
        table[b] = (uint16_t)(code.bits[b] << 4 | code.length[b]);
        if ((b - least) % 2 == 0)
            *to++ = code.length[b];
        else
            to[-1] = (uint8_t)(to[-1] | code.length[b] << 4);
    }
    return to;
}

uint8_t *vti_put_codes(const uint8_t *bytes, int64_t count, uint8_t *to)
{
    uint16_t often[BYTES], table[BYTES] = {0};
    uint8_t least = bytes[0], most = bytes[0];
    for (int64_t n = 0; n < count; n++) {
        least = bytes[n] < least ? bytes[n] : least;
        most = bytes[n] > most ? bytes[n] : most;
    }
    *to++ = least;
    *to++ = most;
    if (least == most)
        return to;
    count_bytes(bytes, count, least, most, often);
    to = put_code(often, least, most, table, to);
    const size_t size = vti_stages()->put_codes(bytes, count, most, table, to + SIZE);
    vti_write_two(to, (uint16_t)size);
    return to + SIZE + size;
}

/* ---- unpacking ---- */

static size_t length_bytes(int least, int most)
{
    return (size_t)(most - least + 2) / 2;
}

size_t vti_end_of_codes(const uint8_t *from, size_t size, size_t at)
{
    if (at == 0 || at > size || size - at < HEAD || from[at] > from[at + 1])
        return 0;
    if (from[at] == from[at + 1])
        return at + HEAD;
    const size_t before = HEAD + length_bytes(from[at], from[at + 1]) + SIZE;
    if (size - at < before)
        return 0;
    at += before;
    const size_t bytes = vti_read_two(from + at - SIZE);
    return bytes > size - at ? 0 : at + bytes;
}

enum { NEXT = 1 << MOST_BITS };

/* By the next bits: byte << 4 | bits of its code. -1: the lengths make no whole code. */
static int make_table(const uint8_t *lengths, int least, int most, uint16_t table[NEXT])
{
    vt_prefix_code code;
    int room = NEXT;
    memset(code.length, 0, sizeof code.length);
    for (int b = least; b <= most; b++) {
        const int length = lengths[(b - least) / 2] >> 4 * ((b - least) % 2) & 15;
        if (length < 1 || length > MOST_BITS)
            return -1;
        code.length[b] = (uint8_t)length;
        room -= NEXT >> length;
    }
    if (room != 0)
        return -1;
    vti_number_codes(&code, most + 1);
    for (int b = least; b <= most; b++)
        for (int n = code.bits[b]; n < NEXT; n += 1 << code.length[b])
            table[n] = (uint16_t)(b << 4 | code.length[b]);
    return 0;
}

/* -1: they are not as many bytes. */
static int take_codes(const uint16_t table[NEXT], const uint8_t *from, size_t size, int64_t count,
                      uint8_t *bytes)
{
    enum { AHEAD = 16 };
    uint8_t codes[VT_CODED_ROOM + AHEAD] = {0};
    uint64_t waiting = 0;
    uint32_t bits = 0;
    size_t at = 0;
    if (size > VT_CODED_ROOM)
        return -1;
    memcpy(codes, from, size);
    for (int64_t n = 0; n < count; n++) {
        if (bits < MOST_BITS) {
            waiting |= vti_read_eight(codes + at) << bits;
            at += (63 - bits) / 8;
            bits |= 56;
        }
        const uint16_t next = table[waiting & (NEXT - 1)];
        bytes[n] = (uint8_t)(next >> 4);
        waiting >>= next & 15;
        bits -= next & 15;
    }
    at -= bits / 8;
    return at == size && (waiting & ((UINT64_C(1) << bits % 8) - 1)) == 0 ? 0 : -1;
}

const uint8_t *vti_get_codes(const uint8_t *from, int64_t count, uint8_t *bytes)
{
    uint16_t table[NEXT];
    const int least = from[0], most = from[1];
    from += HEAD;
    if (least == most) {
        memset(bytes, least, (size_t)count);
        return from;
    }
    if (make_table(from, least, most, table))
        return NULL;
    from += length_bytes(least, most);
    const size_t size = vti_read_two(from);
    from += SIZE;
    return take_codes(table, from, size, count, bytes) ? NULL : from + size;
}
