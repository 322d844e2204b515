/* A tree over vortons (part 3; opening angle and expansions after Barnes and Hut, 1986): who stands
 * far enough away sees the cluster of a node, who stands near looks into its children.
 *
 * The vortons are sorted along a Morton curve; a node is a run of them that shares a cube, a leaf
 * one of few vortons. Moments are about the mean position of the vortons weighted by |alpha|, with
 * o the offset from there, b the largest |o|, d the way from there to a target, r = |d|, n = d / r:
 *
 *   4 pi A_c = (S_c + (b / r) D_c.n + 3/2 (b / r)^2 n.Q_c.n) / r
 *   S = sum alpha,  D_c = sum alpha_c o / b,  Q_c = sum alpha_c (o o^T - |o|^2 / 3) / b^2
 *
 * for each component c of alpha. A cluster stands for its vortons where r >= size / opening angle,
 * size = sqrt 2 b (later still where it is a large part of all), and where r is so many cores that
 * they count as points. The size of a full cube is then 1.2 times its edge: the edge itself
 * flatters a cluster that lies along a curve.
 *
 * In the articles (part 3) only the cell that holds the target is looked into; every other one
 * stands for its vortons however near it is, as one vorton with the sum of their strengths at their
 * mean position, and the largest of their cores. So it is with VT_OPENING_ARTICLE, of nodes in
 * place of cells; the surface of the whole cube stands for a target outside it. */
#ifndef VORTON_STAGES_TREE_H
#define VORTON_STAGES_TREE_H

#include "core/arena.h"
#include "stages/pairs.h"

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

/* By 4 pi; component c of alpha first. */
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
    vt_packed_vorton *sources; /* along the curve */
    uint32_t *order;           /* the rows that they were */
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
void vt_build_tree(vt_tree *tree, const vt_tree_rows *rows, int kernel, int opening,
                   double opening_angle, vt_arena *arena, int threads);

/* The smallest cube that holds a point; the nearest one for a point outside all. */
void vt_find_cube(const vt_tree *tree, const float point[3], int32_t at[3]);

/* Order of points (count x 3) along the curve of the tree: neighbours one after the other. Takes 4
 * bytes a point from the arena, and for the time being 20 more and 64 KiB. */
uint32_t *vt_order_along_curve(const vt_tree *tree, int64_t count, const float *points,
                               vt_arena *arena, int threads);

/* Vector potential (count x 3) at points (count x 3), from vortons with the core of the ball. */
#define VT_DECLARE(target)                                                                         \
    void VT_PASTE(target, tree_potential)(const vt_tree *tree, int64_t count, const float *points, \
                                          float *potential, int threads);
VT_DECLARE(scalar)
VT_DECLARE(avx2)
VT_DECLARE(avx512)
#undef VT_DECLARE

#endif
