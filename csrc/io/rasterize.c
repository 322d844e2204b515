/* Tracers to leaves of density: hat deposit, then a mass-preserving separable filter (PICTURE 3).
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
    GUARD = 64 /* voxels kept free for filter and velocity margin */
};

typedef double pair __attribute__((vector_size(16)));

/* A tracer in its leaf. */
typedef struct local_tracer {
    float at[3];  /* voxels from the first voxel of the leaf, in [0, 8) */
    float weight; /* kg */
} local_tracer;

/* What one thread found in its blocks. */
typedef struct finding {
    vt_key_set keys;
    int64_t bad_row; /* first tracer that is not acceptable, or -1 */
    int failed;      /* no memory */
} finding;

typedef struct raster {
    const vt_tracer_source *source;
    double per_voxel; /* 1 / voxel size, 1/m */
    double scale;     /* 1 / voxel volume, 1/m^3 */
    int threads, chunks;
    finding found[VT_MAX_THREADS];
    double *block_size; /* sum of the sizes of each block of tracers, m */
    vt_leaves sources;  /* leaves that hold tracers */
    uint32_t *rows;     /* leaf of each tracer */
    uint32_t *starts;   /* chunks x leaves: where the next tracer goes */
    int64_t *ends;      /* one past the last tracer of each leaf */
    local_tracer *sorted;
    float *margined;  /* leaves x PITCH: deposit with margin, kg/m^3 */
    uint8_t *touched; /* bit d: reaches the upper neighbour (d >> 2, d >> 1 & 1, d & 1) */
    vt_leaves hat;    /* the deposit, margins gathered */
    float taps[3];    /* filter: centre, 1 and 2 voxels off */
    int radius;       /* of the filter */
    vt_leaves *density;
} raster;

/* ---- which leaves ---- */

/* Voxel and place in it. The shift makes truncation round down; voxel indices have 24 bits, so 29
 * are left for the fraction. 0 when the place is not acceptable (or not a number). */
static inline int locate(const raster *r, int64_t tracer, int32_t voxel[3], double place[3])
{
    int inside = 1;
    for (int axis = 0; axis < 3; axis++) {
        const double x = (double)r->source->position[3 * tracer + axis] * r->per_voxel;
        const double shifted = x + VT_VOXEL_LIMIT;
        inside &= shifted >= GUARD && shifted < 2.0 * VT_VOXEL_LIMIT - GUARD;
        place[axis] = shifted;
    }
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

static void find_leaves(void *context, int64_t begin, int64_t end, int thread)
{
    raster *const r = context;
    finding *const f = &r->found[thread];
    int32_t last[3] = {INT32_MAX, 0, 0}, voxel[3];
    double place[3], size = 0.0;
    for (int64_t i = begin; i < end; i++) {
        if (!locate(r, i, voxel, place) || !is_amount(r->source->density[i]) ||
            !is_amount(r->source->size[i])) {
            if (f->bad_row < 0 || i < f->bad_row)
                f->bad_row = i;
            return;
        }
        size += (double)r->source->size[i];
        if (is_same_leaf(voxel, last))
            continue;
        memcpy(last, voxel, sizeof last);
        f->failed |= vt_key_set_add(&f->keys, vt_leaf_key(voxel));
    }
    r->block_size[begin / TRACER_BLOCK] = size;
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
    vt_key_set keys[VT_MAX_THREADS];
    int64_t bad_row = -1;
    int failed = 0;
    vt_parallel_for(r->threads, r->source->count, TRACER_BLOCK, find_leaves, r);
    for (int thread = 0; thread < r->threads; thread++) {
        const finding *const f = &r->found[thread];
        keys[thread] = f->keys;
        failed |= f->failed;
        if (f->bad_row >= 0 && (bad_row < 0 || f->bad_row < bad_row))
            bad_row = f->bad_row;
    }
    if (bad_row >= 0)
        return describe_bad(r, bad_row);
    if (failed)
        return vt_fail(VT_OUT_OF_MEMORY, "no memory for the leaves of a volume");
    return vt_create_leaves(&r->sources, 0, r->threads, keys);
}

/* ---- stable counting sort by leaf, a chunk of the rows at a time ---- */

static int64_t chunk_begin(const raster *r, int64_t chunk)
{
    return r->source->count * chunk / r->chunks;
}

static void count_chunk(void *context, int64_t begin, int64_t end, int thread)
{
    raster *const r = context;
    (void)thread;
    for (int64_t chunk = begin; chunk < end; chunk++) {
        uint32_t *const counts = r->starts + chunk * r->sources.count;
        int32_t last[3] = {INT32_MAX, 0, 0}, voxel[3];
        double place[3];
        uint32_t row = 0;
        memset(counts, 0, (size_t)r->sources.count * sizeof *counts);
        for (int64_t i = chunk_begin(r, chunk); i < chunk_begin(r, chunk + 1); i++) {
            locate(r, i, voxel, place);
            if (!is_same_leaf(voxel, last)) {
                memcpy(last, voxel, sizeof last);
                row = (uint32_t)vt_leaf_row(&r->sources, vt_leaf_key(voxel));
            }
            r->rows[i] = row;
            counts[row]++;
        }
    }
}

static void find_starts(raster *r)
{
    uint32_t sum = 0;
    for (int64_t leaf = 0; leaf < r->sources.count; leaf++) {
        for (int chunk = 0; chunk < r->chunks; chunk++) {
            uint32_t *const start = &r->starts[chunk * r->sources.count + leaf];
            const uint32_t count = *start;
            *start = sum;
            sum += count;
        }
        r->ends[leaf] = sum;
    }
}

static void move_chunk(void *context, int64_t begin, int64_t end, int thread)
{
    const float below_8 = 0x1.fffffep+2f;
    raster *const r = context;
    (void)thread;
    for (int64_t chunk = begin; chunk < end; chunk++) {
        uint32_t *const starts = r->starts + chunk * r->sources.count;
        for (int64_t i = chunk_begin(r, chunk); i < chunk_begin(r, chunk + 1); i++) {
            local_tracer *const to = &r->sorted[starts[r->rows[i]]++];
            int32_t voxel[3];
            double place[3];
            locate(r, i, voxel, place);
            for (int axis = 0; axis < 3; axis++) {
                const int32_t first = (voxel[axis] + VT_VOXEL_LIMIT) & ~7;
                const float at = (float)(place[axis] - first);
                to->at[axis] = at < below_8 ? at : below_8;
            }
            to->weight = r->source->density[i];
        }
    }
}

static vt_status sort_tracers(raster *r)
{
    const size_t count = (size_t)r->source->count, leaves = (size_t)r->sources.count;
    /* Chunks change nothing but the time; few of them where their counters would be many. */
    r->chunks = r->threads;
    while (r->chunks > 1 && (size_t)r->chunks * leaves > 2 * count)
        r->chunks--;
    r->rows = malloc(count * sizeof *r->rows);
    r->sorted = malloc(count * sizeof *r->sorted);
    r->starts = malloc((size_t)r->chunks * leaves * sizeof *r->starts);
    r->ends = malloc(leaves * sizeof *r->ends);
    if (!r->rows || !r->sorted || !r->starts || !r->ends)
        return vt_fail(VT_OUT_OF_MEMORY, "no memory to sort %lld tracers",
                       (long long)r->source->count);
    vt_parallel_for(r->threads, r->chunks, 1, count_chunk, r);
    find_starts(r);
    vt_parallel_for(r->threads, r->chunks, 1, move_chunk, r);
    return VT_OK;
}

/* ---- hat deposit ---- */

/* Adds a tracer to the 8 voxels around it; returns which upper faces of the leaf it reaches over.
 * Sums are double: a voxel may receive a million tracers. */
static inline int deposit_tracer(double *sums, const local_tracer *t)
{
    const int x = (int)t->at[0], y = (int)t->at[1], z = (int)t->at[2];
    const double fx = (double)(t->at[0] - (float)x), fy = (double)(t->at[1] - (float)y);
    const double fz = (double)(t->at[2] - (float)z), weight = (double)t->weight;
    const pair along_z = {weight - weight * fz, weight * fz};
    const pair x1 = along_z * fx, x0 = along_z - x1;
    const pair x1y1 = x1 * fy, x1y0 = x1 - x1y1, x0y1 = x0 * fy, x0y0 = x0 - x0y1;
    const pair parts[4] = {x0y0, x0y1, x1y0, x1y1};
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
            over |= 1u << deposit_tracer(sums, &r->sorted[i]);
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
    for (int d = 0; d < 8; d++) {
        const int step[3] = {d >> 2, d >> 1 & 1, d & 1};
        const int64_t leaf = vt_leaf_row(
            &r->sources, vt_neighbour_key(key, (const int32_t[3]){-step[0], -step[1], -step[2]}));
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
        gather_margins(r, r->hat.keys[row], r->hat.values + row * VT_LEAF_VOXELS);
        if (!vt_mark_active(&r->hat, row))
            r->found[thread].failed = 1;
    }
}

static int add_touched(const raster *r, vt_key_set *keys)
{
    int failed = 0;
    for (int64_t leaf = 0; leaf < r->sources.count && !failed; leaf++) {
        failed |= vt_key_set_add(keys, r->sources.keys[leaf]);
        for (int d = 1; d < 8; d++)
            if (r->touched[leaf] >> d & 1)
                failed |= vt_key_set_add(
                    keys, vt_neighbour_key(r->sources.keys[leaf],
                                           (const int32_t[3]){d >> 2, d >> 1 & 1, d & 1}));
    }
    return failed;
}

static vt_status deposit(raster *r)
{
    vt_key_set keys = {0};
    r->margined = malloc((size_t)r->sources.count * PITCH * sizeof *r->margined);
    r->touched = malloc((size_t)r->sources.count);
    if (!r->margined || !r->touched)
        return vt_fail(VT_OUT_OF_MEMORY, "no memory for the leaves of a volume");
    vt_parallel_for(r->threads, r->sources.count, 4, deposit_leaves, r);
    const vt_status status = add_touched(r, &keys) == 0
                                 ? vt_create_leaves(&r->hat, 1, 1, &keys)
                                 : vt_fail(VT_OUT_OF_MEMORY, "no memory for leaves");
    vt_key_set_destroy(&keys);
    if (status != VT_OK)
        return status;
    vt_parallel_for(r->threads, r->hat.count, 16, gather_leaves, r);
    for (int thread = 0; thread < r->threads; thread++)
        if (r->found[thread].failed)
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
    for (int thread = 0; thread < threads; thread++)
        r.found[thread].bad_row = -1;
    r.block_size = calloc((size_t)((source->count - 1) / TRACER_BLOCK + 1), sizeof *r.block_size);
    const vt_status status =
        r.block_size ? rasterize(&r) : vt_fail(VT_OUT_OF_MEMORY, "no memory for a volume");
    for (int thread = 0; thread < threads; thread++)
        vt_key_set_destroy(&r.found[thread].keys);
    vt_destroy_leaves(&r.sources);
    vt_destroy_leaves(&r.hat);
    free(r.block_size);
    free(r.rows);
    free(r.starts);
    free(r.ends);
    free(r.sorted);
    free(r.margined);
    free(r.touched);
    return status;
}
