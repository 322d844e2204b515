/* The cores of the vortons: a separable Gaussian, 13 taps along each axis, from the deposited nodes
 * to the field, which is looked at, or the right side of a Poisson equation that is iterated for;
 * the direct solver has the same filter in its modes. Together with the trilinear weights of
 * deposit and sampling, the Laplacian and the curl (about 0.5 cells^2) it makes the effective core.
 *
 * One sweep over the box for a group of planes: rows of nodes are filtered along z into a ring of
 * rows, from there along y, then along x into the field, all while they are in the cache. A tap of
 * z or y is a pointer to a row; rows outside the box, and those that nothing has reached, are a row
 * of zeros. */
#pragma once

#include "base/kernel.h"
#include "kernels/grid/filter_taps.h"
#include "model/grid.h"

/* A separable filter of 13 taps along each axis, and of that total weight, from nodes to field;
 * what lies outside the box counts as 0. Writes inner planes whole: zero but for the inner nodes,
 * where it adds to what an earlier filter has left if adds is 1. Of three components, on grids
 * without walls. Takes from the arena, for each thread, 2 KiB x (cells[0] + 24), and once 16 x
 * node_row bytes and 1 KiB. */
typedef void vt_filter_kernel(vt_grid *grid, const vt_filter_taps *taps, double weight, int adds,
                              vt_arena *arena, int threads);
VT_DECLARE_KERNEL(filter);
