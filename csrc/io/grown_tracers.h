/* Tracers that have grown beyond a voxel, as the rasteriser wants them: as points that fill a cube
 * of their size evenly. */
#ifndef VORTON_IO_GROWN_TRACERS_H
#define VORTON_IO_GROWN_TRACERS_H

#include "state/columns.h"
#include "vorton.h"

/* Fills count, position, density, size and what the tracers carry. All stay as in the columns where
 * growth is not in use; else *memory receives what free takes back. A cube has at most 8 points
 * along its edge. VT_OUT_OF_MEMORY, VT_OVER_CAPACITY when there are more than 2^31 - 1 points. */
vt_status vt_list_grown_tracers(const vt_tracers *tracers, double voxel_size,
                                vt_tracer_source *source, float **memory);

#endif
