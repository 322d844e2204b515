#include "io/leaves.h"

#include <stdlib.h>
#include <string.h>

#include "core/parallel.h"
#include "core/status.h"

/* ---- sets of keys: open addressing, at most half full ---- */

enum { FIRST_BITS = 8 };
#define NO_KEY UINT64_MAX /* keys have 63 bits */

/* 1 if the key was new. */
static int insert(uint64_t *slots, int bits, uint64_t key)
{
    const uint64_t last = ((uint64_t)1 << bits) - 1;
    uint64_t slot = vt_key_slot(key, bits);
    while (slots[slot] != NO_KEY && slots[slot] != key)
        slot = (slot + 1) & last;
    const int is_new = slots[slot] == NO_KEY;
    slots[slot] = key;
    return is_new;
}

static int grow(vt_key_set *set)
{
    const int bits = set->bits ? set->bits + 1 : FIRST_BITS;
    const size_t bytes = sizeof(uint64_t) << bits;
    uint64_t *const slots = malloc(bytes);
    if (!slots)
        return -1;
    memset(slots, 0xff, bytes);
    for (size_t old = 0; set->slots && old < (size_t)1 << set->bits; old++)
        if (set->slots[old] != NO_KEY)
            insert(slots, bits, set->slots[old]);
    free(set->slots);
    set->slots = slots;
    set->bits = bits;
    return 0;
}

int vt_key_set_add(vt_key_set *set, uint64_t key)
{
    if ((!set->slots || 2 * set->count >= (int64_t)1 << set->bits) && grow(set) != 0)
        return -1;
    set->count += insert(set->slots, set->bits, key);
    return 0;
}

void vt_key_set_destroy(vt_key_set *set)
{
    free(set->slots);
    *set = (vt_key_set){0};
}

/* Sorts by bytes, lowest first; a byte that all keys share (most of them do) is passed over. */
static void sort_keys(uint64_t *keys, uint64_t *spare, int64_t count)
{
    uint64_t *from = keys, *to = spare;
    for (int shift = 0; shift < 64; shift += 8) {
        int64_t start[257] = {0};
        for (int64_t i = 0; i < count; i++)
            start[(from[i] >> shift & 255) + 1]++;
        if (start[(from[0] >> shift & 255) + 1] == count)
            continue;
        for (int digit = 0; digit < 256; digit++)
            start[digit + 1] += start[digit];
        for (int64_t i = 0; i < count; i++)
            to[start[from[i] >> shift & 255]++] = from[i];
        uint64_t *const sorted = to;
        to = from;
        from = sorted;
    }
    if (from != keys)
        memcpy(keys, from, (size_t)count * sizeof *keys);
}

/* ---- leaves ---- */

static vt_status out_of_memory(vt_leaves *leaves)
{
    vt_destroy_leaves(leaves);
    return vt_fail(VT_OUT_OF_MEMORY, "no memory for the leaves of a volume");
}

/* All keys of the sets into leaves->keys, ascending, each once. */
static int collect_keys(vt_leaves *leaves, int set_count, const vt_key_set *sets)
{
    int64_t total = 0, count = 0;
    for (int s = 0; s < set_count; s++)
        total += sets[s].count;
    if (total == 0)
        return 0;
    if (total >= INT32_MAX)
        return -1;
    uint64_t *const keys = malloc((size_t)total * sizeof *keys);
    uint64_t *const spare = malloc((size_t)total * sizeof *spare);
    leaves->keys = keys;
    if (!keys || !spare) {
        free(spare);
        return -1;
    }
    for (int s = 0; s < set_count; s++)
        for (size_t slot = 0; sets[s].slots && slot < (size_t)1 << sets[s].bits; slot++)
            if (sets[s].slots[slot] != NO_KEY)
                keys[count++] = sets[s].slots[slot];
    sort_keys(keys, spare, count);
    free(spare);
    leaves->count = 1;
    for (int64_t i = 1; i < count; i++)
        if (keys[i] != keys[i - 1])
            keys[leaves->count++] = keys[i];
    return 0;
}

/* The hash table, at most half full. */
static int index_keys(vt_leaves *leaves)
{
    int bits = FIRST_BITS;
    while ((int64_t)1 << bits < 2 * leaves->count)
        bits++;
    const uint64_t last = ((uint64_t)1 << bits) - 1;
    free(leaves->table);
    leaves->table_bits = bits;
    leaves->table = calloc(last + 1, sizeof *leaves->table);
    if (!leaves->table)
        return -1;
    for (int64_t row = 0; row < leaves->count; row++) {
        uint64_t slot = vt_key_slot(leaves->keys[row], bits);
        while (leaves->table[slot])
            slot = (slot + 1) & last;
        leaves->table[slot] = (uint32_t)(row + 1);
    }
    return 0;
}

static int make_values(vt_leaves *leaves, int components)
{
    const size_t floats = (size_t)VT_LEAF_VOXELS * (size_t)components;
    leaves->components = components;
    if (components == 0 || leaves->count == 0)
        return 0;
    leaves->values = calloc((size_t)leaves->count, floats * sizeof(float));
    return leaves->values ? 0 : -1;
}

vt_status vt_create_leaves(vt_leaves *leaves, int components, int set_count, const vt_key_set *sets)
{
    *leaves = (vt_leaves){0};
    if (collect_keys(leaves, set_count, sets) != 0)
        return out_of_memory(leaves);
    if (leaves->count) {
        leaves->masks = calloc((size_t)leaves->count, VT_LEAF_WORDS * sizeof *leaves->masks);
        if (!leaves->masks || index_keys(leaves) != 0)
            return out_of_memory(leaves);
    }
    return make_values(leaves, components) == 0 ? VT_OK : out_of_memory(leaves);
}

void vt_destroy_leaves(vt_leaves *leaves)
{
    free(leaves->keys);
    free(leaves->masks);
    free(leaves->values);
    free(leaves->table);
    *leaves = (vt_leaves){0};
}

int vt_mark_active(vt_leaves *leaves, int64_t row)
{
    const float *const values = leaves->values + row * VT_LEAF_VOXELS;
    int finite = 1;
    for (int x = 0; x < VT_LEAF_WORDS; x++) {
        uint64_t word = 0;
        for (int i = 0; i < 64; i++) {
            const float value = values[64 * x + i];
            word |= (uint64_t)(value > 0.0f) << i;
            finite &= value - value == 0.0f;
        }
        leaves->masks[row * VT_LEAF_WORDS + x] = word;
    }
    return finite;
}

/* ---- bounds ---- */

/* Bounds of the active voxels of a leaf, from its first voxel; 0 when there is none. */
static int leaf_bounds(const vt_leaves *leaves, int64_t row, int low[3], int high[3])
{
    const uint64_t *const mask = leaves->masks + row * VT_LEAF_WORDS;
    uint64_t slice = 0, line = 0; /* all x on one another; all x and y */
    low[0] = high[0] = -1;
    for (int x = 0; x < VT_LEAF_SIDE; x++) {
        if (!mask[x])
            continue;
        low[0] = low[0] < 0 ? x : low[0];
        high[0] = x;
        slice |= mask[x];
    }
    if (!slice)
        return 0;
    for (int y = 0; y < VT_LEAF_SIDE; y++)
        line |= slice >> (8 * y) & 255;
    low[1] = __builtin_ctzll(slice) / 8;
    high[1] = (63 - __builtin_clzll(slice)) / 8;
    low[2] = __builtin_ctzll(line);
    high[2] = 63 - __builtin_clzll(line);
    return 1;
}

int64_t vt_active_bounds(const vt_leaves *leaves, int32_t low[3], int32_t high[3])
{
    int64_t count = 0;
    for (int axis = 0; axis < 3; axis++)
        low[axis] = high[axis] = 0;
    for (int64_t row = 0; row < leaves->count; row++) {
        int leaf_low[3], leaf_high[3];
        int32_t origin[3];
        if (!leaf_bounds(leaves, row, leaf_low, leaf_high))
            continue;
        vt_leaf_origin(leaves->keys[row], origin);
        for (int axis = 0; axis < 3; axis++) {
            const int32_t from = origin[axis] + leaf_low[axis];
            const int32_t to = origin[axis] + leaf_high[axis];
            low[axis] = count == 0 || from < low[axis] ? from : low[axis];
            high[axis] = count == 0 || to > high[axis] ? to : high[axis];
        }
        count += vt_leaf_active(leaves, row);
    }
    return count;
}

/* ---- dilation ---- */

enum { MOST_RADIUS = 16, MOST_WINDOW = VT_LEAF_SIDE + 2 * MOST_RADIUS };

/* Leaves that the bounding box of the active voxels of leaf `row`, grown by radius, meets. */
static int add_reached(vt_key_set *set, const vt_leaves *from, int64_t row, int radius)
{
    int low[3], high[3];
    if (!leaf_bounds(from, row, low, high))
        return 0;
    for (int axis = 0; axis < 3; axis++) {
        /* 64 voxels more, so that the division rounds down */
        low[axis] = (low[axis] - radius + 64) / VT_LEAF_SIDE - 8;
        high[axis] = (high[axis] + radius + 64) / VT_LEAF_SIDE - 8;
    }
    int failed = 0;
    for (int x = low[0]; x <= high[0]; x++)
        for (int y = low[1]; y <= high[1]; y++)
            for (int z = low[2]; z <= high[2]; z++)
                failed |= vt_key_set_add(
                    set, vt_neighbour_key(from->keys[row], (const int32_t[3]){x, y, z}));
    return failed;
}

/* Active voxels of `from` around a leaf: bit z of rows[x][y], from 16 voxels before its first voxel
 * to 16 after its last. */
static void gather_rows(const vt_leaves *from, uint64_t key, int reach,
                        uint64_t rows[MOST_WINDOW][MOST_WINDOW])
{
    memset(rows, 0, sizeof(uint64_t) * MOST_WINDOW * MOST_WINDOW);
    for (int x = -reach; x <= reach; x++)
        for (int y = -reach; y <= reach; y++)
            for (int z = -reach; z <= reach; z++) {
                const int64_t row =
                    vt_leaf_row(from, vt_neighbour_key(key, (const int32_t[3]){x, y, z}));
                if (row < 0)
                    continue;
                for (int i = 0; i < VT_LEAF_SIDE; i++) {
                    const uint64_t word = from->masks[row * VT_LEAF_WORDS + i];
                    for (int j = 0; j < VT_LEAF_SIDE; j++)
                        rows[MOST_RADIUS + 8 * x + i][MOST_RADIUS + 8 * y + j] |=
                            (word >> (8 * j) & 255) << (MOST_RADIUS + 8 * z);
                }
            }
}

/* Mask of a leaf: the voxels with an active one in the cube of side 2 radius + 1 around them. */
static void dilate_mask(const vt_leaves *from, uint64_t key, int radius, uint64_t mask[8])
{
    uint64_t rows[MOST_WINDOW][MOST_WINDOW], columns[MOST_WINDOW][VT_LEAF_SIDE] = {{0}};
    gather_rows(from, key, (radius + 7) / 8, rows);
    for (int x = MOST_RADIUS - radius; x < MOST_RADIUS + VT_LEAF_SIDE + radius; x++)
        for (int y = 0; y < VT_LEAF_SIDE; y++) {
            uint64_t all = 0, wide = 0;
            for (int d = -radius; d <= radius; d++)
                all |= rows[x][MOST_RADIUS + y + d];
            for (int d = -radius; d <= radius; d++)
                wide |= all >> (MOST_RADIUS + d);
            columns[x][y] = (wide & 255) << (8 * y);
        }
    for (int x = 0; x < VT_LEAF_SIDE; x++) {
        mask[x] = 0;
        for (int d = -radius; d <= radius; d++)
            for (int y = 0; y < VT_LEAF_SIDE; y++)
                mask[x] |= columns[MOST_RADIUS + x + d][y];
    }
}

typedef struct dilation {
    const vt_leaves *from;
    int radius;
    vt_leaves *leaves;
} dilation;

static void dilate_masks(void *context, int64_t begin, int64_t end, int thread)
{
    const dilation *const d = context;
    (void)thread;
    for (int64_t row = begin; row < end; row++)
        dilate_mask(d->from, d->leaves->keys[row], d->radius,
                    d->leaves->masks + row * VT_LEAF_WORDS);
}

/* A bounding box may reach a leaf that no voxel of it reaches. */
static void drop_empty(vt_leaves *leaves)
{
    int64_t kept = 0;
    for (int64_t row = 0; row < leaves->count; row++) {
        if (vt_leaf_active(leaves, row) == 0)
            continue;
        leaves->keys[kept] = leaves->keys[row];
        memmove(leaves->masks + kept * VT_LEAF_WORDS, leaves->masks + row * VT_LEAF_WORDS,
                VT_LEAF_WORDS * sizeof *leaves->masks);
        kept++;
    }
    leaves->count = kept;
}

vt_status vt_dilate_leaves(const vt_leaves *from, int radius, int components, int threads,
                           vt_leaves *leaves)
{
    vt_key_set reached = {0};
    int failed = 0;
    *leaves = (vt_leaves){0};
    for (int64_t row = 0; row < from->count && !failed; row++)
        failed = add_reached(&reached, from, row, radius);
    vt_status status = failed ? out_of_memory(leaves) : vt_create_leaves(leaves, 0, 1, &reached);
    vt_key_set_destroy(&reached);
    if (status != VT_OK)
        return status;
    dilation d = {from, radius, leaves};
    vt_parallel_for(threads, leaves->count, 16, dilate_masks, &d);
    drop_empty(leaves);
    if (index_keys(leaves) != 0 || make_values(leaves, components) != 0)
        return out_of_memory(leaves);
    return VT_OK;
}
