/* From vortons to nodes: every vorton adds its strength, and its length or a volume, to the eight
 * nodes of its cell with trilinear weights (cloud in cell; Birdsall and Fuss 1969), or, on grids of
 * fourth order, to the 27 around the nearest one with quadratic B-splines, whose variance is 1/4 of
 * a cell wherever it lies; in a room to their images before the walls, too.
 *
 * Slabs of cell layers share only the planes of nodes between neighbours: all even slabs run at the
 * same time, then all odd ones. A node gets its terms in a fixed order for any number of threads.
 */
#pragma once

#include "base/kernel.h"
#include "model/grid.h"

/* Grid nodes from sorted records; row_start[k * cells[1] + j] is the first
 * record of grid row (j, k), with one more entry at the end. Clears the nodes first, where
 * grid->filled is kept only those of the rows that it marks. */
typedef void vt_deposit_kernel(vt_grid *grid, const vt_record *records, const uint32_t *row_start,
                               int threads);
VT_DECLARE_KERNEL(deposit);

/* Deposits records with |strength| instead of volumes in lane 3 of the nodes. */
typedef void vt_deposit_lengths_kernel(vt_grid *grid, const vt_record *records,
                                       const uint32_t *row_start, int threads);
VT_DECLARE_KERNEL(deposit_lengths);

/* The same of four lanes of values, home being the fourth: the volumes to `volume`, a float for
 * every node, laid out alike. */
typedef void vt_deposit_four_kernel(vt_grid *grid, float *volume, const vt_record *records,
                                    const uint32_t *row_start, int threads);
VT_DECLARE_KERNEL(deposit_four);

/* Adds a few records in any order to what has been deposited; lane 3 takes |strength|. */
typedef void vt_deposit_more_kernel(vt_grid *grid, int64_t count, const vt_record *records);
VT_DECLARE_KERNEL(deposit_more);
