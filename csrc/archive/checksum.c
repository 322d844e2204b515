#include "archive/checksum.h"

#include <string.h>

#include "kernels/dispatch.h"

void vti_make_crc(vt_crc *crc)
{
    for (uint32_t n = 0; n < 256; n++) {
        uint32_t rest = n;
        for (int bit = 0; bit < 8; bit++)
            rest = rest >> 1 ^ (rest & 1 ? 0xEDB88320u : 0);
        crc->table[0][n] = rest;
    }
    for (int t = 1; t < 8; t++)
        for (uint32_t n = 0; n < 256; n++) {
            const uint32_t before = crc->table[t - 1][n];
            crc->table[t][n] = before >> 8 ^ crc->table[0][before & 255];
        }
}

static inline uint32_t take_eight(const vt_crc *crc, uint32_t rest, const uint8_t *bytes)
{
    uint32_t word[2], next = 0;
    memcpy(word, bytes, 8);
    word[0] ^= rest;
    for (int b = 0; b < 4; b++)
        next ^=
            crc->table[7 - b][word[0] >> 8 * b & 255] ^ crc->table[3 - b][word[1] >> 8 * b & 255];
    return next;
}

/* Product of two polynomials modulo that of the checksum, the highest power in the lowest bit. */
static uint32_t multiply(uint32_t a, uint32_t b)
{
    uint32_t product = 0;
    for (int bit = 31; bit >= 0; bit--) {
        product ^= b & (UINT32_C(0) - (a >> bit & 1));
        b = b >> 1 ^ (b & 1 ? 0xEDB88320u : 0);
    }
    return product;
}

/* What a rest becomes with so many bytes of 0 behind it. */
static uint32_t pass_zeros(uint32_t rest, size_t bytes)
{
    uint32_t power = UINT32_C(1) << (31 - 8); /* x^8 */
    for (; bytes; bytes >>= 1, power = multiply(power, power))
        if (bytes & 1)
            rest = multiply(power, rest);
    return rest;
}

/* Four parts of `size` bytes, one behind the other, at once: each byte of one waits for the one
 * before. */
static uint32_t take_parts(const vt_crc *crc, uint32_t rest, const uint8_t *bytes, size_t size)
{
    uint32_t a = rest, b = 0, c = 0, d = 0;
    for (size_t n = 0; n < size; n += 8, bytes += 8) {
        a = take_eight(crc, a, bytes);
        b = take_eight(crc, b, bytes + size);
        c = take_eight(crc, c, bytes + 2 * size);
        d = take_eight(crc, d, bytes + 3 * size);
    }
    return pass_zeros(pass_zeros(pass_zeros(a, size) ^ b, size) ^ c, size) ^ d;
}

static uint32_t take_bytes(const vt_crc *crc, uint32_t rest, const uint8_t *bytes, size_t size)
{
    for (; size >= 8; size -= 8, bytes += 8)
        rest = take_eight(crc, rest, bytes);
    for (; size > 0; size--, bytes++)
        rest = rest >> 8 ^ crc->table[0][(rest ^ *bytes) & 255];
    return rest;
}

uint32_t vti_crc32(const vt_crc *crc, const uint8_t *bytes, size_t size)
{
    enum { MANY = 1 << 13 /* from here on parts pay */ };
    uint8_t folded[VT_CRC_FOLDED];
    uint32_t rest = 0xFFFFFFFFu;
    size_t done = vti_stages()->fold_crc(bytes, size, rest, folded);
    if (done > 0) {
        rest = take_bytes(crc, 0, folded, sizeof folded);
    } else if (size >= MANY) {
        const size_t part = size / 32 * 8;
        rest = take_parts(crc, rest, bytes, part);
        done = 4 * part;
    }
    return ~take_bytes(crc, rest, bytes + done, size - done);
}
