/* clang-format off */
/* Bytes, of which some come far more often than others, as prefix codes:
 *
 *   2 bytes  the least byte, the largest
 *   then, where they are not the same:
 *   lengths of the codes of these and all between, 1 .. VT_BYTE_CODE_BITS, of 4 bits each, the first
 *            ones the lowest; they make a whole code, numbered as in RFC 1951, 3.2.2
 *   2 bytes  size of what follows, little-endian
 *   that many bytes: the codes, from the lowest bit of each byte on, the first bit of each first
 */
/* clang-format on */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "kernels/words/byte_codes.h"

/* Of at most VT_CODED_MOST bytes, so many are taken at most; 8 bytes more are written. */
enum { VT_CODED_MOST = 8192, VT_CODED_ROOM = 2 + 128 + 2 + VT_CODED_MOST / 8 * VT_BYTE_CODE_BITS };

/* Returns where the next thing goes. */
uint8_t *vti_put_codes(const uint8_t *bytes, int64_t count, uint8_t *to);

/* Where codes end that begin at `at`; 0: not within the bytes, or at is 0. */
size_t vti_end_of_codes(const uint8_t *from, size_t size, size_t at);

/* Where the next thing lies; NULL: they cannot be unpacked. Their end is within the bytes. */
const uint8_t *vti_get_codes(const uint8_t *from, int64_t count, uint8_t *bytes);
