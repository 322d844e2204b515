/* Motion of the tracers (part 6), for the midpoint rule (reach 1/2) with the velocity of the middle
 * of the substep, by three looks (kernels/particles/join_looks.h), for Euler's (reach 0) with that
 * of its start, x' = x + dt u(x) + dt wind, in the frame that moves with the wind, where the grid
 * stands still. Two half-blocks of VL tracers are in flight: the indices of one are made while the
 * nodes of the other are fetched. */
#pragma once

#include "kernels/grid/scalar_means.h"
#include "kernels/particles/particle_rates.h"

/* Rows with which the grid alone is not done: bits, i % 8 of byte i / 8 for row i, with room for
 * whole blocks of VT_ADVECT_BLOCK, and how many are set in each block. */
typedef struct vt_left_over {
    uint8_t *outside; /* those that leave the grid on their way: they stay */
    int32_t *outside_count;
    const uint8_t *near_cell; /* cells, laid out as the nodes, near walls; NULL: there are none, and
                                 the rest is not read */
    uint8_t *beside; /* those that look up their velocity in such a cell: they have gone as if there
                        were no wall */
    int32_t *beside_count;
} vt_left_over;

/* Moves tracers that stay inside the grid by the velocity that they find after `reach` of their way
 * (1/2: midpoint rule, 0: Euler). */
typedef void vt_advect_kernel(const vt_grid *grid, double dt, double reach, const double *wind,
                              int64_t count, const vt_tracer_rows *rows, const vt_left_over *left,
                              int threads);
VT_DECLARE_KERNEL(advect);

/* Velocity at points inside the grid (count x 3, m); others are left untouched and inside[] is 0
 * for them, 1 else. */
typedef void vt_sample_kernel(const vt_grid *grid, int64_t count, const float *points,
                              float *velocity, uint8_t *inside, int threads);
VT_DECLARE_KERNEL(sample);

/* The same between the eight nodes around each point, as tracers set out. */
typedef vt_sample_kernel vt_sample_between_kernel;
VT_DECLARE_KERNEL(sample_between);

/* Writes the columns of `count` tracers at points (count x 3, m): what the nodes of one or more
 * fields hold there, 0 outside the grid, and the ambient temperature where it is wanted. */
typedef void vt_take_kernel(const vt_grid *grid, int fields, const vt_taking *take,
                            const vt_fluid *fluid, int64_t count, const float *points, int threads);
VT_DECLARE_KERNEL(take);
