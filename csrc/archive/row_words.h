/* Numbers of 4 bytes that belong to particles, as the words of which an archive stores the planes
 * (archive/byte_planes.h): small ones where the numbers are alike. Exact, any bits come back. */
#pragma once

#include <stdint.h>

/* Numbers of 4 bytes, `components` in a row. */
typedef struct vt_packed_rows {
    int64_t rows;
    int components;
    const void *reference; /* as many rows of the field that they may be nearly like; NULL: none */
    int reference_components;
    const uint32_t *order; /* the rows in the order in which they are taken; NULL: as they lie */
} vt_packed_rows;

/* How a chunk of them is taken; b is the number before in the chunk, 0 at first, or that of the
 * same row in the other field. */
enum {
    VT_AS_THEY_ARE,
    VT_LESS_THE_ONE_BEFORE,        /* bits, in the order of values: d = a - b */
    VT_LESS_ANOTHER_FIELD,         /* the same, b of the other field */
    VT_ON_A_LATTICE,               /* multiples n of 2^-digits: d = n - (n of the one before) */
    VT_ON_A_LATTICE_BESIDE_ANOTHER /* n less the multiple nearest to the number of the other field,
                                      and of these d = the one less the one before */
};

enum { VT_MOST_DIGITS = 40 };

/* Where a chunk lies in a field, and how its numbers are taken. */
typedef struct vt_chunk {
    int component;
    int64_t first, count; /* rows */
    int way, digits;
} vt_chunk;

/* Whether a chunk's numbers are multiples on a lattice, or taken beside those of another field. */
static inline int vti_is_on_lattice(int way)
{
    return way == VT_ON_A_LATTICE || way == VT_ON_A_LATTICE_BESIDE_ANOTHER;
}

static inline int vti_is_beside_another(int way)
{
    return way == VT_LESS_ANOTHER_FIELD || way == VT_ON_A_LATTICE_BESIDE_ANOTHER;
}

/* The numbers of a chunk one behind the other, as bits; and those of the other field. */
void vti_gather_numbers(const void *from, const vt_packed_rows *about, const vt_chunk *chunk,
                        uint32_t *numbers);
void vti_gather_others(const vt_packed_rows *about, const vt_chunk *chunk, uint32_t *others);

/* The least number of binary digits behind the point that all numbers can do with, 0 ..
 * VT_MOST_DIGITS, so that multiples have at most 30 bits; -1 where there is none, since one is too
 * small, too large, no number, or -0. */
int vti_find_digits(const uint32_t *numbers, int64_t count);

/* `count` numbers in a way, with so many digits; `others` is read where the way is beside them. */
void vti_take_words(const uint32_t *numbers, const uint32_t *others, int64_t count, int way,
                    int digits, uint32_t *restrict words);

/* Back to the numbers of a chunk, in their places. `room` takes chunk->count words. */
void vti_restore_words(const uint32_t *words, const vt_packed_rows *about, const vt_chunk *chunk,
                       uint32_t *room, uint8_t *to);
