/* Bits of many words, one behind the other, from the lowest bit of each byte on: written for some
 * words at a time, of which each few have been joined before. */
#pragma once

#include <stdint.h>

#include "base/little_endian.h"

enum { VT_MOST_JOINED = 56 /* bits: 7 may wait */ };

/* What is joined, some at a time: vectors of any target. */
typedef uint64_t vt_longs __attribute__((vector_size(64)));

enum { VT_LONGS = sizeof(vt_longs) / 8 };

typedef struct vt_bit_writer {
    uint8_t *to;
    uint64_t waiting, bits; /* less than 8 wait */
} vt_bit_writer;

/* At most VT_MOST_JOINED; eight bytes are written. */
static inline void vti_put_joined(vt_bit_writer *w, uint64_t of, uint64_t bits)
{
    w->waiting |= of << w->bits;
    w->bits += bits;
    vti_write_eight(w->to, w->waiting);
    w->to += w->bits / 8;
    w->waiting >>= w->bits & ~UINT64_C(7);
    w->bits &= 7;
}

/* Two together where they fit. */
static inline void vti_put_all_joined(vt_bit_writer *writer, const uint64_t *of,
                                      const uint64_t *bits, int64_t count)
{
    vt_bit_writer w = *writer; /* in registers */
    int64_t n = 0;
    for (; n + 2 <= count; n += 2) {
        const uint64_t both = bits[n] + bits[n + 1];
        if (both <= VT_MOST_JOINED) {
            vti_put_joined(&w, of[n] | of[n + 1] << bits[n], both);
            continue;
        }
        vti_put_joined(&w, of[n], bits[n]);
        vti_put_joined(&w, of[n + 1], bits[n + 1]);
    }
    if (n < count)
        vti_put_joined(&w, of[n], bits[n]);
    *writer = w;
}

/* Where the next thing goes: what waits takes a byte. */
static inline uint8_t *vti_end_of_bits(const vt_bit_writer *w)
{
    return w->to + (w->bits > 0);
}
