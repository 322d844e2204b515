/* FNV-1a of 64 bits: a digest to compare by, not against whoever wants it to agree. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define VT_HASH_OF_NOTHING UINT64_C(0xcbf29ce484222325)

/* Goes on from `hash` with more bytes. */
static inline uint64_t vti_hash(uint64_t hash, const void *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ ((const uint8_t *)bytes)[i]) * UINT64_C(0x100000001b3);
    return hash;
}
