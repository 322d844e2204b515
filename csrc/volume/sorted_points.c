#include "volume/sorted_points.h"

#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "base/status.h"
#include "volume/tracer_source.h"

enum {
    BLOCK = 16384, /* points */
    MOST_CHUNKS = 64,
    GUARD = 64 /* voxels kept free for filter and velocity margin */
};

/* A run of points that is sorted by one thread: whole blocks. More of them than threads, so that a
 * slow thread takes fewer; not more than so many, because each knows all leaves that it meets. */
typedef struct chunk {
    vt_key_set leaves;
    uint32_t *counts; /* points in each of these leaves, then where the next one goes */
    int64_t room;
    int64_t bad_row; /* first tracer that is not acceptable, or -1 */
    int failed;      /* no memory */
} chunk;

typedef struct sorting {
    vt_sorted_points *to;
    int threads;
    int64_t chunk_count, chunk_size;
    chunk chunks[MOST_CHUNKS];
    double *block_size; /* sum of the sizes of each block of points, m */
    uint32_t *places;   /* of each point: its leaf in the set of its chunk */
} sorting;

/* ---- which leaves ---- */

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

/* Place of the leaf in the chunk's set, with a counter of its own; -1 when there is no memory. */
static int64_t add_leaf(chunk *c, uint64_t key)
{
    const int64_t place = vti_key_set_add(&c->leaves, key);
    if (c->leaves.count > c->room) {
        const int64_t room = c->room ? 2 * c->room : 64;
        uint32_t *const counts = vti_resize(c->counts, (size_t)room * sizeof *counts);
        if (!counts)
            return -1;
        memset(counts + c->room, 0, (size_t)(room - c->room) * sizeof *counts);
        c->counts = counts;
        c->room = room;
    }
    return place;
}

static void find_block(sorting *s, chunk *c, int64_t begin, int64_t end)
{
    int32_t last[3] = {INT32_MAX, 0, 0}, voxel[3];
    int64_t leaf = 0;
    double place[3], size = 0.0;
    for (int64_t i = begin; i < end; i++) {
        const int64_t tracer = i >> s->to->shift;
        vti_locate_point(s->to, i, place);
        if (!find_voxel(place, voxel) || !vti_tracer_is_allowed(s->to->source, tracer)) {
            c->bad_row = tracer;
            return;
        }
        if (!is_same_leaf(voxel, last)) {
            memcpy(last, voxel, sizeof last);
            leaf = add_leaf(c, vti_leaf_key(voxel));
            if (leaf < 0) {
                c->failed = 1;
                return;
            }
        }
        size += (double)s->to->source->size[tracer];
        s->places[i] = (uint32_t)leaf;
        c->counts[leaf]++;
    }
    s->block_size[begin / BLOCK] = size;
}

static int64_t chunk_begin(const sorting *s, int64_t chunk)
{
    const int64_t begin = chunk * s->chunk_size;
    return begin < s->to->count ? begin : s->to->count;
}

static void find_leaves(void *context, int64_t begin, int64_t end)
{
    sorting *const s = context;
    for (int64_t n = begin; n < end; n++) {
        chunk *const c = &s->chunks[n];
        const int64_t last = chunk_begin(s, n + 1);
        for (int64_t i = chunk_begin(s, n); i < last && c->bad_row < 0 && !c->failed; i += BLOCK)
            find_block(s, c, i, i + BLOCK < last ? i + BLOCK : last);
    }
}

static vt_status no_memory(const sorting *s)
{
    return vti_fail(VT_OUT_OF_MEMORY, "no memory for the density of %lld tracers",
                    (long long)s->to->source->count);
}

static vt_status find_all_leaves(sorting *s)
{
    vt_key_set leaves[MOST_CHUNKS];
    const int64_t blocks = (s->to->count - 1) / BLOCK + 1;
    const int64_t least = (blocks + MOST_CHUNKS - 1) / MOST_CHUNKS;
    s->chunk_size = BLOCK * (least > 4 ? least : 4);
    s->chunk_count = (s->to->count - 1) / s->chunk_size + 1;
    s->block_size = vti_allocate((size_t)blocks * sizeof *s->block_size);
    s->places = vti_borrow((size_t)s->to->count * sizeof *s->places);
    if (!s->block_size || !s->places)
        return no_memory(s);
    for (int64_t n = 0; n < s->chunk_count; n++)
        s->chunks[n].bad_row = -1;
    vti_parallel_for(s->threads, s->chunk_count, 1, find_leaves, s);
    for (int64_t n = 0; n < s->chunk_count; n++) {
        if (s->chunks[n].bad_row >= 0)
            return vti_describe_bad_tracer(s->to->source, 1.0 / s->to->per_voxel,
                                           s->chunks[n].bad_row);
        if (s->chunks[n].failed)
            return no_memory(s);
        leaves[n] = s->chunks[n].leaves;
    }
    return vti_create_leaves(&s->to->leaves, 0, s->chunk_count, leaves);
}

/* ---- stable counting sort by leaf ---- */

/* From the counts of every chunk to where its points go: leaf after leaf, chunk after chunk. */
static void find_starts(sorting *s)
{
    memset(s->to->ends, 0, (size_t)s->to->leaves.count * sizeof *s->to->ends);
    for (int64_t n = 0; n < s->chunk_count; n++) {
        chunk *const c = &s->chunks[n];
        for (int64_t place = 0; place < c->leaves.count; place++) {
            const int64_t row = vti_leaf_row(&s->to->leaves, c->leaves.keys[place]);
            const uint32_t count = c->counts[place];
            c->counts[place] = (uint32_t)s->to->ends[row];
            s->to->ends[row] += count;
        }
    }
    for (int64_t row = 1; row < s->to->leaves.count; row++)
        s->to->ends[row] += s->to->ends[row - 1];
    for (int64_t n = 0; n < s->chunk_count; n++) {
        chunk *const c = &s->chunks[n];
        for (int64_t place = 0; place < c->leaves.count; place++) {
            const int64_t row = vti_leaf_row(&s->to->leaves, c->leaves.keys[place]);
            c->counts[place] += row ? (uint32_t)s->to->ends[row - 1] : 0u;
        }
    }
}

static void move_points(void *context, int64_t begin, int64_t end)
{
    sorting *const s = context;
    for (int64_t n = begin; n < end; n++) {
        uint32_t *const next = s->chunks[n].counts;
        for (int64_t i = chunk_begin(s, n); i < chunk_begin(s, n + 1); i++)
            s->to->sorted[next[s->places[i]]++] = (uint32_t)i;
    }
}

static vt_status move_all(sorting *s)
{
    s->to->sorted = vti_borrow((size_t)s->to->count * sizeof *s->to->sorted);
    s->to->ends = vti_allocate((size_t)s->to->leaves.count * sizeof *s->to->ends);
    if (!s->to->sorted || !s->to->ends)
        return no_memory(s);
    find_starts(s);
    vti_parallel_for(s->threads, s->chunk_count, 1, move_points, s);
    return VT_OK;
}

/* ---- together ---- */

/* Made by taking 8 points of the sequence of Roberts (n / g, n / g^2, n / g^3), g^4 = g + 1, from
 * n = 1489 on, + 1/2, through the quantile function of the normal distribution, and then by the
 * inverse Cholesky factor of the covariance that they have with their opposites. Of the first 2000
 * n this one has the best fourth moments for its least distance. */
const double vti_spread_point[VT_SPREAD_POINTS / 2][3] = {
    {-0.6095302974027, 0.331135077533272, -2.163820072388741},
    {-1.3405430661860782, -0.7453333167464298, 0.5018436877733968},
    {1.0797015003677393, -1.7189401261954218, -1.2945370147613904},
    {0.4831561902027633, 0.6636380772482198, 0.18468510744249964},
    {0.05512616430935921, -0.3335906805286451, -0.7213950926897756},
    {-0.3599653515569465, -1.917838615010197, 0.7805133540028085},
    {-0.8792001411271757, 0.3363885977506997, -0.23872142740430588},
    {1.8779283888769518, 0.19264518758555613, 0.4117050405759566}};

static double mean_size(const sorting *s)
{
    double size = 0.0;
    for (int64_t block = 0; block * BLOCK < s->to->count; block++)
        size += s->block_size[block];
    return size / (double)s->to->count;
}

static void clear(sorting *s)
{
    for (int64_t n = 0; n < s->chunk_count; n++) {
        vti_key_set_destroy(&s->chunks[n].leaves);
        vti_free(s->chunks[n].counts);
    }
    vti_free(s->block_size);
    vti_return_borrowed(s->places);
}

vt_status vti_sort_points(const vt_tracer_source *source, const vt_spread *spread,
                          double voxel_size, int threads, vt_sorted_points *sorted)
{
    const int shift = spread ? VT_SPREAD_SHIFT : 0;
    sorting s = {.to = sorted, .threads = threads};
    *sorted = (vt_sorted_points){.source = source,
                                 .spread = spread,
                                 .count = source->count << shift,
                                 .shift = shift,
                                 .per_voxel = 1.0 / voxel_size};
    if (sorted->count == 0)
        return VT_OK;
    vt_status status = find_all_leaves(&s);
    if (status == VT_OK)
        status = move_all(&s);
    if (status == VT_OK)
        sorted->size = mean_size(&s);
    else
        vti_destroy_sorted_points(sorted);
    clear(&s);
    return status;
}

void vti_destroy_sorted_points(vt_sorted_points *sorted)
{
    vti_destroy_leaves(&sorted->leaves);
    vti_free(sorted->ends);
    vti_return_borrowed(sorted->sorted);
    sorted->ends = NULL;
    sorted->sorted = NULL;
}
