#include "volume/vdb_leaves.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "kernels/dispatch.h"
#include "volume/deflate.h"

enum {
    LEAF_BLOCK = 64, /* leaves that one thread encodes at a time */
    SAMPLES = 16,    /* so many of them are packed to see whether packing pays */
    LEAF_FLOATS = 3 * VT_LEAF_VOXELS
};
_Static_assert(sizeof(float) * LEAF_FLOATS <= VT_DEFLATE_MOST, "a leaf is packed at a time");

/* Packing pays where it leaves less than this of the bytes. Half floats of smoke, velocity and fire
 * keep .75 to .9 of them, and that takes ten times as long as all the rest of the encoding. */
static const double most_packed = 0.5;

/* ---- what is shown ---- */

/* Half floats round no more than this to 0. */
static const float least_half = 0x1p-25f;

static void mark_leaf(void *context, int64_t leaf)
{
    const vt_vdb_grid *const g = context;
    const float *value = g->values + leaf * VT_LEAF_VOXELS, least = g->half ? least_half : 0;
    const uint64_t *const active = g->leaves->masks + leaf * VT_LEAF_WORDS;
    g->sparse.keys[leaf] = g->leaves->keys[leaf];
    for (int x = 0; x < VT_LEAF_WORDS; x++, value += 64) {
        uint64_t shown = 0;
        for (int i = 0; i < 64; i++)
            shown |= (uint64_t)(fabsf(value[i]) > least) << i;
        g->sparse.masks[leaf * VT_LEAF_WORDS + x] = active[x] & shown;
    }
}

int vti_leave_out_zeros(vt_vdb_grid *g, int threads)
{
    const size_t count = (size_t)g->leaves->count;
    vt_leaves *const sparse = &g->sparse;
    g->rows = vti_allocate_zeroed(count + 1, sizeof *g->rows);
    sparse->keys = vti_allocate_zeroed(count + 1, sizeof *sparse->keys);
    sparse->masks = vti_allocate_zeroed(count + 1, VT_LEAF_WORDS * sizeof *sparse->masks);
    if (!g->rows || !sparse->keys || !sparse->masks)
        return -1;
    vti_parallel_each(threads, g->leaves->count, 16, mark_leaf, g);
    sparse->count = g->leaves->count;
    vti_drop_empty_leaves(sparse, g->rows);
    g->leaves = sparse;
    return 0;
}

void vti_destroy_sparse(vt_vdb_grid *g)
{
    vti_free(g->rows);
    vti_free(g->sparse.keys);
    vti_free(g->sparse.masks);
}

/* ---- values ---- */

/* Values of a leaf as they are stored; a negative size says that they are not packed. */
static void put_values(vt_bytes *b, const vt_vdb_grid *g, vt_deflate *work, const void *values,
                       size_t size)
{
    uint8_t packed[sizeof(float) * LEAF_FLOATS];
    if (size == 0) {
        vti_put_no_values(b, g);
        return;
    }
    if (g->zip) {
        const size_t less = vti_deflate(work, values, size, packed, size - 1);
        vti_put_int64(b, less ? (int64_t)less : -(int64_t)size);
        if (less) {
            vti_put(b, packed, less);
            return;
        }
    }
    vti_put(b, values, size);
}

/* All values of a leaf. */
static const float *values_of(const vt_vdb_grid *g, int64_t row)
{
    const int64_t from = g->rows ? g->rows[row] : row;
    return g->values + from * VT_LEAF_VOXELS * g->components;
}

/* Those of the active voxels; returns how many floats. */
static size_t take_active(const vt_vdb_grid *g, int64_t row, float *values)
{
    const size_t components = (size_t)g->components;
    const float *from = values_of(g, row);
    float *to = values;
    for (int x = 0; x < VT_LEAF_WORDS; x++, from += 64 * components) {
        uint64_t left = g->leaves->masks[row * VT_LEAF_WORDS + x];
        if (left == UINT64_MAX) {
            memcpy(to, from, 64 * components * sizeof *to);
            to += 64 * components;
            continue;
        }
        for (; left; left &= left - 1) {
            const size_t voxel = (size_t)__builtin_ctzll(left);
            for (size_t c = 0; c < components; c++)
                *to++ = from[voxel * components + c];
        }
    }
    return (size_t)(to - values);
}

/* A leaf as it is stored: its floats, or the half floats that take their place. */
typedef struct leaf_values {
    float values[LEAF_FLOATS];
    uint16_t halves[LEAF_FLOATS];
    const void *stored;
    size_t size;   /* bytes of what is stored */
    float largest; /* magnitude */
} leaf_values;

static void load_leaf(const vt_vdb_grid *g, int64_t row, leaf_values *leaf)
{
    const size_t all = (size_t)VT_LEAF_VOXELS * (size_t)g->components;
    const float *values = values_of(g, row);
    size_t count = all;
    if (vti_leaf_active(g->leaves, row) < VT_LEAF_VOXELS) {
        count = take_active(g, row, leaf->values);
        values = leaf->values;
    }
    leaf->stored = g->half ? (const void *)leaf->halves : values;
    leaf->size = count * (g->half ? sizeof *leaf->halves : sizeof *values);
    leaf->largest = g->half ? vti_stages()->halve((int64_t)count, values, leaf->halves) : 0.0f;
}

int vti_packing_pays(const vt_vdb_grid *g)
{
    const int64_t step = g->leaves->count / SAMPLES + 1;
    uint8_t packed[sizeof(float) * LEAF_FLOATS];
    leaf_values leaf;
    vt_deflate work;
    size_t before = 0, after = 0;
    for (int64_t row = 0; g->zip && row < g->leaves->count; row += step) {
        load_leaf(g, row, &leaf);
        const size_t less =
            leaf.size ? vti_deflate(&work, leaf.stored, leaf.size, packed, leaf.size - 1) : 0;
        before += leaf.size;
        after += less ? less : leaf.size;
    }
    return (double)after < most_packed * (double)before;
}

static float put_leaf(vt_bytes *b, const vt_vdb_grid *g, vt_deflate *work, int64_t row)
{
    leaf_values leaf;
    load_leaf(g, row, &leaf);
    vti_put(b, g->leaves->masks + row * VT_LEAF_WORDS, 64);
    vti_put_byte(b, VT_VDB_NO_INACTIVE);
    put_values(b, g, work, leaf.stored, leaf.size);
    return leaf.largest;
}

/* In lanes, none of which waits for the product of another. */
uint64_t vti_hash_bytes(uint64_t hash, const vt_bytes *b)
{
    enum { LANES = 8, WORD = sizeof(uint64_t) };
    uint64_t lane[LANES] = {0, 1, 2, 3, 4, 5, 6, 7};
    for (size_t i = 0; i < b->size; i += LANES * WORD) {
        uint64_t word[LANES] = {0};
        const size_t left = b->size - i;
        memcpy(word, b->bytes + i, left < sizeof word ? left : sizeof word);
        for (int l = 0; l < LANES; l++)
            lane[l] = vti_mix(lane[l] ^ word[l]);
    }
    for (int l = 0; l < LANES; l++)
        hash = vti_mix(hash ^ lane[l]);
    return vti_mix(hash ^ b->size);
}

/* Leaves of a block, [*first, *last). */
static void find_leaves(const vt_vdb_grid *g, int64_t block, int64_t *first, int64_t *last)
{
    const int64_t end = (block + 1) * LEAF_BLOCK;
    *first = block * LEAF_BLOCK;
    *last = end < g->leaves->count ? end : g->leaves->count;
}

/* Room that the values of a block take where packing does not make them smaller. */
static void measure_block(void *context, int64_t block)
{
    const vt_vdb_grid *const g = context;
    const size_t of_value = (size_t)g->components * (g->half ? sizeof(uint16_t) : sizeof(float));
    const size_t of_leaf = VT_LEAF_WORDS * sizeof(uint64_t) + 1 + (g->zip ? sizeof(int64_t) : 0);
    int64_t first, last, values = 0;
    find_leaves(g, block, &first, &last);
    for (int64_t row = first; row < last; row++)
        values += vti_leaf_active(g->leaves, row);
    g->blocks[block].size = (size_t)(last - first) * of_leaf + (size_t)values * of_value;
}

int vti_plan_vdb_leaves(vt_vdb_grid *g, int threads)
{
    g->block_count = (g->leaves->count + LEAF_BLOCK - 1) / LEAF_BLOCK;
    g->blocks = vti_allocate_zeroed((size_t)g->block_count + 1, sizeof *g->blocks);
    if (!g->blocks)
        return -1;
    vti_parallel_each(threads, g->block_count, 4, measure_block, g);
    for (int64_t block = 0; block < g->block_count; block++) {
        g->blocks[block].begin = g->room;
        g->room += g->blocks[block].size;
    }
    return 0;
}

typedef struct encoding {
    vt_vdb_grid *grid;
    uint8_t *room;
} encoding;

static void put_leaf_blocks(void *context, int64_t begin, int64_t end, int thread)
{
    const encoding *const e = context;
    vt_vdb_grid *const g = e->grid;
    for (int64_t n = begin; n < end; n++) {
        vt_vdb_block *const block = &g->blocks[n];
        vt_bytes b = {.bytes = e->room + block->begin, .capacity = block->size};
        int64_t first, last;
        vt_deflate work;
        find_leaves(g, n, &first, &last);
        for (int64_t row = first; row < last; row++) {
            const float largest = put_leaf(&b, g, &work, row);
            if (largest > g->largest[thread])
                g->largest[thread] = largest;
        }
        block->size = b.size;
        block->hash = vti_hash_bytes(0, &b);
    }
}

size_t vti_encode_vdb_leaves(vt_vdb_grid *g, uint8_t *room, int threads)
{
    encoding e = {g, room};
    size_t size = 0;
    vti_parallel_for_numbered(threads, g->block_count, 1, put_leaf_blocks, &e);
    for (int64_t n = 0; n < g->block_count; n++) {
        const vt_vdb_block *const block = &g->blocks[n];
        if (size != block->begin) /* packed ones leave gaps */
            memmove(room + size, room + block->begin, block->size);
        size += block->size;
    }
    return size;
}
