#include "volume/leaves.h"

#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "base/memory.h"
#include "base/parallel.h"
#include "base/status.h"

/* ---- sets of keys: open addressing, at most half full ---- */

enum { FIRST_BITS = 8 };

/* A table for room for 2^(bits - 1) keys, with those that the set has. */
static int index_keys(vt_key_set *set, int bits)
{
    const uint64_t last = ((uint64_t)1 << bits) - 1;
    uint32_t *const table = vti_allocate_zeroed(last + 1, sizeof *table);
    if (!table)
        return -1;
    for (int64_t place = 0; place < set->count; place++) {
        uint64_t slot = vti_key_slot(set->keys[place], bits);
        while (table[slot])
            slot = (slot + 1) & last;
        table[slot] = (uint32_t)(place + 1);
    }
    vti_free(set->table);
    set->table = table;
    set->bits = bits;
    return 0;
}

static int grow(vt_key_set *set)
{
    const int bits = set->bits ? set->bits + 1 : FIRST_BITS;
    uint64_t *const keys = vti_resize(set->keys, sizeof *keys << (bits - 1));
    if (!keys)
        return -1;
    set->keys = keys;
    return index_keys(set, bits);
}

int64_t vti_key_set_add(vt_key_set *set, uint64_t key)
{
    const int64_t place = vti_key_set_find(set, key);
    if (place >= 0)
        return place;
    if ((set->bits == 0 || set->count == (int64_t)1 << (set->bits - 1)) && grow(set) != 0)
        return -1;
    const uint64_t last = ((uint64_t)1 << set->bits) - 1;
    uint64_t slot = vti_key_slot(key, set->bits);
    while (set->table[slot])
        slot = (slot + 1) & last;
    set->keys[set->count] = key;
    set->table[slot] = (uint32_t)(set->count + 1);
    return set->count++;
}

void vti_key_set_destroy(vt_key_set *set)
{
    vti_free(set->keys);
    vti_free(set->table);
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
    vti_destroy_leaves(leaves);
    return vti_fail(VT_OUT_OF_MEMORY, "no memory for the leaves of a volume");
}

/* All keys of the sets, ascending, each once. */
static int collect_keys(vt_key_set *all, int64_t set_count, const vt_key_set *sets)
{
    int64_t total = 0, count = 0;
    for (int64_t s = 0; s < set_count; s++)
        total += sets[s].count;
    if (total == 0)
        return 0;
    all->keys = vti_allocate((size_t)total * sizeof *all->keys);
    uint64_t *const spare = vti_allocate((size_t)total * sizeof *spare);
    if (!all->keys || !spare) {
        vti_free(spare);
        return -1;
    }
    for (int64_t s = 0; s < set_count; s++) {
        if (sets[s].count)
            memcpy(all->keys + count, sets[s].keys, (size_t)sets[s].count * sizeof *all->keys);
        count += sets[s].count;
    }
    sort_keys(all->keys, spare, total);
    vti_free(spare);
    all->count = 1;
    for (int64_t i = 1; i < total; i++)
        if (all->keys[i] != all->keys[i - 1])
            all->keys[all->count++] = all->keys[i];
    return all->count < INT32_MAX ? 0 : -1;
}

/* Makes the rows of the leaves known by their keys. */
static int index_leaves(vt_leaves *leaves)
{
    int bits = FIRST_BITS;
    while ((int64_t)1 << bits < 2 * leaves->count)
        bits++;
    leaves->set.count = leaves->count;
    return index_keys(&leaves->set, bits);
}

static int make_values(vt_leaves *leaves, int components)
{
    const size_t floats = (size_t)VT_LEAF_VOXELS * (size_t)components;
    leaves->components = components;
    if (components == 0 || leaves->count == 0)
        return 0;
    leaves->values = vti_borrow((size_t)leaves->count * floats * sizeof(float));
    return leaves->values ? 0 : -1;
}

vt_status vti_create_leaves(vt_leaves *leaves, int components, int64_t set_count,
                            const vt_key_set *sets)
{
    *leaves = (vt_leaves){0};
    if (collect_keys(&leaves->set, set_count, sets) != 0)
        return out_of_memory(leaves);
    leaves->keys = leaves->set.keys;
    leaves->count = leaves->set.count;
    if (leaves->count) {
        leaves->masks =
            vti_allocate_zeroed((size_t)leaves->count, VT_LEAF_WORDS * sizeof *leaves->masks);
        if (!leaves->masks || index_leaves(leaves) != 0)
            return out_of_memory(leaves);
    }
    return make_values(leaves, components) == 0 ? VT_OK : out_of_memory(leaves);
}

void vti_destroy_leaves(vt_leaves *leaves)
{
    vti_key_set_destroy(&leaves->set);
    vti_free(leaves->masks);
    vti_return_borrowed(leaves->values);
    *leaves = (vt_leaves){0};
}

/* Bit i: values[i] > 0, for 4 values. */
static inline uint64_t positive_bits(const float *values)
{
#if defined(__SSE2__)
    return (uint64_t)_mm_movemask_ps(_mm_cmpgt_ps(_mm_loadu_ps(values), _mm_setzero_ps()));
#else
    return (uint64_t)((values[0] > 0) | (values[1] > 0) << 1 | (values[2] > 0) << 2 |
                      (values[3] > 0) << 3);
#endif
}

int vti_mark_active(vt_leaves *leaves, int64_t row)
{
    const float *const values = leaves->values + row * VT_LEAF_VOXELS;
    float rest[4] = {0.0f, 0.0f, 0.0f, 0.0f}; /* 0 unless one is not finite */
    for (int x = 0; x < VT_LEAF_WORDS; x++) {
        uint64_t word = 0;
        for (int i = 0; i < 64; i += 4) {
            const float *const four = values + 64 * x + i;
            word |= positive_bits(four) << i;
            for (int lane = 0; lane < 4; lane++)
                rest[lane] += four[lane] - four[lane];
        }
        leaves->masks[row * VT_LEAF_WORDS + x] = word;
    }
    return rest[0] + rest[1] + rest[2] + rest[3] == 0.0f;
}

/* ---- bounds ---- */

int vti_leaf_bounds(const vt_leaves *leaves, int64_t row, int32_t low[3], int32_t high[3])
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

int64_t vti_active_bounds(const vt_leaves *leaves, int32_t low[3], int32_t high[3])
{
    int64_t count = 0;
    for (int axis = 0; axis < 3; axis++)
        low[axis] = high[axis] = 0;
    for (int64_t row = 0; row < leaves->count; row++) {
        int32_t origin[3], leaf_low[3], leaf_high[3];
        if (!vti_leaf_bounds(leaves, row, leaf_low, leaf_high))
            continue;
        vti_leaf_origin(leaves->keys[row], origin);
        for (int axis = 0; axis < 3; axis++) {
            const int32_t from = origin[axis] + leaf_low[axis];
            const int32_t to = origin[axis] + leaf_high[axis];
            low[axis] = count == 0 || from < low[axis] ? from : low[axis];
            high[axis] = count == 0 || to > high[axis] ? to : high[axis];
        }
        count += vti_leaf_active(leaves, row);
    }
    return count;
}

/* ---- dilation ---- */

enum { MOST_RADIUS = 16, MOST_WINDOW = VT_LEAF_SIDE + 2 * MOST_RADIUS };

/* Leaves that the bounding box of the active voxels of leaf `row`, grown by radius, meets. */
static int add_reached(vt_key_set *set, const vt_leaves *from, int64_t row, int radius)
{
    int32_t low[3], high[3];
    if (!vti_leaf_bounds(from, row, low, high))
        return 0;
    for (int axis = 0; axis < 3; axis++) {
        /* 64 voxels more, so that the division rounds down */
        low[axis] = (low[axis] - radius + 64) / VT_LEAF_SIDE - 8;
        high[axis] = (high[axis] + radius + 64) / VT_LEAF_SIDE - 8;
    }
    const vt_neighbourhood around = vti_neighbours(from->keys[row]);
    for (int x = low[0]; x <= high[0]; x++)
        for (int y = low[1]; y <= high[1]; y++)
            for (int z = low[2]; z <= high[2]; z++)
                if (vti_key_set_add(set, vti_neighbour(&around, x, y, z)) < 0)
                    return -1;
    return 0;
}

/* Of the 8 rows or slices of a leaf from `at` on those that lie in the window, [*begin, *end). */
static void clip(int at, int window, int *begin, int *end)
{
    *begin = at < 0 ? -at : 0;
    *end = at + VT_LEAF_SIDE > window ? window - at : VT_LEAF_SIDE;
}

/* Active voxels of `from` around a leaf: bit z of rows[x][y], counted from `radius` voxels before
 * its first voxel to `radius` after its last. */
static void gather_rows(const vt_leaves *from, const vt_neighbourhood *around, int radius,
                        uint64_t rows[MOST_WINDOW][MOST_WINDOW])
{
    const int reach = (radius + 7) / 8, side = 2 * reach + 1, window = VT_LEAF_SIDE + 2 * radius;
    for (int x = 0; x < window; x++)
        memset(rows[x], 0, sizeof(uint64_t) * (size_t)window);
    for (int n = 0; n < side * side * side; n++) {
        const int a = n / side / side - reach, b = n / side % side - reach, c = n % side - reach;
        const int64_t row = vti_leaf_row(from, vti_neighbour(around, a, b, c));
        const int x0 = radius + 8 * a, y0 = radius + 8 * b, z0 = radius + 8 * c;
        int begin[2], end[2];
        clip(x0, window, &begin[0], &end[0]);
        clip(y0, window, &begin[1], &end[1]);
        for (int x = begin[0]; row >= 0 && x < end[0]; x++) {
            const uint64_t word = from->masks[row * VT_LEAF_WORDS + x];
            for (int y = begin[1]; word && y < end[1]; y++) {
                const uint64_t bits = word >> (8 * y) & 255;
                rows[x0 + x][y0 + y] |= z0 < 0 ? bits >> -z0 : bits << z0;
            }
        }
    }
}

/* Makes of each of the first 8 words the union of `count` from it on: of 2, 4, 8 ..., and at last
 * of two such runs that overlap. */
static void unite(uint64_t *words, int count)
{
    int done = 1;
    for (; 2 * done <= count; done *= 2)
        for (int i = 0; i < VT_LEAF_SIDE + count - 2 * done; i++)
            words[i] |= words[i + done];
    for (int i = 0; i < VT_LEAF_SIDE && done < count; i++)
        words[i] |= words[i + count - done];
}

/* The same with the bits of a word. */
static uint64_t unite_bits(uint64_t word, int count)
{
    int done = 1;
    for (; 2 * done <= count; done *= 2)
        word |= word >> done;
    return word | word >> (count - done);
}

static int is_full(const uint64_t mask[VT_LEAF_WORDS])
{
    uint64_t all = UINT64_MAX;
    for (int x = 0; x < VT_LEAF_WORDS; x++)
        all &= mask[x];
    return all == UINT64_MAX;
}

/* Mask of a leaf: the voxels with an active one in the cube of side 2 radius + 1 around them. */
static void dilate_mask(const vt_leaves *from, uint64_t key, int radius, uint64_t mask[8])
{
    uint64_t rows[MOST_WINDOW][MOST_WINDOW], slices[MOST_WINDOW];
    const int window = VT_LEAF_SIDE + 2 * radius, across = 2 * radius + 1;
    const vt_neighbourhood around = vti_neighbours(key);
    const int64_t itself = vti_leaf_row(from, key);
    if (itself >= 0 && is_full(from->masks + itself * VT_LEAF_WORDS)) {
        memset(mask, 0xff, VT_LEAF_WORDS * sizeof *mask);
        return;
    }
    gather_rows(from, &around, radius, rows);
    for (int x = 0; x < window; x++) {
        slices[x] = 0;
        unite(rows[x], across);
        for (int y = 0; y < VT_LEAF_SIDE; y++)
            slices[x] |= (unite_bits(rows[x][y], across) & 255) << (8 * y);
    }
    unite(slices, across);
    memcpy(mask, slices, VT_LEAF_WORDS * sizeof *mask);
}

enum { REACH_CHUNKS = 16 }; /* runs of leaves, each with a set of those that they reach */

typedef struct dilation {
    const vt_leaves *from;
    int radius;
    vt_key_set reached[REACH_CHUNKS];
    _Bool failed[REACH_CHUNKS];
    vt_leaves *leaves;
} dilation;

static void reach_from_chunk(void *context, int64_t chunk)
{
    dilation *const d = context;
    const int64_t end = d->from->count * (chunk + 1) / REACH_CHUNKS;
    for (int64_t row = d->from->count * chunk / REACH_CHUNKS; row < end && !d->failed[chunk]; row++)
        d->failed[chunk] = add_reached(&d->reached[chunk], d->from, row, d->radius) != 0;
}

static void dilate_leaf(void *context, int64_t row)
{
    const dilation *const d = context;
    dilate_mask(d->from, d->leaves->keys[row], d->radius, d->leaves->masks + row * VT_LEAF_WORDS);
}

void vti_drop_empty_leaves(vt_leaves *leaves, int64_t *rows)
{
    int64_t kept = 0;
    for (int64_t row = 0; row < leaves->count; row++) {
        if (vti_leaf_active(leaves, row) == 0)
            continue;
        leaves->keys[kept] = leaves->keys[row];
        memmove(leaves->masks + kept * VT_LEAF_WORDS, leaves->masks + row * VT_LEAF_WORDS,
                VT_LEAF_WORDS * sizeof *leaves->masks);
        if (rows)
            rows[kept] = row;
        kept++;
    }
    leaves->count = kept;
}

static void drop_zeros_of_leaf(void *context, int64_t row)
{
    vt_leaves *const leaves = context;
    uint64_t mask[VT_LEAF_WORDS];
    memcpy(mask, leaves->masks + row * VT_LEAF_WORDS, sizeof mask);
    vti_mark_active(leaves, row);
    for (int x = 0; x < VT_LEAF_WORDS; x++)
        leaves->masks[row * VT_LEAF_WORDS + x] &= mask[x];
}

vt_status vti_drop_zeros(vt_leaves *leaves, int threads)
{
    const int64_t count = leaves->count;
    int64_t *const rows = vti_allocate((size_t)(count + 1) * sizeof *rows);
    if (!rows)
        return out_of_memory(leaves);
    vti_parallel_each(threads, count, 16, drop_zeros_of_leaf, leaves);
    vti_drop_empty_leaves(leaves, rows);
    for (int64_t row = 0; row < leaves->count && leaves->count < count; row++)
        memmove(leaves->values + row * VT_LEAF_VOXELS, leaves->values + rows[row] * VT_LEAF_VOXELS,
                VT_LEAF_VOXELS * sizeof *leaves->values);
    vti_free(rows);
    return index_leaves(leaves) == 0 ? VT_OK : out_of_memory(leaves);
}

/* The leaves that dilation reaches, without active voxels. */
static vt_status create_reached(dilation *d, int threads)
{
    _Bool failed = 0;
    vti_parallel_each(threads, REACH_CHUNKS, 1, reach_from_chunk, d);
    for (int chunk = 0; chunk < REACH_CHUNKS; chunk++)
        failed |= d->failed[chunk];
    const vt_status status = failed ? out_of_memory(d->leaves)
                                    : vti_create_leaves(d->leaves, 0, REACH_CHUNKS, d->reached);
    for (int chunk = 0; chunk < REACH_CHUNKS; chunk++)
        vti_key_set_destroy(&d->reached[chunk]);
    return status;
}

vt_status vti_dilate_leaves(const vt_leaves *from, int radius, int components, int threads,
                            vt_leaves *leaves)
{
    dilation d = {.from = from, .radius = radius, .leaves = leaves};
    *leaves = (vt_leaves){0};
    const vt_status status = create_reached(&d, threads);
    if (status != VT_OK)
        return status;
    vti_parallel_each(threads, leaves->count, 16, dilate_leaf, &d);
    vti_drop_empty_leaves(leaves, NULL); /* a bounding box may reach one that no voxel reaches */
    if (index_leaves(leaves) != 0 || make_values(leaves, components) != 0)
        return out_of_memory(leaves);
    return VT_OK;
}
