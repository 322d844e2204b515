/* Which particles may meet a body: the broad phase. */
#pragma once

#include <stdint.h>

#include "base/kernel.h"

enum { VT_NO_WALL = 255, VT_CELLS_BEHIND = 3 };

/* Cells of a box; a particle that ends in one of them, and whose way along each axis is not longer
 * than `reach`, meets nothing if the whole of its way is shorter than the cell lets it be. Nor does
 * one that comes from farther if all of its way keeps `stray` + `drift` x its length from walls. */
typedef struct vt_lattice {
    int32_t cells[3];
    float lower[3], per_cell; /* cell = (position - lower) per_cell; m, 1/m */
    float reach;              /* m */
    float stray, drift;       /* m, m/m: what bodies turn meanwhile; INFINITY: too much */
    const uint8_t *free_way;  /* cells: in units, rounded down; VT_NO_WALL: any; and behind them
                                 VT_CELLS_BEHIND bytes that may be read */
    float per_unit;           /* 1/m */
    uint8_t near_outside;     /* whether those outside the box may meet something */
    const uint32_t *first;    /* cells + 1: first wall of each cell */
    /* Of each of them two planes (unit normal, minus the distance from the origin, m): what begins
     * beyond the first and ends beyond the second does not meet it. Normals of 0: not known. */
    const float (*planes)[8];
} vt_lattice;

/* Rows are listed block by block. */
enum { VT_CONTACT_BLOCK = 1024 };

/* Rows (count x 3, m) that may have met a body on their way from there to here; rows no older (s)
 * than `since` began at their birth: near[block * VT_CONTACT_BLOCK ...] lists near_count[block] of
 * them, and has room for VT_LANES more than there are rows. */
typedef void vt_contact_kernel(const vt_lattice *lattice, float since, int64_t count,
                               const float *from, const float *to, const float *age, uint32_t *near,
                               int32_t *near_count, int threads);
VT_DECLARE_KERNEL(contact);
