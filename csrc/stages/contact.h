/* Which particles may meet a body: the broad phase. */
#ifndef VORTON_STAGES_CONTACT_H
#define VORTON_STAGES_CONTACT_H

#include <stdint.h>

/* Cells of a box; a particle that ends in a cell without a mark, and whose way along each axis is
 * not longer than `reach`, meets nothing. */
typedef struct vt_lattice {
    int32_t cells[3];
    float lower[3], per_cell; /* cell = (position - lower) per_cell; m, 1/m */
    float reach;              /* m */
    const uint8_t *marked;    /* cells; NULL where there are none */
    uint8_t marked_outside;   /* what holds outside the box */
} vt_lattice;

/* Rows are listed block by block. */
enum { VT_CONTACT_BLOCK = 4096 };

#endif
