/* Bytes that grow as they are written, for file formats with little-endian numbers. */
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct vt_bytes {
    uint8_t *bytes; /* vti_return_borrowed gives it back */
    size_t size, capacity;
    int failed; /* no memory: what follows is not stored */
} vt_bytes;

/* Room for size bytes at once, where the size is known. */
void vti_reserve_bytes(vt_bytes *b, size_t size);

void vti_put(vt_bytes *b, const void *from, size_t size);
void vti_put_zeros(vt_bytes *b, size_t size);
void vti_put_byte(vt_bytes *b, uint8_t value);
void vti_put_uint32(vt_bytes *b, uint32_t value);
void vti_put_int64(vt_bytes *b, int64_t value);
void vti_put_double(vt_bytes *b, double value);

/* Length in 32 bits, then the characters. */
void vti_put_string(vt_bytes *b, const char *text);
