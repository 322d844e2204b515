/* One grid of an OpenVDB file while it is written: vdb.c makes what says which nodes and voxels
 * exist, vdb_leaves.c the values. */
#ifndef VORTON_IO_VDB_GRID_H
#define VORTON_IO_VDB_GRID_H

#include "core/parallel.h"
#include "io/bytes.h"
#include "io/leaves.h"

enum { VT_VDB_NO_INACTIVE = 0 }; /* says of a node: what is not active is background */

/* The stored form of 64 leaves. */
typedef struct vt_vdb_block {
    vt_bytes stored;
    uint64_t hash;
} vt_vdb_block;

typedef struct vt_vdb_grid {
    const char *name, *class_name, *vector_type; /* vector_type NULL for a scalar grid */
    const vt_leaves *leaves;
    const float *values; /* on the rows of the leaves */
    double voxel_size;
    float background; /* of all components */
    int half, zip, components;
    vt_bytes head;        /* metadata, transform, topology */
    vt_vdb_block *blocks; /* values */
    int64_t block_count;
    float largest[VT_MAX_THREADS]; /* magnitude that each thread met */
} vt_vdb_grid;

/* No values at all: of these the size is read for floats with zlib, and is not for half floats. */
static inline void vt_put_no_values(vt_bytes *b, const vt_vdb_grid *g)
{
    if (g->zip && !g->half)
        vt_put_int64(b, 0);
}

uint64_t vt_hash_bytes(uint64_t hash, const vt_bytes *b);

/* Makes the blocks of the grid, the same for any number of threads; -1 when there is no memory. */
int vt_encode_vdb_leaves(vt_vdb_grid *g, int threads);

#endif
