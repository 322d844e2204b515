/* Vector potential at the boundary of the grid, and velocity beyond it, from clusters of nodes. */
#ifndef VORTON_STAGES_BOUNDARY_H
#define VORTON_STAGES_BOUNDARY_H

#include <stddef.h>
#include <stdint.h>

enum { VT_MOMENT_LEVELS = 12 }; /* 2^11 leaves along an axis and one to spare */

/* A charge outside the grid, or too near to its faces for its nodes, of the sign of records. */
typedef struct vt_outer_charge {
    float position[3]; /* cells */
    float charge;      /* m^3/s */
    float square;      /* of the distance (cells) within which its potential grows no more */
} vt_outer_charge;

/* Multipole moments of cubic blocks of nodes and of blocks of blocks, in memory reserved once.
 * Level 0 are the leaves; a block of level l + 1 is made of up to 2 x 2 x 2 blocks of level l, the
 * last level is one block. moments.h has the record of a block. */
typedef struct vt_moments {
    int32_t levels;                      /* 0 before the first boundary */
    int32_t edge;                        /* nodes along the edge of a leaf: 2 or 4 */
    int32_t blocks[VT_MOMENT_LEVELS][3]; /* of each level, along x, y, z */
    int64_t first[VT_MOMENT_LEVELS];     /* where the records of a level begin in memory */
    void *memory;
    size_t capacity;              /* bytes */
    const vt_outer_charge *outer; /* what boundary_clusters adds for one component */
    int64_t outer_count;
} vt_moments;

/* Reserves address space (not memory) for any grid of at most max_nodes nodes with at least 8 cells
 * an axis: vt_moments_bound records of 128 bytes. 0 on success, -1 when refused. */
int vt_moments_create(vt_moments *moments, int64_t max_nodes);
void vt_moments_destroy(vt_moments *moments);

/* Records that every grid of at most max_nodes nodes makes do with: max_nodes / 16 + 8192. */
int64_t vt_moments_bound(int64_t max_nodes);

/* Scratch bytes that the stage takes at most, for grids of up to `largest` cells an axis. */
static inline size_t vt_boundary_scratch(int32_t largest, int threads)
{
    const size_t side = (size_t)largest + 80;
    return 24 * side * side + 192 * side * (size_t)threads;
}

/* The axes u and v of a face (state/grid.h). */
static inline void vt_face_axes(int face, int *u, int *v)
{
    *u = face / 2 == 0 ? 1 : 0;
    *v = face / 2 == 2 ? 1 : 2;
}

/* Lays out levels for this number of cells along x, y, z; returns the number of records. */
int64_t vt_moments_layout(vt_moments *moments, const int32_t cells[3]);

#endif
