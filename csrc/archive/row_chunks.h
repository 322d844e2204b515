/* clang-format off */
/* How columns of numbers of 4 bytes that belong to particles are packed: of the first VT_PLANE rows a
 * chunk with the first number of each, one with the second ..., then of the next rows: neighbours are
 * alike, and what is nearly that of another field takes hardly any room. A chunk is
 *
 *   1 byte   how they are taken, 0 .. 6; with 64 added: words in Rice's code, with 128: as classes.
 *            0: numbers as they are
 *            In 1 and 2 their bits are taken in the order of values (of floats: the highest is set, or all
 *            are inverted where it was), without the zeros that all of the chunk have at their end. 1: each
 *            number less the one before in the chunk, the first less 0; 2: less the number of the same row in
 *            another field, which lies before this one (where it has fewer in a row, they are taken in turn:
 *            0 1 2 0 1 2)
 *            3 .. 6: on a lattice, of multiples n of 2^-digits. 3: each n less the one before; 4: the same, but n
 *            is first less the multiple nearest to the number of the same row in another field (of halves the
 *            even one; 0 where it has more than 32 bits, or is no number); 5 and 6: as 3 and 4, but less m
 *            in place of the one before: the sum of floor((n + 8) / 16) of the sixteen n before; what is before
 *            the first of the chunk is as this one, which itself is less 0
 *   1 byte   of 1 and 2: zeros, 0 .. 31; of 3 .. 6: digits, 0 .. 40
 *   of 3 .. 6: 2 bytes, how many numbers are not on the lattice, at most a 16th; for each its place in the
 *            chunk, 2 bytes, ascending, and its bits, 4 bytes. Their n are as of the one before
 *   then the words: numbers as they are, or of differences d modulo 2^32 the number 2d, or -2d - 1 where d,
 *   taken with its sign, is below 0. They are four planes, or classes and digits (archive/byte_planes.h), or, behind
 *   1 byte with the number of the lowest bits, in Rice's code (kernels/words/rice_words.h)
 *
 * What has been so since the birth of a particle, or follows from its age, is alike in the order of
 * births: the rows are then taken in the ascending order of the numbers of another field, in ways 0, 1, 3 and 5.
 */
/* clang-format on */
#pragma once

#include "archive/byte_planes.h"
#include "kernels/words/row_words.h"
#include "volume/bytes.h"
#include "vorton.h"

/* The rows in the ascending order of `rows` numbers (int64) of a field, to be given back with
 * vti_free(). NULL where two are the same, where they lie farther apart than VT_MOST_APART times
 * their count, or without memory: then it sets *failed to 1, and leaves it alone otherwise. */
enum { VT_MOST_APART = 16 };
uint32_t *vti_order_rows(const uint8_t *numbers, int64_t rows, int *failed);

/* Appends them in packed form: the same bytes with any number of threads. Ways on a lattice are
 * tried where they may be multiples. */
void vti_pack_rows(const vt_packer *packer, const void *from, const vt_packed_rows *about,
                   int may_be_multiples, vt_bytes *to);

/* Fills the rows. VT_INVALID_ARGUMENT where the bytes are not what vti_pack_rows makes of as many;
 * VT_OUT_OF_MEMORY. The caller, who knows whose bytes they are, says so. */
vt_status vti_unpack_rows(const uint8_t *from, size_t size, const vt_packed_rows *about,
                          int threads, void *to);
