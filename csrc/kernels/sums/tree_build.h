/* The tree over vortons (kernels/sums/tree_sum.h): sorted along a Morton curve, cut into nodes,
 * moments of each node straight from its vortons. Nothing here depends on the number of threads:
 * the sort is stable, the cuts follow from the keys, and one thread sums all of a node. */
#pragma once

#include "base/arena.h"
#include "kernels/sums/pair_sums.h"

/* Nodes lie in preorder: the first child of a node is the next one. A leaf has no nodes below it.
 */
typedef struct vt_tree_node {
    float centre[3];
    float taken_from;    /* squared distance from which the cluster stands for its vortons */
    float radius;        /* b */
    uint32_t next;       /* the node after all below this one */
    uint32_t begin, end; /* its vortons */
} vt_tree_node;
_Static_assert(sizeof(vt_tree_node) == 32, "two nodes in a cache line");

/* Moments of a node over 4 pi; the first index is the component of alpha. */
typedef struct vt_tree_moments {
    float sum[3];
    float first[3][3];       /* D */
    float second[3][6];      /* Q: xx yy zz xy xz yz */
    float first_curl[3];     /* e_ibc D_cb */
    float second_curl[3][3]; /* e_ibc Q_cbj */
} vt_tree_moments;

/* The smallest cube of the curve that holds the vortons of a node. */
typedef struct vt_tree_cube {
    int32_t corner[3], edge; /* in the smallest cubes of all */
} vt_tree_cube;

typedef struct vt_tree {
    int64_t count;
    vt_packed_vorton *sources; /* the vortons, in the order of the curve */
    uint32_t *order;           /* the row of each of them in the columns */
    uint32_t node_count;       /* 0 without vortons */
    vt_tree_node *nodes;
    vt_tree_moments *moments; /* VT_OPENING_ANGLE alone */
    vt_tree_cube *cubes;      /* VT_OPENING_ARTICLE alone: NULL otherwise, as is ... */
    vt_packed_vorton *whole;  /* ... each node as one vorton */
    double least[3], edge;    /* the cube of the curve */
    double scale;             /* (position - least) scale is in [0, 2^21) */
} vt_tree;

/* Rows `stride` floats apart; core may be NULL: then it is `same_core` for all. */
typedef struct vt_tree_rows {
    int64_t count, stride;
    const float *position, *strength, *core;
    float same_core;
} vt_tree_rows;

/* Everything lies in the arena: at most 600 bytes (and 1 KiB) for each vorton, typically 120.
 * kernel: VT_KERNEL_..., opening: VT_OPENING_..., opening_angle 0 .. 1. */
void vti_build_tree(vt_tree *tree, const vt_tree_rows *rows, int kernel, int opening,
                    double opening_angle, vt_arena *arena, int threads);

/* The smallest cube that holds a point; the nearest one for a point outside all. */
void vti_find_cube(const vt_tree *tree, const float point[3], int32_t at[3]);

/* Order of points (count x 3) along the curve of the tree: neighbours one after the other. Takes 4
 * bytes a point from the arena, and for the time being 20 more and 64 KiB. */
uint32_t *vti_order_along_curve(const vt_tree *tree, int64_t count, const float *points,
                                vt_arena *arena, int threads);
