/* One grid of an OpenVDB file while it is written: volume/vdb.c makes what says which nodes and
 * voxels exist, volume/vdb_leaves.c the values. */
#pragma once

#include "base/parallel.h"
#include "volume/bytes.h"
#include "volume/leaves.h"

enum { VT_VDB_NO_INACTIVE = 0 }; /* says of a node: what is not active is background */

/* The stored form of 64 leaves. */
typedef struct vt_vdb_block {
    size_t begin; /* in the room for the values, at most as long as its values unpacked */
    size_t size;
    uint64_t hash;
} vt_vdb_block;

typedef struct vt_vdb_grid {
    const char *name, *class_name, *vector_type; /* vector_type NULL for a scalar grid */
    const vt_leaves *leaves;
    const float *values; /* of leaf n in row n, or in row rows[n] */
    int64_t *rows;       /* or NULL */
    vt_leaves sparse;    /* those leaves, if they are not those of the volume */
    double voxel_size;
    float background; /* of all components */
    int half, zip, leaves_out_zeros, components;
    vt_bytes head;        /* metadata, transform, topology */
    vt_vdb_block *blocks; /* values */
    int64_t block_count;
    size_t room;                   /* for all of them */
    float largest[VT_MAX_THREADS]; /* magnitude that each thread met */
} vt_vdb_grid;

/* No values at all: of these the size is read for packed floats, and is not for half floats. */
static inline void vti_put_no_values(vt_bytes *b, const vt_vdb_grid *g)
{
    if (g->zip && !g->half)
        vti_put_int64(b, 0);
}
