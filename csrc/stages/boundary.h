/* Vector potential at the boundary of the grid, and velocity beyond it, from clusters of nodes. */
#ifndef VORTON_STAGES_BOUNDARY_H
#define VORTON_STAGES_BOUNDARY_H

#include <stddef.h>
#include <stdint.h>

/* Multipole moments of blocks of nodes and of blocks of blocks, in memory reserved once. */
typedef struct vt_moments {
    int32_t levels;
    void *memory;
    size_t capacity;
} vt_moments;

#endif
