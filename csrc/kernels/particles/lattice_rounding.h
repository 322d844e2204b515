/* Numbers that are left on a lattice, so that archives, which keep them exactly, need few bytes.
 *
 * A number between two multiples becomes one of both by chance, the nearer one more often: on the
 * mean it stays what it is, so that what moves by a small part of the lattice drifts right, and
 * what lies on it stays. The chance is a hash of the id of the row and of a key, the number of the
 * step: it depends neither on threads nor on the order of the rows, and is the same after a
 * resume. */
#pragma once

#include <stdint.h>

#include "base/kernel.h"

/* Rows of `components` (1 .. 3) numbers: multiples of a lattice that is a power of 2. Numbers of
 * 2^22 multiples or more, and what is no number, stay. */
typedef void vt_round_rows_kernel(int64_t count, int components, const int64_t *id, uint32_t key,
                                  double lattice, float *rows, int threads);
VT_DECLARE_KERNEL(round_rows);

/* Rows of three numbers: each to a power of 2 that is `share` (a power of 2) of the largest one
 * below the largest number of its row, to the nearest. */
typedef void vt_round_vectors_kernel(int64_t count, double share, float *rows, int threads);
VT_DECLARE_KERNEL(round_vectors);

/* Shares of a whole, in up to three columns (NULL: none): their sums from the first on are rounded,
 * so that no share falls below 0, and all together do not come above 1. */
typedef void vt_round_shares_kernel(int64_t count, const int64_t *id, uint32_t key, double lattice,
                                    float *const column[3], int threads);
VT_DECLARE_KERNEL(round_shares);
