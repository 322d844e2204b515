/* Spread of tracers for a sharp volume: each is drawn as an ellipsoid of the form in which the
 * tracers around it lie, so that a thin sheet of few tracers is a sheet and not dots. */
#pragma once

#include "volume/sorted_points.h"
#include "volume/walls.h"

/* Walls hold the points of a tracer back, across themselves. *spread: one for each tracer, to be
 * given back with free; NULL without tracers and on failure. threads: 1 .. VT_MAX_THREADS. Costs 36
 * bytes a tracer while it works. */
vt_status vti_find_spreads(const vt_tracer_source *source, const vt_walls *walls, double voxel_size,
                           int threads, vt_spread **spread);
