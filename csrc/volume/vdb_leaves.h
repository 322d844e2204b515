/* Values of the leaves of an OpenVDB file: for each leaf its mask, a byte, and the values of its
 * active voxels as floats or half floats, packed or not. */
#pragma once

#include "volume/vdb_grid.h"

uint64_t vti_hash_bytes(uint64_t hash, const vt_bytes *b);

/* Voxels whose stored value would be 0, the background, are no longer active; leaves without active
 * voxels go. Nothing burns in most of a fire. -1 when there is no memory. */
int vti_leave_out_zeros(vt_vdb_grid *g, int threads);
void vti_destroy_sparse(vt_vdb_grid *g);

/* Whether packing leaves less than half of the values, as a sample of the leaves shows. */
int vti_packing_pays(const vt_vdb_grid *g);

/* Cuts the leaves into blocks, and says how much room their values take at most; -1 when there is
 * no memory. */
int vti_plan_vdb_leaves(vt_vdb_grid *g, int threads);

/* Puts the values into that much room, the same for any number of threads; returns how long they
 * are. */
size_t vti_encode_vdb_leaves(vt_vdb_grid *g, uint8_t *room, int threads);
