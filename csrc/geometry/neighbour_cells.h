/* Rows of particles by cell, to find neighbours: cubic cells of any side, wherever the particles
 * are, without a grid. */
#pragma once

#include <stdint.h>

#include "base/arena.h"

/* The cells of space, each cut into `slices` along x, are folded into a table of cells[0] x
 * cells[1] x cells[2] buckets: cell (i, j, k), counted from the origin (i in slices), is bucket
 * ((k mod cells[2]) * cells[1] + j mod cells[1]) * cells[0] + i mod cells[0]. At least 3 cells
 * along each axis, so that a cell and its 26 neighbours are other buckets; where an axis is folded,
 * a bucket may also hold particles of cells that lie far away. */
typedef struct vt_partition {
    double side;      /* of a cell, m */
    double scale[3];  /* buckets / m */
    double origin[3]; /* m; no particle lies below */
    int32_t cells[3], folded[3], slices;
    int64_t count;         /* particles */
    const uint32_t *start; /* bucket b holds order[start[b]] ... order[start[b + 1] - 1] */
    const uint32_t *order; /* rows of the particles; inside a bucket in their order */
} vt_partition;

/* Sorts count rows of position (count x 3, m, finite) with bounds [least, most]. Takes at most
 * 36 count x (1 + slices) + 16 KiB x slices from the arena, of which the partition keeps half. */
void vti_make_partition(vt_partition *partition, double side, int slices, const double least[3],
                        const double most[3], int64_t count, const float *position, vt_arena *arena,
                        int threads);

/* The whole number of cells (along x: slices) from the origin along an axis. */
static inline int64_t vti_partition_index(const vt_partition *p, int axis, double position)
{
    const double cells = (position - p->origin[axis]) * p->scale[axis];
    return cells < 1e15 ? (int64_t)cells : (int64_t)1e15;
}
