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
#ifndef VORTON_STAGES_MOMENTS_H
#define VORTON_STAGES_MOMENTS_H

#include "stages/boundary.h"
#include "state/grid.h"

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
VT_INLINE uint32_t vt_first_child(const vt_cluster *block)
{
    return block->children >> 8 << 3;
}

VT_INLINE uint32_t vt_occupied_children(const vt_cluster *block)
{
    return block->children & 255u;
}

/* A traversal takes one block off its stack and puts up to eight there, one level below. */
enum { VT_MOMENT_STACK = 8 * VT_MOMENT_LEVELS };

#endif
