/* Where particles lie in a cubic lattice. */
#pragma once

#include "base/kernel.h"
#include "base/simd.h"

enum {
    VT_LATTICE_ROWS = 512,        /* at most at a time */
    VT_LATTICE_FARTHEST = 1 << 28 /* nodes, of those that lie in it */
};

/* A box of bricks of 8 x 8 x 8 nodes: brick (0, 0, 0) is that of nodes 0 to 7. */
typedef struct vt_brick_box {
    int32_t low[3], size[3];
} vt_brick_box;

/* Nodes along each axis; no such node: node[0] is INT32_MIN. */
typedef struct vt_lattice_nodes {
    int32_t node[3][VT_LATTICE_ROWS];
    int32_t brick[VT_LATTICE_ROWS]; /* in the box, x first; in none of it: as many as it has */
} vt_lattice_nodes;

/* The nodes at or below positions (count x 3, m; up to 15 rows after the last may be read) times
 * `scale` plus `shift`; and, unless the box is NULL, their bricks. */
typedef void vt_find_nodes_kernel(int64_t count, const float *position, double scale, double shift,
                                  const vt_brick_box *box, vt_lattice_nodes *nodes);
VT_DECLARE_KERNEL(find_nodes);

/* Where they lie between those nodes, without a shift, in spacings, and their volume in that of a
 * node; room for up to 15 more. */
typedef void vt_find_shares_kernel(int64_t count, const float *position, const float *volume,
                                   double scale, const vt_lattice_nodes *nodes, f4 *shares);
VT_DECLARE_KERNEL(find_shares);
