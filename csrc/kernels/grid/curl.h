/* Velocity at the nodes: u = curl A (+ grad phi, where there is a scalar potential), and div A as a
 * measure of the error of A (part 6 of the articles). Central differences inside, of second or
 * (vt_grid.fourth) sixth order, in a room up to its walls; beside other faces of second, on them
 * one-sided ones of second, so that every node of the box has a velocity. */
#pragma once

#include "base/kernel.h"
#include "model/grid.h"

/* Velocity (curl A, + grad phi with grid->has_potential) and div A at all nodes, zero at node
 * cells[0] + 1 of each row: central differences, on the faces one-sided ones of second order. */
typedef void vt_velocity_kernel(vt_grid *grid, int threads);
VT_DECLARE_KERNEL(velocity);
