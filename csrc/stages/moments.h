/* Clusters of nodes: the records behind vt_moments, shared by boundary and far_velocity.
 *
 * A block of level l covers `edge << l` nodes along each axis; the last one also takes the last
 * node plane of the grid. All lengths are in cells. With o the offset of a node from the centre of
 * the block and a its strength, the potential at distance d from the centre, times 4 pi, is
 *     sum a / |d - o| = S / r + D.d / r^3 + (3 d.Q.d - r^2 trace Q) / (2 r^5) + ...
 *     S = sum a,  D = sum a o,  Q = sum a o o^T
 * for each component of a. Adding a multiple of the unit matrix to Q changes nothing, so five
 * numbers stand for it: (Qxx - Qzz) / 2, (Qyy - Qzz) / 2, Qxy, Qxz, Qyz. */
#ifndef VORTON_STAGES_MOMENTS_H
#define VORTON_STAGES_MOMENTS_H

#include "core/arena.h"
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
    float centre[3];          /* cells from the first node of the grid */
    uint32_t child;           /* index of the first of its eight children; unused in a leaf */
    uint32_t occupied;        /* bit o: child o holds vortons; in a leaf: whether it does. Where the
                                 bit in the parent is 0, the rest of the record is undefined. */
} vt_cluster;
_Static_assert(sizeof(vt_cluster) == 128, "a cluster is two cache lines");

/* Child o of a block lies towards +x, +y, +z where bit 0, 1, 2 of o is set. */
VT_INLINE float vt_octant_sign(int octant, int axis)
{
    return octant >> axis & 1 ? 1.0f : -1.0f;
}

/* One entry of the stack of a traversal: a block that is too close, whose children are next. */
typedef struct vt_open_block {
    uint32_t index;
    int32_t level;
} vt_open_block;

/* A traversal takes one block off the stack and puts up to eight there, one level below. */
enum { VT_MOMENT_STACK = 8 * VT_MOMENT_LEVELS };

/* Fills tree with the moments of the deposited nodes (clusters.c). */
#define VT_DECLARE(target)                                                                         \
    void VT_PASTE(target, make_moments)(const vt_grid *grid, vt_moments *tree, vt_arena *arena,    \
                                        int threads);
VT_DECLARE(scalar)
VT_DECLARE(avx2)
VT_DECLARE(avx512)
#undef VT_DECLARE

#endif
