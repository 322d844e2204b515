/* Tracers that have grown beyond a voxel, as the rasteriser wants them: as points that fill a cube
 * of their size evenly. */
#pragma once

#include "model/columns.h"
#include "volume/walls.h"

/* Fills count, position, density, size and what the tracers carry. All stay as in the columns where
 * growth is not in use; else *memory receives what free takes back. A cube has at most 8 points
 * along its edge; those that would lie beyond a wall come nearer to the tracer. VT_OUT_OF_MEMORY,
 * VT_OVER_CAPACITY when there are more than 2^31 - 1 points. */
vt_status vti_list_grown_tracers(const vt_tracers *tracers, const vt_walls *walls,
                                 double voxel_size, vt_tracer_source *source, float **memory);
