/* Unpacks a stream of zlib (RFC 1950 and 1951) of which the size of what it holds is known. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Fills exactly `most` bytes at `to`; 0, or -1 where the stream is not one, ends early, holds less
 * or more, or its checksum differs. Reads and writes nowhere else, whatever the bytes are. */
int vti_inflate(const uint8_t *from, size_t size, uint8_t *to, size_t most);
