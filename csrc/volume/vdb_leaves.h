/* Values of the leaves of an OpenVDB file: for each leaf its mask, a byte, and the values of its
 * active voxels as floats or half floats, packed or not. */
#pragma once

#include "volume/vdb_grid.h"

uint64_t vti_hash_bytes(uint64_t hash, const vt_bytes *b);

/* Whether packing leaves less than three quarters of the values, as a sample of the leaves shows.
 */
int vti_packing_pays(const vt_vdb_grid *g);

/* Cuts the leaves into blocks, and says how much room their values take at most; -1 when there is
 * no memory. */
int vti_plan_vdb_leaves(vt_vdb_grid *g, int threads);

/* Puts the values into that much room, the same for any number of threads; returns how long they
 * are. */
size_t vti_encode_vdb_leaves(vt_vdb_grid *g, uint8_t *room, int threads);
