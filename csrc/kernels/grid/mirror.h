/* Nodes at walls and behind them, of a grid whose faces are walls (vt_grid.walled). */
#pragma once

#include <stdint.h>

/* The node whose image a node behind a wall is, less than all cells behind it; any other is its
 * own. */
static inline int64_t vti_mirrored(int64_t index, int64_t cells)
{
    return index < 0 ? -index : index > cells ? 2 * cells - index : index;
}

/* How much of the cell around a node lies before walls, along an axis. */
static inline double vti_share_before_walls(int64_t index, int64_t cells)
{
    return index == 0 || index == cells ? 0.5 : 1;
}
