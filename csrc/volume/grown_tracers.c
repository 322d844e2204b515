#include "volume/grown_tracers.h"

#include <math.h>

#include "base/memory.h"
#include "base/status.h"
#include "volume/tracer_source.h"

enum { MOST_ALONG = 8, CARRIED = 4, OWN = 5 /* floats of a point: position, density, size */ };

static int64_t points_along(const vt_tracer_source *t, int64_t row, double voxel_size)
{
    const double along = ceil((double)t->size[row] / voxel_size - 1e-6); /* rounding apart */
    if (!(t->growth[row] > 0) || !(along > 1))
        return 1;
    return along < MOST_ALONG ? (int64_t)along : MOST_ALONG;
}

/* The points of one tracer; returns how many. */
static int64_t fill_cube(const vt_tracer_source *t, int64_t row, int64_t along, float *position,
                         float *density, float *size)
{
    const double edge = (double)t->size[row] / (double)along;
    const int64_t count = along * along * along;
    for (int64_t n = 0; n < count; n++) {
        const int64_t at[3] = {n % along, n / along % along, n / (along * along)};
        for (int a = 0; a < 3; a++) {
            const double way = edge * ((double)at[a] - 0.5 * (double)(along - 1));
            position[3 * n + a] = (float)((double)t->position[3 * row + a] + way);
        }
        density[n] = (float)((double)t->density[row] / (double)count);
        size[n] = (float)edge;
    }
    return count;
}

/* All points, and for each what its tracer carries. */
static void fill_points(const vt_tracer_source *t, double voxel_size, int64_t points, float *memory,
                        vt_tracer_source *to)
{
    float *const density = memory + 3 * points, *const size = density + points;
    float *next = size + points;
    const float **const carried[CARRIED] = {&to->temperature, &to->fuel, &to->flame, &to->smoke};
    int64_t n = 0;
    for (int64_t i = 0; i < t->count; i++)
        n += fill_cube(t, i, points_along(t, i, voxel_size), memory + 3 * n, density + n, size + n);
    for (int c = 0; c < CARRIED; c++) {
        if (!*carried[c])
            continue;
        float *const values = next;
        for (int64_t i = 0; i < t->count; i++) {
            const int64_t along = points_along(t, i, voxel_size);
            for (int64_t k = 0; k < along * along * along; k++)
                *next++ = (*carried[c])[i];
        }
        *carried[c] = values;
    }
    to->count = points;
    to->position = memory;
    to->density = density;
    to->size = size;
    to->growth = NULL;
}

vt_status vti_list_grown_tracers(const vt_tracer_source *t, double voxel_size, vt_tracer_source *to,
                                 float **memory)
{
    *memory = NULL;
    *to = *t;
    if (!t->growth)
        return VT_OK;
    int64_t points = 0;
    for (int64_t i = 0; i < t->count; i++) {
        if (!vti_tracer_is_allowed(t, i))
            return vti_describe_bad_tracer(t, voxel_size, i);
        const int64_t along = points_along(t, i, voxel_size);
        points += along * along * along;
    }
    if (points > INT32_MAX)
        return vti_fail(
            VT_OVER_CAPACITY,
            "the tracers have grown to %lld voxels of %g m; allowed are %d: take larger "
            "voxels",
            (long long)points, voxel_size, INT32_MAX);
    *memory = vti_allocate((size_t)(points + 1) * (OWN + CARRIED) * sizeof(float));
    if (!*memory)
        return vti_fail(VT_OUT_OF_MEMORY, "no memory for %lld points of grown tracers",
                        (long long)points);
    fill_points(t, voxel_size, points, *memory, to);
    return VT_OK;
}
