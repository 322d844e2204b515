/* Voxels beside walls: which are shut, and between which nothing passes, so that what a tracer
 * gives stays on its side of every wall.
 *
 * A voxel is a cube. One whose middle lies less than half of its edge deep in a solid is still, in
 * part, in the fluid: it holds what is in that part, and pictures have no gap between smoke and
 * wall. One that lies deeper, or whose nearest wall another solid covers, is shut. Nothing passes
 * to or from what is shut, nor from voxel to voxel where a solid lies between them, thinner than
 * they are. */
#pragma once

#include "volume/leaves.h"
#include "volume/walls.h"

/* Of voxel (x, y, z) of a leaf: whether nothing passes to the next voxel along x, y, z; whether
 * anything is shut between the eight corners of the cell from it to (x + 1, y + 1, z + 1); whether
 * a solid lies between two of these that are not. */
enum { VT_WAYS = 7, VT_SHUT_IN_CELL = 8, VT_PARTED_CELL = 16 };

typedef struct vt_walled_leaf {
    uint8_t ways[VT_LEAF_VOXELS];
    uint8_t shut[VT_LEAF_VOXELS]; /* corners of its cell that are: bit 4 x + 2 y + z */
} vt_walled_leaf;

typedef struct vt_walled_voxels {
    const vt_walls *walls;
    double voxel_size; /* m */
    vt_key_set keys;   /* of the leaves beside walls */
    vt_walled_leaf *leaves;
    uint8_t *used; /* whether anything is shut in the leaf */
} vt_walled_voxels;

/* Of these leaves and those around each of them. To be destroyed even on failure. */
vt_status vti_find_walled_voxels(const vt_walls *walls, double voxel_size, const vt_leaves *leaves,
                                 int threads, vt_walled_voxels *voxels);
void vti_destroy_walled_voxels(vt_walled_voxels *voxels);

/* NULL where nothing is shut. */
static inline const vt_walled_leaf *vti_walled_leaf(const vt_walled_voxels *voxels, uint64_t key)
{
    const int64_t place = vti_key_set_find(&voxels->keys, key);
    return place >= 0 && voxels->used[place] ? voxels->leaves + place : NULL;
}

/* Corners of its cell (bits as in shut) to which a point gives, at a place in voxels from
 * -VT_VOXEL_LIMIT: those on its side of the walls; of one to which all are shut, all. */
uint8_t vti_open_corners(const vt_walled_voxels *voxels, const vt_walled_leaf *leaf,
                         const double place[3]);
