/* Tracers to leaves of density: hat deposit, then a mass-preserving separable filter; and to fields
 * on the same leaves, each a mean weighted with the tracers' mass.
 *
 * The tracers are sorted by leaf, stably, so that every leaf adds up its own in the order of their
 * rows; a leaf has a margin of one voxel for what falls over its upper faces, and the margins are
 * gathered by the neighbours afterwards. So the sums have the same bits for any number of threads.
 *
 * In a sharp volume each tracer is VT_SPREAD_POINTS points, which are deposited as tracers are.
 *
 * Beside walls (volume/walled_voxels.h) the hat of a point is shared out between the voxels of its
 * side, and each pass of the filter exchanges nothing over ways that are shut: the sums stay.
 */
#pragma once

#include "volume/volume.h"

/* Density and fields of the tracers (hat deposit and mass-preserving filter) into a volume that has
 * voxel_size, threads, sharp and ambient_temperature, and nothing else yet; it is to be destroyed
 * even on failure. Arguments are checked: threads 1 .. VT_MAX_THREADS, voxel_size > 0. */
vt_status vti_rasterize(const vt_tracer_source *source, vt_volume *volume);
