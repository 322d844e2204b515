/* Which nodes of a grid are open to fluid. */
#ifndef VORTON_STAGES_MASKED_SLOPE_H
#define VORTON_STAGES_MASKED_SLOPE_H

#include <stdint.h>

typedef struct vt_node_marks {
    uint8_t *open;   /* 1, or 0 for a node in a wall; laid out as the nodes of the grid; NULL: no
                        walls */
    uint8_t *walled; /* by row, k * (cells[1] + 1) + j: whether any node of the row is in a wall */
} vt_node_marks;

#endif
