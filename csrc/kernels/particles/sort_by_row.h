/* Records in grid-row order: a stable counting sort over fixed blocks of records. The stable order
 * is unique, so the result depends on nothing but the input. */
#pragma once

#include "base/kernel.h"
#include "model/grid.h"

/* Records in the order of their grid rows, k * cells[1] + j with j and k the whole parts of
 * position [1] and [2], stable; row_start as deposit wants it. Records lie inside [0, cells) along
 * y and z. Takes at most 12 count + 4 rows bytes (and 1 KiB) from the arena; count < 2^32. */
typedef void vt_sort_kernel(const vt_grid *grid, int64_t count, const vt_record *records,
                            vt_record *sorted, uint32_t *row_start, vt_arena *arena, int threads);
VT_DECLARE_KERNEL(sort);
