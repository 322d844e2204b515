/* Tracers that have grown beyond a voxel, as the rasteriser wants them: as points that fill a cube
 * of their size evenly. */
#pragma once

#include "vorton.h"

/* Fills `to` with points that the source has, and what they carry. All stay as in the source where
 * it has no growth; else *memory receives what free takes back. A cube has at most 8 points along
 * its edge; those that would lie beyond a wall come nearer to the tracer. VT_OUT_OF_MEMORY,
 * VT_OVER_CAPACITY when there are more than 2^31 - 1 points. */
vt_status vti_list_grown_tracers(const vt_tracer_source *source, double voxel_size,
                                 vt_tracer_source *to, float **memory);
