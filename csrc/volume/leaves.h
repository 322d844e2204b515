/* Sparse sets of leaves: cubes of 8 x 8 x 8 voxels, each under a 64-bit key, kept in the order in
 * which OpenVDB stores them. There is no box: memory goes with the leaves alone. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/spare_memory.h"
#include "vorton.h"

enum { VT_LEAF_SIDE = 8, VT_LEAF_VOXELS = 512, VT_LEAF_WORDS = 8 };

/* Voxel indices lie in -VT_VOXEL_LIMIT .. VT_VOXEL_LIMIT - 1. A float32 position further out would
 * not tell one voxel from the next. */
#define VT_VOXEL_LIMIT (1 << 23)

/* ---- keys ---- */

/* Key of the leaf of a voxel. From the highest bit: 12 bits of x, y and z each (the node of 4096^3
 * voxels), 5 bits each (the node of 128^3 inside it), 4 bits each (the leaf inside that). Smaller
 * keys come first in an OpenVDB file; key >> 12 and key >> 27 name the two parents. */
static inline uint64_t vti_leaf_key(const int32_t voxel[3])
{
    uint64_t root = 0, node = 0, leaf = 0;
    for (int axis = 0; axis < 3; axis++) {
        const uint64_t index = (uint64_t)(voxel[axis] + VT_VOXEL_LIMIT) >> 3;
        root = root << 12 | index >> 9;
        node = node << 5 | (index >> 4 & 31);
        leaf = leaf << 4 | (index & 15);
    }
    return root << 27 | node << 12 | leaf;
}

/* The first voxel of a leaf, and that of its parent of 4096^3 voxels. */
static inline void vti_leaf_origin(uint64_t key, int32_t voxel[3])
{
    for (int axis = 0; axis < 3; axis++) {
        const uint64_t root = key >> (51 - 12 * axis) & 4095;
        const uint64_t node = key >> (22 - 5 * axis) & 31, leaf = key >> (8 - 4 * axis) & 15;
        voxel[axis] = (int32_t)(root << 12 | node << 7 | leaf << 3) - VT_VOXEL_LIMIT;
    }
}

/* The keys of the leaves around one, up to 2 away along each axis: a part for each axis, to be
 * joined by |. */
typedef struct vt_neighbourhood {
    uint64_t part[3][5];
} vt_neighbourhood;

static inline vt_neighbourhood vti_neighbours(uint64_t key)
{
    vt_neighbourhood n;
    int32_t voxel[3];
    vti_leaf_origin(key, voxel);
    for (int axis = 0; axis < 3; axis++)
        for (int d = -2; d <= 2; d++) {
            const uint64_t index =
                ((uint64_t)(voxel[axis] + VT_VOXEL_LIMIT) >> 3) + (uint64_t)(int64_t)d;
            n.part[axis][d + 2] = (index >> 9 & 4095) << (51 - 12 * axis) |
                                  (index >> 4 & 31) << (22 - 5 * axis) |
                                  (index & 15) << (8 - 4 * axis);
        }
    return n;
}

/* Key of the leaf that is (x, y, z) leaves away, each -2 .. 2. */
static inline uint64_t vti_neighbour(const vt_neighbourhood *n, int x, int y, int z)
{
    return n->part[0][x + 2] | n->part[1][y + 2] | n->part[2][z + 2];
}

/* Slot of a key in a table of 2^bits (1 .. 63). */
static inline uint64_t vti_key_slot(uint64_t key, int bits)
{
    return (key ^ key >> 32) * 0x9e3779b97f4a7c15u >> (64 - bits);
}

/* Keys in the order in which they were added, each once, and a hash table of their places. */
typedef struct vt_key_set {
    uint64_t *keys;
    uint32_t *table; /* place + 1, or 0 */
    int64_t count;
    int32_t bits; /* the table has 2^bits slots */
} vt_key_set;

/* Place of the key, added if it was not there; -1 when there is no memory. */
int64_t vti_key_set_add(vt_key_set *set, uint64_t key);
void vti_key_set_destroy(vt_key_set *set);

/* Place of the key, or -1. */
static inline int64_t vti_key_set_find(const vt_key_set *set, uint64_t key)
{
    const uint64_t last = ((uint64_t)1 << set->bits) - 1;
    if (set->count == 0)
        return -1;
    for (uint64_t slot = vti_key_slot(key, set->bits);; slot = (slot + 1) & last) {
        const int64_t place = (int64_t)set->table[slot] - 1;
        if (place < 0 || set->keys[place] == key)
            return place;
    }
}

/* ---- leaves ---- */

typedef struct vt_leaves {
    int64_t count;
    uint64_t *keys;     /* count, ascending: set.keys */
    vt_key_set set;     /* from keys to rows */
    uint64_t *masks;    /* count x 8: voxel (x, y, z) of a leaf is active if bit 8 y + z of word x
                           is set */
    int32_t components; /* floats a voxel: 1 or 3; 0 where there are no values */
    float *values;      /* count x 512 x components, voxel 64 x + 8 y + z; 0 where not active */
} vt_leaves;

/* Leaves of the keys in set_count sets, without active voxels; the values are not initialised. On
 * failure leaves is empty. */
vt_status vti_create_leaves(vt_leaves *leaves, int components, int64_t set_count,
                            const vt_key_set *sets);
void vti_destroy_leaves(vt_leaves *leaves);

/* Row of the leaf with this key, or -1. */
static inline int64_t vti_leaf_row(const vt_leaves *leaves, uint64_t key)
{
    return vti_key_set_find(&leaves->set, key);
}

/* Active voxels of leaf `row`. */
static inline int64_t vti_leaf_active(const vt_leaves *leaves, int64_t row)
{
    int64_t active = 0;
    for (int x = 0; x < VT_LEAF_WORDS; x++)
        active += __builtin_popcountll(leaves->masks[row * VT_LEAF_WORDS + x]);
    return active;
}

static inline int vti_voxel_is_active(const vt_leaves *leaves, int64_t row, int voxel)
{
    return (int)(leaves->masks[row * VT_LEAF_WORDS + (voxel >> 6)] >> (voxel & 63) & 1);
}

/* Makes the voxels of a leaf (1 component) active whose value is above 0; returns 0 when one of
 * them is not finite, else 1. */
int vti_mark_active(vt_leaves *leaves, int64_t row);

/* Bounds of the active voxels of a leaf, from its first voxel; 0 when there is none. */
int vti_leaf_bounds(const vt_leaves *leaves, int64_t row, int32_t low[3], int32_t high[3]);

/* Bounds of all active voxels, low and high included (0 where there is none); returns how many. */
int64_t vti_active_bounds(const vt_leaves *leaves, int32_t low[3], int32_t high[3]);

/* Leaves without active voxels go from keys and masks; rows, where not NULL, become the rows that
 * the others had. Values and the set of keys stay as they are. */
void vti_drop_empty_leaves(vt_leaves *leaves, int64_t *rows);

/* Of leaves with 1 component, voxels whose value is 0 are no longer active, and leaves without
 * active voxels go. */
vt_status vti_drop_zeros(vt_leaves *leaves, int threads);

/* Leaves whose active voxels are those within `radius` (0 .. 16) voxels along every axis of an
 * active voxel of `from`; the values are not initialised. */
vt_status vti_dilate_leaves(const vt_leaves *from, int radius, int components, int threads,
                            vt_leaves *leaves);
