/* A grid and coarser and coarser ones over the same box, for the Poisson solvers that work on such
 * a sequence (kernels/poisson/poisson_multigrid.c). From n cells along an axis the next level has
 * half of them, rounded up: 2^a 3^b 5^c cells are not halved evenly for long, and then the nodes of
 * one level lie between those of the other. The last level is the first with an axis of 2 cells. */
#pragma once

#include "model/grid.h"

enum { VT_LEVELS = 10, VT_TAPS = 3, VT_ALL = 2 };

/* Tables along one axis between a level (n cells) and the next coarser one (m cells). Arrays over
 * nodes are padded to VT_LANES with entries that may be used like the others. */
typedef struct vt_transfer {
    int32_t
        *tap[VT_TAPS]; /* coarse nodes, inner ones: the fine nodes that they average, ascending */
    float *share[VT_TAPS]; /* their weights, sum 1; 0 where a tap only repeats another */
    int32_t *nearest;      /* coarse nodes: the fine node that is nearest */
    int32_t *base;         /* fine nodes: the coarse node before, at most m - 1 */
    float *fraction;       /* fine nodes: how far from there to the next, 0 .. 1 */
} vt_transfer;

typedef struct vt_level {
    int32_t cells[3];
    int64_t row, plane;  /* floats from row to row, plane to plane: rows as in vt_grid */
    float *potential[3]; /* A; of the finest level, the field of the grid */
    float *source[3];    /* (finest spacing)^2 x right side, at inner nodes */
    float coupling[3];   /* (finest spacing / spacing of this level)^2, per axis */
    int32_t *inner[3];   /* by node of a row: all bits set at inner nodes, else 0: at even ones (0),
                            odd ones (1), all (VT_ALL) */
    vt_transfer coarser[3]; /* to the next level; of the last level, unset */
} vt_level;

typedef struct vt_levels {
    int count;
    vt_level level[VT_LEVELS]; /* finest first */
} vt_levels;

/* Levels of the grid, with tables and arrays (not cleared) from the arena; they last until the
 * caller pops it. */
void vti_make_levels(vt_levels *levels, const vt_grid *grid, vt_arena *arena);

/* Bytes that kernels/poisson/poisson_multigrid.c pushes on the arena for a grid of these cells, at
 * most: the levels, and for each thread three planes and a row. */
size_t vti_levels_scratch(const int32_t cells[3], int threads);
