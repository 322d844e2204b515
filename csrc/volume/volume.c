#include "volume/volume.h"

#include "animation/definition_checks.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/status.h"

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

/* ---- making ---- */

vt_status vti_check_volume_def(const vt_volume_def *def, vt_volume **volume)
{
    if (!volume)
        return vti_fail(VT_INVALID_ARGUMENT, "volume must not be NULL");
    *volume = NULL;
    return vti_check_rows(&vti_volume_definition, "", def);
}

void vt_destroy_volume(vt_volume *volume)
{
    if (!volume)
        return;
    vti_destroy_leaves(&volume->density);
    vti_destroy_leaves(&volume->velocity);
    for (int field = 0; field < VT_VOLUME_FIELDS; field++)
        vti_return_borrowed(volume->field[field]);
    vti_free(volume);
}

/* ---- asking ---- */

/* Sums of density x index along x, y, z, of density, and of its square, over a leaf. */
static void sum_leaf(const vt_leaves *leaves, int64_t row, double sums[5])
{
    const float *const values = leaves->values + row * VT_LEAF_VOXELS;
    int32_t origin[3];
    double sum = 0.0, squares = 0.0, along[3] = {0.0, 0.0, 0.0};
    vti_leaf_origin(leaves->keys[row], origin);
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
        if (!vti_voxel_is_active(leaves, i / VT_LEAF_VOXELS, (int)(i % VT_LEAF_VOXELS)))
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
        return vti_fail(VT_INVALID_ARGUMENT, "%s must not be NULL", volume ? "info" : "volume");
    const vt_leaves *const leaves = &volume->density;
    const double h = volume->voxel_size;
    double sums[5] = {0.0, 0.0, 0.0, 0.0, 0.0};
    int32_t low[3], high[3];
    vt_volume_info known = {.leaves = leaves->count,
                            .tracers = volume->tracers,
                            .ambient_temperature = volume->ambient_temperature,
                            .voxel_size = h};
    find_range(volume, VT_VOLUME_temperature, &known.coldest, &known.hottest);
    known.flame_volume = flame_volume(volume);
    known.active_voxels = vti_active_bounds(leaves, low, high);
    for (int64_t row = 0; row < leaves->count; row++)
        sum_leaf(leaves, row, sums);
    known.mass = sums[3] * h * h * h;
    known.filled_voxels = sums[4] > 0.0 ? sums[3] * sums[3] / sums[4] : 0.0;
    for (int axis = 0; axis < 3 && known.active_voxels > 0; axis++) {
        known.centroid[axis] = sums[3] > 0.0 ? h * sums[axis] / sums[3] : 0.0;
        known.lower[axis] = h * (low[axis] - 0.5);
        known.upper[axis] = h * (high[axis] + 0.5);
    }
    return vti_hand_out(info, &known, sizeof known);
}

typedef struct box {
    const vt_leaves *leaves;
    const float *source; /* on the rows of the leaves */
    const int32_t *first, *shape;
    float *values;
} box;

static void copy_leaf(void *context, int64_t row)
{
    const box *const b = context;
    const float *const from = b->source + row * VT_LEAF_VOXELS;
    int32_t origin[3];
    int64_t low[3], high[3], offset[3];
    vti_leaf_origin(b->leaves->keys[row], origin);
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

/* Values of a box of voxels from those on the rows of density, `outside` where there is no leaf. */
static vt_status copy_box(const vt_volume *volume, const float *source, float outside,
                          const int32_t first[3], const int32_t shape[3], float *values)
{
    size_t count = 1;
    for (int axis = 0; axis < 3; axis++) {
        if (shape[axis] < 0)
            return vti_fail(VT_INVALID_ARGUMENT, "shape[%d] must be >= 0, got %d", axis,
                            shape[axis]);
        if (__builtin_mul_overflow(count, (size_t)shape[axis], &count))
            return vti_fail(VT_INVALID_ARGUMENT, "shape %d x %d x %d is too large", shape[0],
                            shape[1], shape[2]);
    }
    for (size_t i = 0; i < count; i++)
        values[i] = outside;
    box b = {&volume->density, source, first, shape, values};
    vti_parallel_each(volume->threads, volume->density.count, 32, copy_leaf, &b);
    return VT_OK;
}

static vt_status check_box(const vt_volume *volume, const int32_t first[3], const int32_t shape[3],
                           const float *values)
{
    if (!volume || !first || !shape || !values)
        return vti_fail(VT_INVALID_ARGUMENT, "%s must not be NULL",
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
        return vti_fail(VT_INVALID_ARGUMENT, "field must be in 0 .. %d, got %d",
                        VT_VOLUME_FIELDS - 1, field);
    if (!volume->carries[field])
        return vti_fail(VT_INVALID_ARGUMENT, "the tracers of this volume carry no %s",
                        vt_volume_field_name(field));
    const float outside = field == VT_VOLUME_temperature ? (float)volume->ambient_temperature : 0;
    return copy_box(volume, volume->field[field], outside, first, shape, values);
}
