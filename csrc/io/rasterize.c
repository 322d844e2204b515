/* Tracers to leaves of density: hat deposit, then a mass-preserving separable filter.
 *
 * The tracers are sorted by leaf, stably, so that every leaf adds up its own in the order of their
 * rows; a leaf has a margin of one voxel for what falls over its upper faces, and the margins are
 * gathered by the neighbours afterwards. So the sums have the same bits for any number of threads.
 */
#include <stdlib.h>
#include <string.h>

#include "core/parallel.h"
#include "core/simd.h"
#include "core/status.h"
#include "io/volume.h"

enum {
    SIDE = VT_LEAF_SIDE + 1, /* of a leaf with its margin */
    MARGINED = SIDE * SIDE * SIDE,
    PITCH = 736, /* floats from one such leaf to the next */
    TRACER_BLOCK = 16384,
    MOST_CHUNKS = 64,
    GUARD = 64 /* voxels kept free for filter and velocity margin */
};

typedef double pair __attribute__((vector_size(16)));

/* A run of tracers that is sorted by one thread: whole blocks. More of them than threads, so that a
 * slow thread takes fewer; not more than so many, because each knows all leaves that it meets. */
typedef struct chunk {
    vt_key_set leaves;
    uint32_t *counts; /* tracers in each of these leaves, then where the next one goes */
    int64_t room;
    int64_t bad_row; /* first tracer that is not acceptable, or -1 */
    int failed;      /* no memory */
} chunk;

typedef struct raster {
    const vt_tracer_source *source;
    double per_voxel; /* 1 / voxel size, 1/m */
    double scale;     /* 1 / voxel volume, 1/m^3 */
    int threads;
    int64_t chunk_count, chunk_size;
    chunk chunks[MOST_CHUNKS];
    double *block_size; /* sum of the sizes of each block of tracers, m */
    uint32_t *places;   /* of each tracer: its leaf in the set of its chunk */
    vt_leaves sources;  /* leaves that hold tracers */
    int64_t *ends;      /* one past the last tracer of each of them */
    uint32_t *sorted;   /* tracers by leaf, in each in the order of their rows */
    float *margined;    /* leaves x PITCH: deposit with margin, kg/m^3 */
    uint8_t *touched;   /* bit d: reaches the upper neighbour (d >> 2, d >> 1 & 1, d & 1) */
    vt_leaves hat;      /* the deposit, margins gathered */
    int infinite[VT_MAX_THREADS]; /* a thread met a density that is */
    vt_leaves *density;
} raster;

/* ---- which leaves ---- */

/* Where a tracer is, in voxels from -VT_VOXEL_LIMIT: positive, so that truncation rounds down. The
 * whole part has 24 bits, so 29 are left for the fraction. */
static inline void locate(const raster *r, int64_t tracer, double place[3])
{
    for (int axis = 0; axis < 3; axis++)
        place[axis] =
            (double)r->source->position[3 * tracer + axis] * r->per_voxel + VT_VOXEL_LIMIT;
}

/* Its voxel; 0 when the place is out of range (or not a number). */
static inline int find_voxel(const double place[3], int32_t voxel[3])
{
    int inside = 1;
    for (int axis = 0; axis < 3; axis++)
        inside &= (place[axis] >= GUARD) & (place[axis] < 2.0 * VT_VOXEL_LIMIT - GUARD);
    for (int axis = 0; axis < 3; axis++)
        voxel[axis] = inside ? (int32_t)place[axis] - VT_VOXEL_LIMIT : 0;
    return inside;
}

static inline int is_same_leaf(const int32_t a[3], const int32_t b[3])
{
    return (((a[0] ^ b[0]) | (a[1] ^ b[1]) | (a[2] ^ b[2])) & ~7) == 0;
}

static inline int is_amount(float x)
{
    return x >= 0.0f && x - x == 0.0f;
}

/* Place of the leaf in the chunk's set, with a counter of its own; -1 when there is no memory. */
static int64_t add_leaf(chunk *c, uint64_t key)
{
    const int64_t place = vt_key_set_add(&c->leaves, key);
    if (c->leaves.count > c->room) {
        const int64_t room = c->room ? 2 * c->room : 64;
        uint32_t *const counts = realloc(c->counts, (size_t)room * sizeof *counts);
        if (!counts)
            return -1;
        memset(counts + c->room, 0, (size_t)(room - c->room) * sizeof *counts);
        c->counts = counts;
        c->room = room;
    }
    return place;
}

static void find_block(raster *r, chunk *c, int64_t begin, int64_t end)
{
    int32_t last[3] = {INT32_MAX, 0, 0}, voxel[3];
    int64_t leaf = 0;
    double place[3], size = 0.0;
    for (int64_t i = begin; i < end; i++) {
        locate(r, i, place);
        if (!find_voxel(place, voxel) || !is_amount(r->source->density[i]) ||
            !is_amount(r->source->size[i])) {
            c->bad_row = i;
            return;
        }
        if (!is_same_leaf(voxel, last)) {
            memcpy(last, voxel, sizeof last);
            leaf = add_leaf(c, vt_leaf_key(voxel));
            if (leaf < 0) {
                c->failed = 1;
                return;
            }
        }
        size += (double)r->source->size[i];
        r->places[i] = (uint32_t)leaf;
        c->counts[leaf]++;
    }
    r->block_size[begin / TRACER_BLOCK] = size;
}

static int64_t chunk_begin(const raster *r, int64_t chunk)
{
    const int64_t begin = chunk * r->chunk_size;
    return begin < r->source->count ? begin : r->source->count;
}

static void find_leaves(void *context, int64_t begin, int64_t end, int thread)
{
    raster *const r = context;
    (void)thread;
    for (int64_t n = begin; n < end; n++) {
        chunk *const c = &r->chunks[n];
        const int64_t last = chunk_begin(r, n + 1);
        for (int64_t i = chunk_begin(r, n); i < last && c->bad_row < 0 && !c->failed;
             i += TRACER_BLOCK)
            find_block(r, c, i, i + TRACER_BLOCK < last ? i + TRACER_BLOCK : last);
    }
}

static vt_status no_memory(const raster *r)
{
    return vt_fail(VT_OUT_OF_MEMORY, "no memory for the density of %lld tracers",
                   (long long)r->source->count);
}

static vt_status describe_bad(const raster *r, int64_t row)
{
    const vt_tracer_source *const s = r->source;
    const float *const p = s->position + 3 * row;
    const double x = (double)p[0], y = (double)p[1], z = (double)p[2];
    if (!is_amount(s->density[row]))
        return vt_fail(s->density[row] < 0.0f ? VT_INVALID_ARGUMENT : VT_NOT_FINITE,
                       "density of tracer row %lld is %g; it must be finite and >= 0",
                       (long long)row, (double)s->density[row]);
    if (!is_amount(s->size[row]))
        return vt_fail(s->size[row] < 0.0f ? VT_INVALID_ARGUMENT : VT_NOT_FINITE,
                       "size of tracer row %lld is %g; it must be finite and >= 0", (long long)row,
                       (double)s->size[row]);
    if ((x - x) + (y - y) + (z - z) != 0.0)
        return vt_fail(VT_NOT_FINITE, "position of tracer row %lld is (%g, %g, %g), not finite",
                       (long long)row, x, y, z);
    return vt_fail(VT_INVALID_ARGUMENT,
                   "position of tracer row %lld is (%g, %g, %g) m, more than 2^23 voxels of %g m "
                   "from the origin; remove the tracer or take larger voxels",
                   (long long)row, x, y, z, 1.0 / r->per_voxel);
}

static vt_status make_sources(raster *r)
{
    vt_key_set leaves[MOST_CHUNKS];
    const int64_t blocks = (r->source->count - 1) / TRACER_BLOCK + 1;
    const int64_t least = (blocks + MOST_CHUNKS - 1) / MOST_CHUNKS;
    r->chunk_size = TRACER_BLOCK * (least > 4 ? least : 4);
    r->chunk_count = (r->source->count - 1) / r->chunk_size + 1;
    r->block_size = malloc((size_t)blocks * sizeof *r->block_size);
    r->places = vt_allocate((size_t)r->source->count * sizeof *r->places);
    if (!r->block_size || !r->places)
        return no_memory(r);
    for (int64_t n = 0; n < r->chunk_count; n++)
        r->chunks[n].bad_row = -1;
    vt_parallel_for(r->threads, r->chunk_count, 1, find_leaves, r);
    for (int64_t n = 0; n < r->chunk_count; n++) {
        if (r->chunks[n].bad_row >= 0)
            return describe_bad(r, r->chunks[n].bad_row);
        if (r->chunks[n].failed)
            return no_memory(r);
        leaves[n] = r->chunks[n].leaves;
    }
    return vt_create_leaves(&r->sources, 0, r->chunk_count, leaves);
}

/* ---- stable counting sort by leaf ---- */

/* From the counts of every chunk to where its tracers go: leaf after leaf, chunk after chunk. */
static void find_starts(raster *r)
{
    memset(r->ends, 0, (size_t)r->sources.count * sizeof *r->ends);
    for (int64_t n = 0; n < r->chunk_count; n++) {
        chunk *const c = &r->chunks[n];
        for (int64_t place = 0; place < c->leaves.count; place++) {
            const int64_t row = vt_leaf_row(&r->sources, c->leaves.keys[place]);
            const uint32_t count = c->counts[place];
            c->counts[place] = (uint32_t)r->ends[row];
            r->ends[row] += count;
        }
    }
    for (int64_t row = 1; row < r->sources.count; row++)
        r->ends[row] += r->ends[row - 1];
    for (int64_t n = 0; n < r->chunk_count; n++) {
        chunk *const c = &r->chunks[n];
        for (int64_t place = 0; place < c->leaves.count; place++) {
            const int64_t row = vt_leaf_row(&r->sources, c->leaves.keys[place]);
            c->counts[place] += row ? (uint32_t)r->ends[row - 1] : 0u;
        }
    }
}

static void move_tracers(void *context, int64_t begin, int64_t end, int thread)
{
    raster *const r = context;
    (void)thread;
    for (int64_t n = begin; n < end; n++) {
        uint32_t *const next = r->chunks[n].counts;
        for (int64_t i = chunk_begin(r, n); i < chunk_begin(r, n + 1); i++)
            r->sorted[next[r->places[i]]++] = (uint32_t)i;
    }
}

static vt_status sort_tracers(raster *r)
{
    r->sorted = vt_allocate((size_t)r->source->count * sizeof *r->sorted);
    r->ends = malloc((size_t)r->sources.count * sizeof *r->ends);
    if (!r->sorted || !r->ends)
        return no_memory(r);
    find_starts(r);
    vt_parallel_for(r->threads, r->chunk_count, 1, move_tracers, r);
    return VT_OK;
}

/* ---- hat deposit ---- */

/* Adds a tracer to the 8 voxels around it; returns which upper faces of the leaf it reaches over.
 * Sums are double: a voxel may receive a million tracers. */
static inline int deposit_tracer(const raster *r, int64_t tracer, double *sums)
{
    int32_t voxel[3];
    double part[3];
    locate(r, tracer, part);
    for (int axis = 0; axis < 3; axis++) {
        voxel[axis] = (int32_t)part[axis];
        part[axis] -= voxel[axis];
    }
    const int x = voxel[0] & 7, y = voxel[1] & 7, z = voxel[2] & 7;
    const double weight = (double)r->source->density[tracer], upper = weight * part[2];
    const pair along_z = {weight - upper, upper};
    const pair x1 = along_z * part[0], x0 = along_z - x1;
    const pair x1y1 = x1 * part[1], x0y1 = x0 * part[1];
    const pair parts[4] = {x0 - x0y1, x0y1, x1 - x1y1, x1y1};
    static const int offset[4] = {0, SIDE, SIDE * SIDE, SIDE * SIDE + SIDE};
    double *const at = sums + (x * SIDE + y) * SIDE + z;
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) {
        pair sum;
        memcpy(&sum, at + offset[i], sizeof sum);
        sum += parts[i];
        memcpy(at + offset[i], &sum, sizeof sum);
    }
    return (x + 1) >> 3 << 2 | (y + 1) >> 3 << 1 | (z + 1) >> 3;
}

static void deposit_leaves(void *context, int64_t begin, int64_t end, int thread)
{
    raster *const r = context;
    (void)thread;
    for (int64_t leaf = begin; leaf < end; leaf++) {
        double sums[MARGINED] = {0.0};
        float *const out = r->margined + leaf * PITCH;
        unsigned over = 0;
        for (int64_t i = leaf ? r->ends[leaf - 1] : 0; i < r->ends[leaf]; i++)
            over |= 1u << deposit_tracer(r, r->sorted[i], sums);
        for (int i = 0; i < MARGINED; i++)
            out[i] = (float)(sums[i] * r->scale);
        /* Over two faces is also over each of them. */
        for (unsigned d = 7; d > 0; d--)
            for (unsigned part = 1; over >> d & 1 && part < d; part++)
                over |= (part & ~d) == 0 ? 1u << part : 0u;
        r->touched[leaf] = (uint8_t)over;
    }
}

/* One leaf of the hat deposit: its own part and the margins of its lower neighbours. */
static void gather_margins(const raster *r, uint64_t key, float *values)
{
    const vt_neighbourhood around = vt_neighbours(key);
    for (int d = 0; d < 8; d++) {
        const int step[3] = {d >> 2, d >> 1 & 1, d & 1};
        const int64_t leaf =
            vt_leaf_row(&r->sources, vt_neighbour(&around, -step[0], -step[1], -step[2]));
        if (leaf < 0)
            continue;
        const float *const from = r->margined + leaf * PITCH +
                                  VT_LEAF_SIDE * ((step[0] * SIDE + step[1]) * SIDE + step[2]);
        const int nx = step[0] ? 1 : 8, ny = step[1] ? 1 : 8, nz = step[2] ? 1 : 8;
        for (int x = 0; x < nx; x++)
            for (int y = 0; y < ny; y++)
                for (int z = 0; z < nz; z++)
                    values[64 * x + 8 * y + z] += from[(x * SIDE + y) * SIDE + z];
    }
}

static void gather_leaves(void *context, int64_t begin, int64_t end, int thread)
{
    raster *const r = context;
    (void)thread;
    for (int64_t row = begin; row < end; row++) {
        float *const values = r->hat.values + row * VT_LEAF_VOXELS;
        memset(values, 0, VT_LEAF_VOXELS * sizeof *values);
        gather_margins(r, r->hat.keys[row], values);
        if (!vt_mark_active(&r->hat, row))
            r->infinite[thread] = 1;
    }
}

static int add_touched(const raster *r, vt_key_set *keys)
{
    for (int64_t leaf = 0; leaf < r->sources.count; leaf++) {
        const vt_neighbourhood around = vt_neighbours(r->sources.keys[leaf]);
        for (int d = 0; d < 8; d++)
            if ((d == 0 || r->touched[leaf] >> d & 1) &&
                vt_key_set_add(keys, vt_neighbour(&around, d >> 2, d >> 1 & 1, d & 1)) < 0)
                return -1;
    }
    return 0;
}

static vt_status deposit(raster *r)
{
    vt_key_set keys = {0};
    r->margined = vt_allocate((size_t)r->sources.count * PITCH * sizeof *r->margined);
    r->touched = malloc((size_t)r->sources.count);
    if (!r->margined || !r->touched)
        return no_memory(r);
    vt_parallel_for(r->threads, r->sources.count, 4, deposit_leaves, r);
    const vt_status status =
        add_touched(r, &keys) == 0 ? vt_create_leaves(&r->hat, 1, 1, &keys) : no_memory(r);
    vt_key_set_destroy(&keys);
    if (status != VT_OK)
        return status;
    vt_parallel_for(r->threads, r->hat.count, 16, gather_leaves, r);
    for (int thread = 0; thread < r->threads; thread++)
        if (r->infinite[thread])
            return vt_fail(VT_NOT_FINITE, "density of a voxel of %g m is too large for a float32",
                           1.0 / r->per_voxel);
    return VT_OK;
}

/* ---- together ---- */

/* Variance of the filter in voxels^2. With 4 tracers or more in an active voxel 1/12, which makes a
 * quadratic B-spline of the hat; with fewer that of a Gaussian of half the spacing at birth, but
 * not above a voxel. */
static double choose_variance(const raster *r)
{
    const double spline = 1.0 / 12.0;
    int64_t active = 0;
    double size = 0.0;
    for (int64_t row = 0; row < r->hat.count; row++)
        active += vt_leaf_active(&r->hat, row);
    for (int64_t block = 0; block * TRACER_BLOCK < r->source->count; block++)
        size += r->block_size[block];
    const double d = size / (double)r->source->count * r->per_voxel, gaussian = 0.25 * d * d;
    if (r->source->count >= 4 * active || gaussian < spline)
        return spline;
    return gaussian < 1.0 ? gaussian : 1.0;
}

static vt_status rasterize(raster *r)
{
    vt_status status = make_sources(r);
    if (status == VT_OK)
        status = sort_tracers(r);
    if (status == VT_OK)
        status = deposit(r);
    if (status == VT_OK)
        status = vt_smooth_leaves(&r->hat, choose_variance(r), r->threads, r->density);
    return status;
}

static void destroy_raster(raster *r)
{
    for (int64_t n = 0; n < r->chunk_count; n++) {
        vt_key_set_destroy(&r->chunks[n].leaves);
        free(r->chunks[n].counts);
    }
    vt_destroy_leaves(&r->sources);
    vt_destroy_leaves(&r->hat);
    free(r->block_size);
    free(r->places);
    free(r->ends);
    free(r->sorted);
    free(r->margined);
    free(r->touched);
}

vt_status vt_rasterize(const vt_tracer_source *source, double voxel_size, int threads,
                       vt_leaves *density)
{
    *density = (vt_leaves){.components = 1};
    if (source->count == 0)
        return VT_OK;
    const double per_voxel = 1.0 / voxel_size;
    raster r = {.source = source,
                .per_voxel = per_voxel,
                .scale = per_voxel * per_voxel * per_voxel,
                .threads = threads,
                .density = density};
    const vt_status status = rasterize(&r);
    destroy_raster(&r);
    return status;
}
