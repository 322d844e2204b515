/* The inverse of a square matrix. */
#pragma once

#include <stdint.h>

#include "vorton.h"

/* Inverts a matrix, entry (i, j) at [i * count + j], in place, by Gauss-Jordan elimination with row
 * pivoting: each entry has the same sums in the same order as by one step after the other. Sets no
 * message. VT_INVALID_ARGUMENT: it is singular, and spoiled; VT_OUT_OF_MEMORY. */
vt_status vti_invert(double *matrix, int64_t count, int threads);
