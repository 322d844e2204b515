/* Direct solution of the Poisson equation for the vector potential. */
#ifndef VORTON_STAGES_POISSON_H
#define VORTON_STAGES_POISSON_H

#include <stddef.h>
#include <stdint.h>

/* Tables for one cell count, in memory reserved once. */
typedef struct vt_poisson_plan {
    int32_t cells[3]; /* the tables are for these; 0 before the first */
    void *memory;
    size_t capacity;
} vt_poisson_plan;

/* Whether the solver takes this number of cells along an axis: even, 2^a 3^b 5^c, 8 .. 1024. */
int vt_poisson_likes(int64_t cells);

#endif
