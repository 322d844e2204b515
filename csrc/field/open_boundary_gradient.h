/* Nodes at the edge of all vortons, where nobody keeps neutral ones (method.halo 0).
 *
 * A node that vortons fill to less than a twentieth is open: ambient. One beside it has of what its
 * vortons differ by the share that it is filled to, so that the sum is what they carry; towards
 * open nodes it takes the whole difference, since nobody feels those beyond; and as few vortons
 * feel what it should give a whole node, they feel it as much more. So the vorticity of the edge,
 * which belongs to both its sides, lies on the one that has vortons: at most half a cell too far
 * in. */
#pragma once

#include "kernels/grid/masked_gradient.h"

typedef struct vt_half_open {
    const vt_node_marks *marks;
    uint8_t *edge; /* whether a node lies beside an open one */
} vt_half_open;

/* Contrasts at the edge, before their differences are taken. Takes a byte a node from the arena. */
void vti_close_values(vt_simulation *s, const vt_node_marks *marks, vt_grid *means,
                      vt_half_open *half);

/* Differences at the edge, after all others. */
void vti_close_slopes(const vt_simulation *s, const vt_half_open *half, const vt_grid *means,
                      vt_grid *slopes);
