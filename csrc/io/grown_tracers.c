#include "io/grown_tracers.h"

#include <math.h>
#include <stdlib.h>

#include "core/status.h"

enum { MOST_ALONG = 8 };

static int64_t points_along(const vt_tracers *t, int64_t row, double voxel_size)
{
    const double along = ceil((double)t->size[row] / voxel_size - 1e-6); /* rounding apart */
    if (!(t->growth[row] > 0) || !(along > 1))
        return 1;
    return along < MOST_ALONG ? (int64_t)along : MOST_ALONG;
}

/* The points of one tracer; returns how many. */
static int64_t fill_cube(const vt_tracers *t, int64_t row, int64_t along, float *position,
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

vt_status vt_list_grown_tracers(const vt_tracers *t, double voxel_size, vt_tracer_source *source,
                                float **memory)
{
    const int64_t count = t->set.count;
    *memory = NULL;
    source->count = count;
    source->position = t->position;
    source->density = t->density;
    source->size = t->size;
    if (!t->set.used[VT_TRACER_growth])
        return VT_OK;
    int64_t points = 0;
    for (int64_t i = 0; i < count; i++) {
        const int64_t along = points_along(t, i, voxel_size);
        points += along * along * along;
    }
    if (points > INT32_MAX)
        return vt_fail(VT_OVER_CAPACITY,
                       "the tracers have grown to %lld voxels of %g m; allowed are %d: take larger "
                       "voxels",
                       (long long)points, voxel_size, INT32_MAX);
    float *const position = malloc((size_t)(points + 1) * 5 * sizeof *position);
    if (!position)
        return vt_fail(VT_OUT_OF_MEMORY, "no memory for %lld points of grown tracers",
                       (long long)points);
    float *const density = position + 3 * points, *const size = density + points;
    for (int64_t i = 0, n = 0; i < count; i++)
        n += fill_cube(t, i, points_along(t, i, voxel_size), position + 3 * n, density + n,
                       size + n);
    source->count = points;
    source->position = *memory = position;
    source->density = density;
    source->size = size;
    return VT_OK;
}
