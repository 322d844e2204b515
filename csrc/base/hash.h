/* Hashes: FNV-1a of 64 bits, a digest to compare by, not against whoever wants it to agree; and one
 * of places on a lattice, for tables. */
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

/* Take its low bits. */
static inline uint32_t vti_hash_place(const int32_t at[3])
{
    const uint32_t h = (uint32_t)at[0] * 0x9e3779b1u ^ (uint32_t)at[1] * 0x85ebca6bu ^
                       (uint32_t)at[2] * 0xc2b2ae35u;
    return h ^ h >> 15;
}
