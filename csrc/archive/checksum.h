/* CRC-32 as zlib, PNG and ZIP have it (reflected polynomial 0xEDB88320). */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Eight bytes are looked up at a time. */
typedef struct vt_crc {
    uint32_t table[8][256];
} vt_crc;

void vti_make_crc(vt_crc *crc);

uint32_t vti_crc32(const vt_crc *crc, const uint8_t *bytes, size_t size);
