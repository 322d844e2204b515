/* Eight bytes as a number, the lowest first, whatever the order of the machine. */
#pragma once

#include <stdint.h>

static inline uint64_t vti_read_eight(const uint8_t *from)
{
    return (uint64_t)from[0] | (uint64_t)from[1] << 8 | (uint64_t)from[2] << 16 |
           (uint64_t)from[3] << 24 | (uint64_t)from[4] << 32 | (uint64_t)from[5] << 40 |
           (uint64_t)from[6] << 48 | (uint64_t)from[7] << 56;
}
