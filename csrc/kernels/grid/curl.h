/* Velocity at the nodes: u = curl A (+ grad phi, where there is a scalar potential), and div A as a
 * measure of the error of A (part 6 of the articles). Central differences inside, of second or
 * fourth order (those of second make waves along the axes weaker than those across, which cores of
 * one cell show); beside the faces of second order, on them one-sided, so that every node of the
 * box has a velocity. */
#pragma once

#include "base/kernel.h"
#include "model/grid.h"

/* Velocity (curl A, + grad phi with grid->has_potential) and div A at all nodes, zero at node
 * cells[0] + 1 of each row. order: 2 or 4, of curl and divergence; grad phi is of order 2, as what
 * panels add beside them. */
typedef void vt_velocity_kernel(vt_grid *grid, int order, int threads);
VT_DECLARE_KERNEL(velocity);
