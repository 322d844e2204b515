/* Diffusion between the nodes of a grid over any time in one go: what vortons carry diffuses with
 * it where particle strength exchange would need many steps.
 *
 * A node holds the mean w of the vortons around it and their volume (or mass), its capacity m, in
 * cells. Backward Euler, one axis after the other (locally one-dimensional; Yanenko 1971):
 *
 *   m (w' - w) = sum over both neighbours of f (w'_next - w'),   f = reach - mixed q m / V,
 *
 * f in cells^2, 0 between nodes of which one is closed: nobody is there to take anything. So sum m
 * w is kept, w' lies between the least and the largest w whatever the reach, and the second moment
 * grows by 2 reach along each axis, as the heat equation has it. A kernel of one part has long
 * tails; of `parts` parts, each of a share of the reach, it nears the Gaussian, axes in turn. */
#pragma once

#include "base/kernel.h"
#include "model/grid.h"

enum { VT_DIFFUSED_LANES = 3 };

typedef struct vt_node_diffusion {
    /* Lanes of the nodes, sums over the vortons around: those that diffuse, from lane 0 on, the
     * capacity by which they are divided (m^3), and in lane 3 the volume (m^3). */
    int32_t components, capacity_lane;
    double cell;      /* volume of a cell, m^3 */
    double reach;     /* diffusivity x time, cells^2 */
    int32_t parts;    /* at least 1 */
    double mixed;     /* share of the old values that the result replaces, 0 to 1 */
    const f4 *mixing; /* sums laid out as the nodes: how far that mixes along each axis x volume
                         (cells^2 m^3), and the volume (m^3) */
} vt_node_diffusion;

/* From deposited sums to w' - (1 - mixed) w in the lanes that diffuse; grid->filled says which rows
 * hold any. Takes from the arena 4 (components + 5) x floats of the grid, and for each thread 4 x
 * row x (the longest of 7 VT_LANES and the nodes along y and z, and 2) bytes and some KiB. */
typedef void vt_diffuse_nodes_kernel(vt_grid *grid, const vt_node_diffusion *diffusion,
                                     vt_arena *arena, int threads);
VT_DECLARE_KERNEL(diffuse_nodes);

/* The nodes at the records (trilinear), in the order of the records. */
typedef void vt_sample_records_kernel(const vt_grid *grid, int64_t count, const vt_record *records,
                                      f4 *values, int threads);
VT_DECLARE_KERNEL(sample_records);
