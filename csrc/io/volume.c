#include "io/volume.h"

#include <stdlib.h>
#include <string.h>

#include "core/parallel.h"
#include "core/status.h"
#include "io/tracer_source.h"

enum {
    BATCH = 1 << 17, /* most points in one call of a velocity function */
    MOST_MARGIN = 16
};

const char *vt_volume_field_name(int field)
{
    static const char *const names[] = {
#define VT_VOLUME_FIELD(name, unit, description) #name,
#include "vorton/volume.def"
    };
    return field >= 0 && field < VT_VOLUME_FIELDS ? names[field] : NULL;
}

int vt_volume_carries(const vt_volume *volume, int field)
{
    return volume && vt_volume_field_name(field) && volume->carries[field];
}

vt_volume_def vt_default_volume(void)
{
    return (vt_volume_def){.voxel_size = 0.0, .velocity_margin = 3.0, .threads = 0};
}

/* ---- velocity ---- */

/* The active voxels of some leaves as a list of points. */
typedef struct batch {
    const vt_volume *volume;
    int64_t first;                             /* leaf */
    int64_t start[BATCH / VT_LEAF_VOXELS + 1]; /* of the points of each leaf */
    float *points, *velocity;
    int64_t bad_row[VT_MAX_THREADS]; /* a leaf with a velocity that is not finite, or -1 */
} batch;

static void list_points(void *context, int64_t begin, int64_t end, int thread)
{
    const batch *const b = context;
    const vt_leaves *const leaves = &b->volume->velocity;
    (void)thread;
    for (int64_t leaf = begin; leaf < end; leaf++) {
        float *point = b->points + 3 * b->start[leaf];
        int32_t origin[3];
        vt_leaf_origin(leaves->keys[b->first + leaf], origin);
        for (int voxel = 0; voxel < VT_LEAF_VOXELS; voxel++) {
            if (!vt_voxel_is_active(leaves, b->first + leaf, voxel))
                continue;
            const int32_t at[3] = {voxel >> 6, voxel >> 3 & 7, voxel & 7};
            for (int axis = 0; axis < 3; axis++)
                *point++ = (float)(b->volume->voxel_size * (origin[axis] + at[axis]));
        }
    }
}

static void store_velocity(void *context, int64_t begin, int64_t end, int thread)
{
    batch *const b = context;
    const vt_leaves *const leaves = &b->volume->velocity;
    for (int64_t leaf = begin; leaf < end; leaf++) {
        const float *from = b->velocity + 3 * b->start[leaf];
        float *const values = leaves->values + 3 * VT_LEAF_VOXELS * (b->first + leaf);
        memset(values, 0, 3 * VT_LEAF_VOXELS * sizeof *values);
        for (int voxel = 0; voxel < VT_LEAF_VOXELS; voxel++) {
            if (!vt_voxel_is_active(leaves, b->first + leaf, voxel))
                continue;
            for (int axis = 0; axis < 3; axis++, from++) {
                values[3 * voxel + axis] = *from;
                if (*from - *from != 0.0f)
                    b->bad_row[thread] = b->first + leaf;
            }
        }
    }
}

/* Takes leaves from b->first until the batch is full; returns how many. */
static int64_t fill_batch(batch *b)
{
    const vt_leaves *const leaves = &b->volume->velocity;
    int64_t count = 0, points = 0;
    while (b->first + count < leaves->count && count < BATCH / VT_LEAF_VOXELS) {
        b->start[count] = points;
        points += vt_leaf_active(leaves, b->first + count);
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
        vt_leaf_origin(b->volume->velocity.keys[b->bad_row[thread]], voxel);
        return vt_fail(VT_NOT_FINITE,
                       "velocity is not finite in the 8 x 8 x 8 voxels from (%d, %d, %d), %g m",
                       voxel[0], voxel[1], voxel[2], b->volume->voxel_size);
    }
    return VT_OK;
}

static vt_status fill_batches(batch *b, const vt_tracer_source *source)
{
    vt_status status = VT_OK;
    for (int64_t count; status == VT_OK && (count = fill_batch(b)) > 0; b->first += count) {
        vt_parallel_for(b->volume->threads, count, 8, list_points, b);
        status = source->velocity(source->context, b->start[count], b->points, b->velocity);
        if (status != VT_OK)
            break;
        vt_parallel_for(b->volume->threads, count, 8, store_velocity, b);
        status = check_stored(b);
    }
    return status;
}

static vt_status make_velocity(vt_volume *volume, const vt_tracer_source *source, int margin)
{
    vt_status status =
        vt_dilate_leaves(&volume->density, margin, 3, volume->threads, &volume->velocity);
    volume->has_velocity = 1;
    if (status != VT_OK || volume->velocity.count == 0)
        return status;
    batch *const b = malloc(sizeof *b);
    float *const points = vt_allocate((size_t)2 * 3 * BATCH * sizeof *points);
    if (b && points) {
        *b = (batch){.volume = volume, .points = points, .velocity = points + 3 * BATCH};
        memset(b->bad_row, 0xff, sizeof b->bad_row);
        status = fill_batches(b, source);
    } else {
        status = vt_fail(VT_OUT_OF_MEMORY, "no memory for the velocity of a volume");
    }
    free(points);
    free(b);
    return status;
}

/* ---- making ---- */

vt_status vt_check_volume_def(const vt_volume_def *def, vt_volume **volume)
{
    if (!volume)
        return vt_fail(VT_INVALID_ARGUMENT, "volume must not be NULL");
    *volume = NULL;
    if (!def)
        return vt_fail(VT_INVALID_ARGUMENT, "def must not be NULL");
    if (!(def->voxel_size >= 1e-9 && def->voxel_size <= 1e9))
        return vt_fail(VT_INVALID_ARGUMENT, "voxel_size must be in 1e-9 .. 1e9 m, got %g",
                       def->voxel_size);
    if (!(def->velocity_margin >= 0.0 && def->velocity_margin <= MOST_MARGIN))
        return vt_fail(VT_INVALID_ARGUMENT, "velocity_margin must be in 0 .. %d voxels, got %g",
                       MOST_MARGIN, def->velocity_margin);
    if (def->sharp != 0 && def->sharp != 1)
        return vt_fail(VT_INVALID_ARGUMENT, "sharp must be 0 or 1, got %d", def->sharp);
    if (def->threads < 0 || def->threads > VT_MAX_THREADS)
        return vt_fail(VT_INVALID_ARGUMENT, "threads must be in 0 .. %d, got %d", VT_MAX_THREADS,
                       def->threads);
    return VT_OK;
}

vt_status vt_create_volume_from_tracers(const vt_tracer_source *source, const vt_volume_def *def,
                                        vt_volume **volume)
{
    vt_status status = vt_check_volume_def(def, volume);
    if (status == VT_OK)
        status = vt_check_tracer_source(source);
    if (status != VT_OK)
        return status;
    vt_volume *const v = malloc(sizeof *v);
    if (!v)
        return vt_fail(VT_OUT_OF_MEMORY, "no memory for a volume");
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
    status = vt_rasterize(source, v);
    if (status == VT_OK && source->velocity)
        status = make_velocity(v, source, whole + (whole < def->velocity_margin));
    if (status != VT_OK) {
        vt_destroy_volume(v);
        return status;
    }
    *volume = v;
    return VT_OK;
}

void vt_destroy_volume(vt_volume *volume)
{
    if (!volume)
        return;
    vt_destroy_leaves(&volume->density);
    vt_destroy_leaves(&volume->velocity);
    for (int field = 0; field < VT_VOLUME_FIELDS; field++)
        free(volume->field[field]);
    free(volume);
}

/* ---- asking ---- */

/* Sums of density x index along x, y, z, of density, and of its square, over a leaf. */
static void sum_leaf(const vt_leaves *leaves, int64_t row, double sums[5])
{
    const float *const values = leaves->values + row * VT_LEAF_VOXELS;
    int32_t origin[3];
    double sum = 0.0, squares = 0.0, along[3] = {0.0, 0.0, 0.0};
    vt_leaf_origin(leaves->keys[row], origin);
    for (int x = 0; x < VT_LEAF_SIDE; x++)
        for (int y = 0; y < VT_LEAF_SIDE; y++)
            for (int z = 0; z < VT_LEAF_SIDE; z++) {
                const double density = (double)values[64 * x + 8 * y + z];
                sum += density;
                squares += density * density;
                along[0] += density * x;
                along[1] += density * y;
                along[2] += density * z;
            }
    for (int axis = 0; axis < 3; axis++)
        sums[axis] += along[axis] + sum * origin[axis];
    sums[4] += squares;
    sums[3] += sum;
}

/* Least and largest value of a field in the active voxels; 0 where there are none. */
static void find_range(const vt_volume *volume, int field, double *least, double *most)
{
    const vt_leaves *const leaves = &volume->density;
    const float *const values = volume->field[field];
    int64_t count = 0;
    *least = *most = 0.0;
    for (int64_t i = 0; values && i < leaves->count * VT_LEAF_VOXELS; i++) {
        if (!vt_voxel_is_active(leaves, i / VT_LEAF_VOXELS, (int)(i % VT_LEAF_VOXELS)))
            continue;
        const double value = (double)values[i];
        *least = count == 0 || value < *least ? value : *least;
        *most = count == 0 || value > *most ? value : *most;
        count++;
    }
}

/* A voxel that is full of tracers counts with its share of flame, m^3. */
static double flame_volume(const vt_volume *volume)
{
    const float *const flame = volume->field[VT_VOLUME_flame];
    const float *const coverage = volume->field[VT_VOLUME_coverage];
    const double h = volume->voxel_size;
    double sum = 0.0;
    for (int64_t i = 0; flame && i < volume->density.count * VT_LEAF_VOXELS; i++)
        sum += (double)(flame[i] * (coverage[i] < 1.0f ? coverage[i] : 1.0f));
    return sum * h * h * h;
}

vt_status vt_get_volume_info(const vt_volume *volume, vt_volume_info *info)
{
    if (!volume || !info)
        return vt_fail(VT_INVALID_ARGUMENT, "%s must not be NULL", volume ? "info" : "volume");
    const vt_leaves *const leaves = &volume->density;
    const double h = volume->voxel_size;
    double sums[5] = {0.0, 0.0, 0.0, 0.0, 0.0};
    int32_t low[3], high[3];
    *info = (vt_volume_info){.leaves = leaves->count,
                             .tracers = volume->tracers,
                             .ambient_temperature = volume->ambient_temperature};
    find_range(volume, VT_VOLUME_temperature, &info->coldest, &info->hottest);
    info->flame_volume = flame_volume(volume);
    info->active_voxels = vt_active_bounds(leaves, low, high);
    for (int64_t row = 0; row < leaves->count; row++)
        sum_leaf(leaves, row, sums);
    info->mass = sums[3] * h * h * h;
    info->filled_voxels = sums[4] > 0.0 ? sums[3] * sums[3] / sums[4] : 0.0;
    for (int axis = 0; axis < 3 && info->active_voxels > 0; axis++) {
        info->centroid[axis] = sums[3] > 0.0 ? h * sums[axis] / sums[3] : 0.0;
        info->lower[axis] = h * (low[axis] - 0.5);
        info->upper[axis] = h * (high[axis] + 0.5);
    }
    return VT_OK;
}

typedef struct box {
    const vt_leaves *leaves;
    const float *source; /* on the rows of the leaves */
    const int32_t *first, *shape;
    float *values;
} box;

static void copy_leaves(void *context, int64_t begin, int64_t end, int thread)
{
    const box *const b = context;
    (void)thread;
    for (int64_t row = begin; row < end; row++) {
        const float *const from = b->source + row * VT_LEAF_VOXELS;
        int32_t origin[3];
        int64_t low[3], high[3], offset[3];
        vt_leaf_origin(b->leaves->keys[row], origin);
        for (int axis = 0; axis < 3; axis++) {
            offset[axis] = (int64_t)origin[axis] - b->first[axis];
            low[axis] = offset[axis] > 0 ? 0 : -offset[axis];
            high[axis] = b->shape[axis] - offset[axis];
            high[axis] = high[axis] < VT_LEAF_SIDE ? high[axis] : VT_LEAF_SIDE;
        }
        for (int64_t x = low[0]; x < high[0]; x++)
            for (int64_t y = low[1]; y < high[1]; y++)
                for (int64_t z = low[2]; z < high[2]; z++)
                    b->values[((offset[2] + z) * b->shape[1] + offset[1] + y) * b->shape[0] +
                              offset[0] + x] = from[64 * x + 8 * y + z];
    }
}

/* Values of a box of voxels from those on the rows of density, `outside` where there is no leaf. */
static vt_status copy_box(const vt_volume *volume, const float *source, float outside,
                          const int32_t first[3], const int32_t shape[3], float *values)
{
    size_t count = 1;
    for (int axis = 0; axis < 3; axis++) {
        if (shape[axis] < 0)
            return vt_fail(VT_INVALID_ARGUMENT, "shape[%d] must be >= 0, got %d", axis,
                           shape[axis]);
        if (__builtin_mul_overflow(count, (size_t)shape[axis], &count))
            return vt_fail(VT_INVALID_ARGUMENT, "shape %d x %d x %d is too large", shape[0],
                           shape[1], shape[2]);
    }
    for (size_t i = 0; i < count; i++)
        values[i] = outside;
    box b = {&volume->density, source, first, shape, values};
    vt_parallel_for(volume->threads, volume->density.count, 32, copy_leaves, &b);
    return VT_OK;
}

static vt_status check_box(const vt_volume *volume, const int32_t first[3], const int32_t shape[3],
                           const float *values)
{
    if (!volume || !first || !shape || !values)
        return vt_fail(VT_INVALID_ARGUMENT, "%s must not be NULL",
                       !volume  ? "volume"
                       : !first ? "first"
                       : !shape ? "shape"
                                : "values");
    return VT_OK;
}

vt_status vt_volume_density(const vt_volume *volume, const int32_t first[3], const int32_t shape[3],
                            float *values)
{
    const vt_status status = check_box(volume, first, shape, values);
    if (status != VT_OK)
        return status;
    return copy_box(volume, volume->density.values, 0.0f, first, shape, values);
}

vt_status vt_volume_values(const vt_volume *volume, int field, const int32_t first[3],
                           const int32_t shape[3], float *values)
{
    const vt_status status = check_box(volume, first, shape, values);
    if (status != VT_OK)
        return status;
    if (!vt_volume_field_name(field))
        return vt_fail(VT_INVALID_ARGUMENT, "field must be in 0 .. %d, got %d",
                       VT_VOLUME_FIELDS - 1, field);
    if (!volume->carries[field])
        return vt_fail(VT_INVALID_ARGUMENT, "the tracers of this volume carry no %s",
                       vt_volume_field_name(field));
    const float outside = field == VT_VOLUME_temperature ? (float)volume->ambient_temperature : 0;
    return copy_box(volume, volume->field[field], outside, first, shape, values);
}
