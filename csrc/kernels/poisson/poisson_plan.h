/* What the direct Poisson solver knows of a size of grid beforehand. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "model/grid.h"

/* Tables of one level of a sine transform (kernels/poisson/sine_transform.h), n = cells points;
 * they lie in the plan's memory. Its complex transform has n / 4 points where it is split, n / 2 on
 * the last level. */
typedef struct vt_sine_tables {
    int32_t cells;
    int32_t *place;  /* where frequency k is after the last pass of the complex transform */
    float *twiddle;  /* pass by pass, block of L points and radix r:
                        exp(-2 pi i j q / L) for j = 1 .. L / r - 1, q = 1 .. r - 1 */
    float *rotation; /* last level, k = 1 .. n / 4: exp(-2 pi i k / n);
                        others, k = 1 .. n / 8: exp(-4 pi i k / n), then 2 cos and 2 sin of
                        pi k / n and of pi (n / 4 - k) / n */
    float *weight;   /* last level, j = 0 .. n / 2 - 1: 2 sin(pi j / n) */
} vt_sine_tables;

enum { VT_SINE_LEVELS = 9 };

/* Whether the odd points of a line of n are split off. */
static inline int vti_sine_splits(int n)
{
    return n % 4 == 0 && n > 4;
}

/* Radix of the pass of the complex transform over blocks of this many points. */
static inline int vti_next_radix(int block)
{
    return block % 5 == 0 ? 5 : block % 3 == 0 ? 3 : block > 8 ? 4 : block;
}

/* Tables for one cell count, in memory reserved once. The solver makes them anew when the cells of
 * the grid change: in a fraction of the time of one solve. */
typedef struct vt_poisson_plan {
    int32_t cells[3]; /* the tables are for these; 0 before the first */
    int32_t fourth;   /* 1: of fourth order */
    int32_t walled;   /* and for walls at the faces or, 0, for values given there */
    void *memory;
    size_t capacity;                        /* bytes */
    vt_sine_tables sine[2][VT_SINE_LEVELS]; /* along x and y */
    float *pivot;                           /* cells[2] / 2 planes of pivots of the solve along z
                                               (kernels/poisson/poisson_direct.c) */
    float *even_pivot; /* between walls, of the component that is even along z: cells[2] / 2 + 1
                          planes, from the wall on */
} vt_poisson_plan;

/* Whether the solver takes this number of cells along an axis: even, 2^a 3^b 5^c, 6 .. 1024. */
int vti_poisson_likes(int64_t cells);

/* Reserves memory (address space: pages are taken as they are touched) for the tables of any grid
 * of at most most_nodes nodes. Pivots are cells[0] + 1 rounded up to 16 x (cells[1] + 1) x
 * (cells[2] + 1) floats between walls, half of that else: less than two per node, since rounding
 * less than doubles. Returns 0, or -1 when the system refuses. */
int vti_poisson_plan_create(vt_poisson_plan *plan, int64_t most_nodes);
void vti_poisson_plan_destroy(vt_poisson_plan *plan);

/* Makes the tables for the cells of a grid, its walls (vt_grid.walled) and its order
 * (vt_grid.fourth), with modes in blocks of `lanes` (4, 8, 16) along x. */
void vti_poisson_plan_make(vt_poisson_plan *plan, const vt_grid *grid, int lanes, int threads);

/* Bytes that the solver pushes on the arena for a grid of these cells, at most: modes of faces, 3
 * planes of floats and some lines for each thread, nodes rounded up to 16. */
size_t vti_poisson_scratch(const int32_t cells[3], int threads);
