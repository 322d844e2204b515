/* Numbers of 4 bytes that belong to particles, as the words that an archive stores
 * (archive/row_chunks.h): small ones where the numbers are alike. Exact, any bits come back. */
#pragma once

#include <stdint.h>

#include "base/kernel.h"

/* Numbers of 4 bytes, `components` in a row. */
typedef struct vt_packed_rows {
    int64_t rows;
    int components;
    const void *reference; /* as many rows of the field that they may be nearly like; NULL: none */
    int reference_components;
    const uint32_t *order; /* the rows in the order in which they are taken; NULL: as they lie */
    int alike;             /* all rows are the same */
} vt_packed_rows;

/* How a chunk of them is taken: what a number is less. */
enum {
    VT_AS_THEY_ARE,
    VT_LESS_THE_ONE_BEFORE, /* bits, in the order of values, without the zeros at their end */
    VT_LESS_ANOTHER_FIELD,  /* the same, of the same row in the other field */
    VT_ON_A_LATTICE,        /* multiples n of 2^-digits: n of the one before */
    VT_ON_A_LATTICE_BESIDE_ANOTHER, /* n less the multiple nearest to the number of the other field,
                                       and of this the one before */
    VT_ON_A_LATTICE_LESS_THE_MEAN,  /* as 3 and 4, but less a mean of those before */
    VT_ON_A_LATTICE_BESIDE_ANOTHER_LESS_THE_MEAN,
    VT_MOST_WAYS
};

enum {
    VT_MOST_ROWS = 8192, /* of a chunk */
    VT_MOST_DIGITS = 40,
    VT_MOST_ZEROS = 31,
    VT_MOST_STRAYS = VT_MOST_ROWS / 16
};

/* Numbers that are not on the lattice of their chunk: their places in it, and their bits. */
typedef struct vt_strays {
    int32_t count;
    uint16_t place[VT_MOST_STRAYS];
    uint32_t bits[VT_MOST_STRAYS];
} vt_strays;

/* Where a chunk lies in a field, and how its numbers are taken. */
typedef struct vt_chunk {
    int component;
    int64_t first, count; /* rows */
    int way, digits;      /* of bits the zeros at their end */
} vt_chunk;

/* Whether a chunk's numbers are multiples on a lattice, or taken beside those of another field, or
 * less a mean. */
static inline int vti_is_on_lattice(int way)
{
    return way >= VT_ON_A_LATTICE;
}

static inline int vti_is_beside_another(int way)
{
    return way == VT_LESS_ANOTHER_FIELD || way == VT_ON_A_LATTICE_BESIDE_ANOTHER ||
           way == VT_ON_A_LATTICE_BESIDE_ANOTHER_LESS_THE_MEAN;
}

static inline int vti_is_less_mean(int way)
{
    return way >= VT_ON_A_LATTICE_LESS_THE_MEAN;
}

/* The numbers of a chunk one behind the other, as bits: of rows of so many numbers, those that are
 * packed or those of the other field. */
typedef void vt_gather_rows_kernel(const void *rows, int components, const vt_packed_rows *about,
                                   const vt_chunk *chunk, uint32_t *restrict numbers);
VT_DECLARE_KERNEL(gather_rows);

/* Binary digits behind the point that nearly all numbers can do with, 0 .. VT_MOST_DIGITS, so that
 * multiples have at most 30 bits: all but the strays, which are too small, too large, no numbers,
 * or -0. -1 where those are more than a 16th. */
typedef int vt_find_digits_kernel(const uint32_t *numbers, int64_t count, vt_strays *strays);
VT_DECLARE_KERNEL(find_digits);

/* Zeros at the end of all numbers, at most VT_MOST_ZEROS. */
typedef int vt_find_zeros_kernel(const uint32_t *numbers, int64_t count);
VT_DECLARE_KERNEL(find_zeros);

/* `count` numbers in a way, from number `first` of its chunk on, with so many digits or zeros;
 * `others` is read where the way is beside them. Strays are as the ones before them. */
typedef void vt_take_words_kernel(const uint32_t *numbers, const uint32_t *others, int64_t first,
                                  int64_t count, int way, int digits, const vt_strays *strays,
                                  uint32_t *restrict words);
VT_DECLARE_KERNEL(take_words);

/* Back to the numbers of a chunk, in their places. `room` takes chunk->count words. */
typedef void vt_restore_words_kernel(const uint32_t *words, const vt_packed_rows *about,
                                     const vt_chunk *chunk, const vt_strays *strays, uint32_t *room,
                                     uint8_t *to);
VT_DECLARE_KERNEL(restore_words);
