/* Nodes behind walls, of a grid whose faces are walls (vt_grid.walled). */
#pragma once

#include <stdint.h>

/* The node whose image a node behind a wall is, less than all cells behind it; any other is its
 * own. */
static inline int64_t vti_mirrored(int64_t index, int64_t cells)
{
    return index < 0 ? -index : index > cells ? 2 * cells - index : index;
}
