/* clang-format off */
/* How a field of an archive is packed: numbers of one size, of which the bytes of equal weight are
 * alike where the numbers are.
 *
 * The numbers are taken in chunks of VT_PLANE; a chunk is
 *
 *   1 byte   1: each number but the first of the chunk is less the one before, as an integer; 0:
 *            numbers as they are
 *   then, for each byte of a number from the lowest, its plane, the bytes of that weight of all
 *   numbers of the chunk in their order:
 *   2 bytes  size of what follows, little-endian; 0: the plane itself follows; 65535: one byte,
 *            which is all that the plane has
 *   that many bytes: a stream of zlib, or the plane, or that byte
 *
 * Exact, and the same bytes on every system. Planes whose beginning looks like noise are not tried.
 */
/* clang-format on */
#pragma once

#include "volume/bytes.h"
#include "vorton.h"

enum { VT_PLANE = 8192 /* numbers */, VT_MOST_PLANES = 8 /* bytes of a number */ };

/* Appends count numbers of item bytes (1 .. VT_MOST_PLANES) in packed form; with up to `threads`
 * threads, the same bytes with any number of them. */
void vti_pack_planes(const void *from, int64_t count, int item, int threads, vt_bytes *to);

/* Fills count numbers. VT_INVALID_ARGUMENT where the bytes are not what vti_pack_planes makes of as
 * many; VT_OUT_OF_MEMORY. The caller, who knows whose bytes they are, says so. */
vt_status vti_unpack_planes(const uint8_t *from, size_t size, int64_t count, int item, int threads,
                            void *to);
