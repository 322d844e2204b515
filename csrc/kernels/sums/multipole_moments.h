/* Clusters of nodes: the records behind vt_moments, shared by boundary and far_velocity.
 *
 * A block of level l covers `edge << l` nodes along each axis; the last one also takes the last
 * node plane of the grid. All lengths are in cells. The moments are about the mean position of the
 * vortons of the block: with o the offset of a node from there and a its strength, the potential at
 * the distance d from there, times 4 pi, is
 *     sum a / |d - o| = S / r + D.d / r^3 + (3 d.Q.d - r^2 trace Q) / (2 r^5) + ...
 *     S = sum a,  D = sum a o,  Q = sum a o o^T
 * for each component of a. Adding a multiple of the unit matrix to Q changes nothing, so five
 * numbers stand for it: (Qxx - Qzz) / 2, (Qyy - Qzz) / 2, Qxy, Qxz, Qyz. */
#pragma once

#include <stddef.h>

#include "base/simd.h"

enum { VT_MOMENT_LEVELS = 12 }; /* 2^11 leaves along an axis and one to spare */

/* A charge outside the grid, or too near to its faces for its nodes, of the sign of records. */
typedef struct vt_outer_charge {
    float position[3]; /* cells */
    float charge;      /* m^3/s */
    float square;      /* of the distance (cells) within which its potential grows no more */
} vt_outer_charge;

/* Multipole moments of cubic blocks of nodes and of blocks of blocks, in memory reserved once.
 * Level 0 are the leaves; a block of level l + 1 is made of up to 2 x 2 x 2 blocks of level l, the
 * last level is one block. kernels/sums/multipole_moments.h has the record of a block. */
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
 * an axis: vti_moments_bound records of 128 bytes. 0 on success, -1 when refused. */
int vti_moments_create(vt_moments *moments, int64_t max_nodes);
void vti_moments_destroy(vt_moments *moments);

/* Records that every grid of at most max_nodes nodes makes do with: max_nodes / 16 + 8192. */
int64_t vti_moments_bound(int64_t max_nodes);

/* Lays out levels for this number of cells along x, y, z; returns the number of records. */
int64_t vti_moments_layout(vt_moments *moments, const int32_t cells[3]);

enum {
    MOMENT_SUM,
    MOMENT_X,
    MOMENT_Y,
    MOMENT_Z,
    MOMENT_XX,
    MOMENT_YY,
    MOMENT_XY,
    MOMENT_XZ,
    MOMENT_YZ,
    MOMENTS
};

typedef struct vt_cluster {
    float moment[MOMENTS][3]; /* of the three components of strength */
    float centre[3];          /* mean position of its vortons, cells from the grid's first node */
    float weight;      /* lane 3 of the nodes: |strength| of its vortons, m^3/s, or a volume */
    uint32_t children; /* see below; not 0 in a leaf with vortons */
} vt_cluster;
_Static_assert(sizeof(vt_cluster) == 128, "a cluster is two cache lines");

/* Children of a block lie together, at a multiple of 8 records. Bit o of the occupied ones is set
 * where child o holds vortons; the record of a child that does not is undefined. Child o lies
 * towards +x, +y, +z where bit 0, 1, 2 of o is set. */
VT_INLINE uint32_t vti_first_child(const vt_cluster *block)
{
    return block->children >> 8 << 3;
}

VT_INLINE uint32_t vti_occupied_children(const vt_cluster *block)
{
    return block->children & 255u;
}

/* A traversal takes one block off its stack and puts up to eight there, one level below. */
enum { VT_MOMENT_STACK = 8 * VT_MOMENT_LEVELS };
