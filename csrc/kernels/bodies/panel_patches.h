/* Patches: the panels of all bodies on the working grid, cut where they are large for it. The grid
 * sees of each a charge at its centroid, smeared by the core of the grid; what it lacks is found by
 * pairs:
 *
 *   far patch    q d (1 - S) / (4 pi r^3)
 *   near patch   s u_exact - q d S / (4 pi r^3),   r < 1.5 sqrt(2 A)
 *
 * d = x - c, r = |d|, s density, q = s A, S = erf(t) - 2 / sqrt(pi) t exp(-t^2), t = r / (sqrt 2
 * sigma); u_exact in geometry/source_panels.h. Lengths in cells of the grid, velocities in m/s. */
#pragma once

#include <stdint.h>

typedef struct vt_patch {
    float center[3];
    float near_square; /* square of the distance below which it is near */
    float normal[3];
    float density; /* m/s */
    float corner[3][3];
    float outward[3][3]; /* of each side, normal to it within the plane */
    float length[3];     /* of each side */
    float area;
} vt_patch;

/* What the filter adds to the variance of charges where there are panels, cells^2, and the sigma
 * that they have then with what deposit, differences and sampling add; beyond the reach (cells) 1 -
 * S is less than .07. */
static const double vt_panel_variance = 1.75;
static const float vt_panel_sigma = 1.48f, vt_panel_reach = 4;

/* Stands for how far (cells) a node lies in front of a patch where none is within reach. */
#define VT_FAR_FROM_PATCHES 1e6f

enum { VT_BIN_EDGE = 4, VT_BIN_NODES = VT_BIN_EDGE * VT_BIN_EDGE * VT_BIN_EDGE };

/* Sorted by bins, cubes of VT_BIN_EDGE cells that cover the nodes of the grid; what lies outside is
 * in the outermost bins. Bin (i, j, k) is number (k bins[1] + j) bins[0] + i and has the nodes from
 * VT_BIN_EDGE (i, j, k) on. */
typedef struct vt_patches {
    int32_t bins[3];
    const uint32_t *first; /* of each bin in item, and of one more */
    const vt_patch *item;
    const float *center[3]; /* the same as in item; VT_LANES more may be read */
} vt_patches;

/* The bin of a coordinate (cells) among those along an axis. */
static inline int32_t vti_bin_along(float at, int32_t bins)
{
    return !(at > 0) ? 0 : at >= (float)(bins * VT_BIN_EDGE) ? bins - 1 : (int32_t)at / VT_BIN_EDGE;
}
