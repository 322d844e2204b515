/* clang-format off */
/* How a field of an archive is packed, in one of two ways: numbers of one size, of which the bytes of equal weight are
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
 * Columns of numbers of 4 bytes that belong to particles are packed so, first the first number of all
 * rows, then the second ...: neighbours are alike, and what is nearly that of another field takes
 * hardly any room. A chunk of up to VT_PLANE of them is
 *
 *   1 byte   0: numbers as they are; 1: each but the first of the chunk less the one before; 2: each
 *            less the number of the same row in another field, which lies before this one (where it
 *            has fewer in a row, they are taken in turn: 0 1 2 0 1 2); 3 and 4: on a lattice
 *   1 byte   of ways 3 and 4 alone: digits, 0 .. 40; the numbers are multiples n of 2^-digits
 *   then the four planes, as above, of these: numbers as they are, or of differences d = a - b modulo
 *   2^32 between the bits of floats in the order of their values (the highest bit is set, or all are
 *   inverted where it was) the number 2d, or -2d - 1 where d, taken with its sign, is below 0.
 *   In ways 3 and 4 d is n less that of the row before in the chunk; in way 4 n is first less the multiple
 *   nearest to the number of the same row in another field (of halves the even one; 0 where it has more
 *   than 32 bits, or is no number)
 *
 * What has been so since the birth of a particle, or follows from its age, is alike in the order of
 * births: the rows are then taken in the ascending order of the numbers of another field, in ways 0, 1 and 3.
 *
 * Exact, and the same bytes on every system. Planes whose beginning looks like noise are not tried.
 */
/* clang-format on */
#pragma once

#include "archive/row_words.h"
#include "volume/bytes.h"
#include "vorton.h"

enum { VT_PLANE = 8192 /* numbers */, VT_MOST_PLANES = 8 /* bytes of a number */ };

/* Appends count numbers of item bytes (1 .. VT_MOST_PLANES) in packed form; with up to `threads`
 * threads, the same bytes with any number of them. */
void vti_pack_planes(const void *from, int64_t count, int item, int threads, vt_bytes *to);

/* The rows in the ascending order of `rows` numbers (int64) of a field, to be given back with
 * vti_free(). NULL where two are the same, where they lie farther apart than VT_MOST_APART times
 * their count, or without memory: then it sets *failed to 1, and leaves it alone otherwise. */
enum { VT_MOST_APART = 16 };
uint32_t *vti_order_rows(const uint8_t *numbers, int64_t rows, int *failed);

/* Appends them in packed form, as vti_pack_planes. */
void vti_pack_rows(const void *from, const vt_packed_rows *about, int threads, vt_bytes *to);

/* Fills count numbers. VT_INVALID_ARGUMENT where the bytes are not what vti_pack_planes makes of as
 * many; VT_OUT_OF_MEMORY. The caller, who knows whose bytes they are, says so. */
vt_status vti_unpack_planes(const uint8_t *from, size_t size, int64_t count, int item, int threads,
                            void *to);

/* The same of what vti_pack_rows makes. */
vt_status vti_unpack_rows(const uint8_t *from, size_t size, const vt_packed_rows *about,
                          int threads, void *to);
