#include <string.h>

#include "animation/definition.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/status.h"
#include "state/simulation.h"
#include "volume/grown_tracers.h"
#include "volume/rasterize.h"
#include "volume/tracer_source.h"

enum { BATCH = 1 << 17 /* most points in one call of a velocity function */ };

/* The active voxels of some leaves as a list of points. */
typedef struct batch {
    const vt_volume *volume;
    int64_t first;                             /* leaf */
    int64_t start[BATCH / VT_LEAF_VOXELS + 1]; /* of the points of each leaf */
    float *points, *velocity;
    int64_t bad_row[VT_MAX_THREADS]; /* a leaf with a velocity that is not finite, or -1 */
    const vt_tracer_source *source;
    vt_leaf_velocity *leaf_velocity;
    uint8_t *done; /* whether a leaf has its velocity */
} batch;

static void list_points_of_leaf(void *context, int64_t leaf)
{
    const batch *const b = context;
    const vt_leaves *const leaves = &b->volume->velocity;
    const double h = b->volume->voxel_size;
    float *point = b->points + 3 * b->start[leaf], along[3][VT_LEAF_SIDE];
    int32_t origin[3];
    if (b->done[b->first + leaf])
        return;
    vti_leaf_origin(leaves->keys[b->first + leaf], origin);
    for (int axis = 0; axis < 3; axis++)
        for (int n = 0; n < VT_LEAF_SIDE; n++)
            along[axis][n] = (float)(h * (origin[axis] + n));
    for (int x = 0; x < VT_LEAF_WORDS; x++) {
        uint64_t left = leaves->masks[(b->first + leaf) * VT_LEAF_WORDS + x];
        for (; left; left &= left - 1) {
            const int voxel = __builtin_ctzll(left);
            *point++ = along[0][x];
            *point++ = along[1][voxel >> 3];
            *point++ = along[2][voxel & 7];
        }
    }
}

/* Puts the velocities of 64 voxels where they belong, and 0 where none is active; returns how many
 * there are. */
static int store_slice(uint64_t active, const float *from, float *values)
{
    enum { SLICE = 3 * 64 };
    if (active == UINT64_MAX) {
        memcpy(values, from, SLICE * sizeof *values);
        return 64;
    }
    memset(values, 0, SLICE * sizeof *values);
    const float *next = from;
    for (uint64_t left = active; left; left &= left - 1, next += 3)
        memcpy(values + 3 * __builtin_ctzll(left), next, 3 * sizeof *next);
    return (int)(next - from) / 3;
}

static int is_finite(const float values[3 * VT_LEAF_VOXELS])
{
    float rest[8] = {0.0f}; /* not 0 where one is not finite */
    for (int i = 0; i < 3 * VT_LEAF_VOXELS; i += 8)
        for (int lane = 0; lane < 8; lane++)
            rest[lane] += values[i + lane] - values[i + lane];
    float all = 0;
    for (int lane = 0; lane < 8; lane++)
        all += rest[lane];
    return all == 0;
}

static float *velocity_of_leaf(const batch *b, int64_t leaf)
{
    return b->volume->velocity.values + 3 * VT_LEAF_VOXELS * leaf;
}

static void store_velocity(void *context, int64_t begin, int64_t end, int thread)
{
    batch *const b = context;
    for (int64_t leaf = begin; leaf < end; leaf++) {
        const float *from = b->velocity + 3 * b->start[leaf];
        const int64_t row = b->first + leaf;
        const uint64_t *const mask = b->volume->velocity.masks + row * VT_LEAF_WORDS;
        float *const values = velocity_of_leaf(b, row);
        for (int x = 0; x < VT_LEAF_WORDS && !b->done[row]; x++)
            from += 3 * store_slice(mask[x], from, values + 3 * 64 * x);
        if (!is_finite(values))
            b->bad_row[thread] = row;
    }
}

/* Of leaves in which the source knows all velocities at once; 0 where no voxel is active. */
static void find_leaf_velocity(void *context, int64_t leaf)
{
    const batch *const b = context;
    const uint64_t *const mask = b->volume->velocity.masks + leaf * VT_LEAF_WORDS;
    float *const values = velocity_of_leaf(b, leaf);
    int32_t origin[3];
    vti_leaf_origin(b->volume->velocity.keys[leaf], origin);
    b->done[leaf] = (uint8_t)b->leaf_velocity(b->source->context, origin, values);
    for (int x = 0; x < VT_LEAF_WORDS && b->done[leaf]; x++)
        for (uint64_t left = ~mask[x]; left; left &= left - 1)
            memset(values + 3 * (64 * x + __builtin_ctzll(left)), 0, 3 * sizeof *values);
}

/* Takes leaves from b->first until the batch is full; returns how many. */
static int64_t fill_batch(batch *b)
{
    const vt_leaves *const leaves = &b->volume->velocity;
    int64_t count = 0, points = 0;
    while (b->first + count < leaves->count && count < BATCH / VT_LEAF_VOXELS) {
        b->start[count] = points;
        points += b->done[b->first + count] ? 0 : vti_leaf_active(leaves, b->first + count);
        count++;
    }
    b->start[count] = points;
    return count;
}

static vt_status check_stored(const batch *b)
{
    for (int thread = 0; thread < b->volume->threads; thread++) {
        int32_t voxel[3];
        if (b->bad_row[thread] < 0)
            continue;
        vti_leaf_origin(b->volume->velocity.keys[b->bad_row[thread]], voxel);
        return vti_fail(VT_NOT_FINITE,
                        "velocity is not finite in the 8 x 8 x 8 voxels from (%d, %d, %d), %g m",
                        voxel[0], voxel[1], voxel[2], b->volume->voxel_size);
    }
    return VT_OK;
}

static vt_status fill_batches(batch *b)
{
    const vt_tracer_source *const source = b->source;
    vt_status status = VT_OK;
    if (b->leaf_velocity)
        vti_parallel_each(b->volume->threads, b->volume->velocity.count, 8, find_leaf_velocity, b);
    for (int64_t count; status == VT_OK && (count = fill_batch(b)) > 0; b->first += count) {
        vti_parallel_each(b->volume->threads, count, 8, list_points_of_leaf, b);
        if (b->start[count] > 0)
            status = source->velocity(source->context, b->start[count], b->points, b->velocity);
        if (status != VT_OK)
            break;
        vti_parallel_for_numbered(b->volume->threads, count, 8, store_velocity, b);
        status = check_stored(b);
    }
    return status;
}

static vt_status make_velocity(vt_volume *volume, const vt_tracer_source *source,
                               vt_leaf_velocity *leaf_velocity, int margin)
{
    vt_status status =
        vti_dilate_leaves(&volume->density, margin, 3, volume->threads, &volume->velocity);
    volume->has_velocity = 1;
    if (status != VT_OK || volume->velocity.count == 0)
        return status;
    batch *const b = vti_allocate(sizeof *b);
    float *const points = vti_borrow((size_t)2 * 3 * BATCH * sizeof *points);
    uint8_t *const done = vti_allocate_zeroed((size_t)volume->velocity.count, 1);
    if (b && points && done) {
        *b = (batch){.volume = volume,
                     .points = points,
                     .velocity = points + 3 * BATCH,
                     .source = source,
                     .leaf_velocity = leaf_velocity,
                     .done = done};
        memset(b->bad_row, 0xff, sizeof b->bad_row);
        status = fill_batches(b);
    } else {
        status = vti_fail(VT_OUT_OF_MEMORY, "no memory for the velocity of a volume");
    }
    vti_return_borrowed(points);
    vti_free(done);
    vti_free(b);
    return status;
}

vt_status vti_make_volume(const vt_tracer_source *source, vt_leaf_velocity *leaf_velocity,
                          const vt_volume_def *def, vt_volume **volume)
{
    vt_status status = vti_check_volume_def(def, volume);
    if (status == VT_OK)
        status = vti_check_tracer_source(source);
    if (status != VT_OK)
        return status;
    vt_volume *const v = vti_allocate(sizeof *v);
    if (!v)
        return vti_fail(VT_OUT_OF_MEMORY, "no memory for a volume");
    const int whole = (int)def->velocity_margin;
    *v = (vt_volume){.voxel_size = def->voxel_size,
                     .tracers = source->count,
                     .threads = def->threads ? def->threads : vt_available_threads(),
                     .sharp = def->sharp,
                     .ambient_temperature = source->temperature ? source->ambient_temperature : 0};
    v->carries[VT_VOLUME_temperature] = source->temperature != NULL;
    v->carries[VT_VOLUME_fuel] = source->fuel != NULL;
    v->carries[VT_VOLUME_flame] = source->flame != NULL;
    v->carries[VT_VOLUME_coverage] = v->carries[VT_VOLUME_glow] = source->flame != NULL;
    vt_tracer_source points;
    float *memory;
    status = vti_list_grown_tracers(source, def->voxel_size, &points, &memory);
    if (status == VT_OK)
        status = vti_rasterize(&points, v);
    vti_free(memory);
    if (status == VT_OK && source->velocity)
        status = make_velocity(v, source, leaf_velocity, whole + (whole < def->velocity_margin));
    if (status != VT_OK) {
        vt_destroy_volume(v);
        if (status == VT_OUT_OF_MEMORY)
            vti_fail(status,
                     "no memory for a volume of %lld tracers with voxels of %g m; half as "
                     "large they take up to 8 times the memory: take larger voxels",
                     (long long)source->count, def->voxel_size);
        return status;
    }
    *volume = v;
    return VT_OK;
}

/* The simulation that has the bodies is busy meanwhile. */
static vt_status make_beside_bodies(const vt_tracer_source *source, const vt_volume_def *def,
                                    vt_volume **volume)
{
    const vt_status status = source->bodies ? vti_enter(source->bodies) : VT_OK;
    if (status != VT_OK)
        return status;
    const vt_status made = vti_make_volume(source, NULL, def, volume);
    return source->bodies ? vti_leave(source->bodies, made) : made;
}

vt_status vt_create_volume_from_tracers(const vt_tracer_source *source, const vt_volume_def *def,
                                        vt_volume **volume)
{
    vt_accepted settings, tracers;
    if (volume)
        *volume = NULL;
    vt_status status = vti_accept(&vti_volume_definition, def, &settings);
    if (status)
        return status;
    status = vti_accept(&vti_tracer_source_definition, source, &tracers);
    if (!status) {
        status = make_beside_bodies(tracers.def, settings.def, volume);
        vti_give_back(&tracers);
    }
    vti_give_back(&settings);
    return status;
}
