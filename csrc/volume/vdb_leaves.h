/* Values of the leaves of an OpenVDB file: for each leaf its mask, a byte, and the values of its
 * active voxels as floats or half floats, packed by zlib or not. */
#pragma once

#include "volume/vdb_grid.h"

uint64_t vti_hash_bytes(uint64_t hash, const vt_bytes *b);

/* Whether packing leaves less than three quarters of the values, as a sample of the leaves shows.
 */
int vti_packing_pays(const vt_vdb_grid *g);

/* Makes the blocks of the grid, the same for any number of threads; -1 when there is no memory. */
int vti_encode_vdb_leaves(vt_vdb_grid *g, int threads);
