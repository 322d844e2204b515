/* Bytes as prefix codes (archive/byte_codes.h). */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/kernel.h"

enum { VT_BYTE_CODE_BITS = 12 /* at most, of a code: four together are written at once */ };

/* Puts the codes one behind the other, from the lowest bit of each byte on, where there is room for
 * VT_BYTE_CODE_BITS each and 8 bytes more; returns how many bytes they take. `code` of a byte: bits
 * << 4 | how many they are, the first one the lowest. No byte is above `most`. */
typedef size_t vt_put_codes_kernel(const uint8_t *bytes, int64_t count, int most,
                                   const uint16_t code[256], uint8_t *to);
VT_DECLARE_KERNEL(put_codes);
