#include "volume/bytes.h"

#include <string.h>

#include "base/spare_memory.h"

void vti_reserve_bytes(vt_bytes *b, size_t size)
{
    if (b->failed || size <= b->capacity)
        return;
    uint8_t *const bytes = vti_borrow(size);
    b->failed = !bytes;
    if (b->failed)
        return;
    if (b->size)
        memcpy(bytes, b->bytes, b->size);
    vti_return_borrowed(b->bytes);
    b->bytes = bytes;
    b->capacity = size;
}

static uint8_t *extend(vt_bytes *b, size_t size)
{
    if (size > b->capacity - b->size) {
        size_t capacity = b->capacity ? b->capacity : 4096;
        while (capacity - b->size < size)
            capacity *= 2;
        vti_reserve_bytes(b, capacity);
    }
    if (b->failed || size == 0)
        return NULL;
    b->size += size;
    return b->bytes + b->size - size;
}

void vti_put(vt_bytes *b, const void *from, size_t size)
{
    uint8_t *const to = extend(b, size);
    if (to)
        memcpy(to, from, size);
}

void vti_put_zeros(vt_bytes *b, size_t size)
{
    uint8_t *const to = extend(b, size);
    if (to)
        memset(to, 0, size);
}

#define PUT_A(kind, type)                                                                          \
    void vti_put_##kind(vt_bytes *b, type value)                                                   \
    {                                                                                              \
        vti_put(b, &value, sizeof value);                                                          \
    }
PUT_A(byte, uint8_t)
PUT_A(uint32, uint32_t)
PUT_A(int64, int64_t)
PUT_A(double, double)

void vti_put_string(vt_bytes *b, const char *text)
{
    vti_put_uint32(b, (uint32_t)strlen(text));
    vti_put(b, text, strlen(text));
}
