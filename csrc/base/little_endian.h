/* Two or eight bytes as a number, the lowest first, whatever the order of the machine. */
#pragma once

#include <stdint.h>

static inline uint16_t vti_read_two(const uint8_t *from)
{
    return (uint16_t)(from[0] | from[1] << 8);
}

static inline void vti_write_two(uint8_t *to, uint16_t number)
{
    to[0] = (uint8_t)number;
    to[1] = (uint8_t)(number >> 8);
}

static inline uint64_t vti_read_eight(const uint8_t *from)
{
    return (uint64_t)from[0] | (uint64_t)from[1] << 8 | (uint64_t)from[2] << 16 |
           (uint64_t)from[3] << 24 | (uint64_t)from[4] << 32 | (uint64_t)from[5] << 40 |
           (uint64_t)from[6] << 48 | (uint64_t)from[7] << 56;
}

static inline void vti_write_eight(uint8_t *to, uint64_t number)
{
    to[0] = (uint8_t)number;
    to[1] = (uint8_t)(number >> 8);
    to[2] = (uint8_t)(number >> 16);
    to[3] = (uint8_t)(number >> 24);
    to[4] = (uint8_t)(number >> 32);
    to[5] = (uint8_t)(number >> 40);
    to[6] = (uint8_t)(number >> 48);
    to[7] = (uint8_t)(number >> 56);
}
