#include "archive/checksum.h"

#include <string.h>

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

uint32_t vti_crc32(const vt_crc *crc, const uint8_t *bytes, size_t size)
{
    uint32_t rest = 0xFFFFFFFFu;
    for (; size >= 8; size -= 8, bytes += 8) {
        uint32_t word[2], next = 0;
        memcpy(word, bytes, 8);
        word[0] ^= rest;
        for (int b = 0; b < 4; b++)
            next ^= crc->table[7 - b][word[0] >> 8 * b & 255] ^
                    crc->table[3 - b][word[1] >> 8 * b & 255];
        rest = next;
    }
    for (; size > 0; size--, bytes++)
        rest = rest >> 8 ^ crc->table[0][(rest ^ *bytes) & 255];
    return ~rest;
}
