#include "volume/grown_tracers.h"

#include <math.h>

#include "base/memory.h"
#include "base/status.h"
#include "volume/tracer_source.h"
#include "volume/walls.h"

enum { MOST_ALONG = 8, CARRIED = 4, OWN = 5 /* floats of a point: position, density, size */ };

static int64_t points_along(const vt_tracer_source *t, int64_t row, double voxel_size)
{
    const double along = ceil((double)t->size[row] / voxel_size - 1e-6); /* rounding apart */
    if (!(t->growth[row] > 0) || !(along > 1))
        return 1;
    return along < MOST_ALONG ? (int64_t)along : MOST_ALONG;
}

/* Whether a wall comes near the cube of a tracer. */
static int is_near_any(const vt_walls *walls, const double place[3], double edge)
{
    for (int32_t k = 0; k < walls->count; k++)
        if (vti_is_near_wall(&walls->items[k], place, edge) &&
            vti_side_of_wall(&walls->items[k], place).room < edge)
            return 1;
    return 0;
}

/* The points of one tracer; returns how many. */
static int64_t fill_cube(const vt_tracer_source *t, const vt_walls *walls, int64_t row,
                         int64_t along, float *position, float *density, float *size)
{
    const float *const p = t->position + 3 * row;
    const double place[3] = {(double)p[0], (double)p[1], (double)p[2]};
    const int near = along > 1 && is_near_any(walls, place, (double)t->size[row]);
    const double edge = (double)t->size[row] / (double)along;
    const int64_t count = along * along * along;
    for (int64_t n = 0; n < count; n++) {
        const int64_t at[3] = {n % along, n / along % along, n / (along * along)};
        double point[3];
        for (int a = 0; a < 3; a++)
            point[a] = place[a] + edge * ((double)at[a] - 0.5 * (double)(along - 1));
        if (near)
            vti_keep_on_side(walls, place, point);
        for (int a = 0; a < 3; a++)
            position[3 * n + a] = (float)point[a];
        density[n] = (float)((double)t->density[row] / (double)count);
        size[n] = (float)edge;
    }
    return count;
}

/* All points, and for each what its tracer carries. */
static void fill_points(const vt_tracer_source *t, const vt_walls *walls, double voxel_size,
                        int64_t points, float *memory, vt_tracer_source *to)
{
    float *const density = memory + 3 * points, *const size = density + points;
    float *next = size + points;
    const float **const carried[CARRIED] = {&to->temperature, &to->fuel, &to->flame, &to->smoke};
    int64_t n = 0;
    for (int64_t i = 0; i < t->count; i++)
        n += fill_cube(t, walls, i, points_along(t, i, voxel_size), memory + 3 * n, density + n,
                       size + n);
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
    vt_walls walls;
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
    const vt_status status = vti_list_walls(t->bodies, &walls);
    if (status != VT_OK)
        return status;
    *memory = vti_allocate((size_t)(points + 1) * (OWN + CARRIED) * sizeof(float));
    if (*memory)
        fill_points(t, &walls, voxel_size, points, *memory, to);
    vti_destroy_walls(&walls);
    return *memory ? VT_OK
                   : vti_fail(VT_OUT_OF_MEMORY, "no memory for %lld points of grown tracers",
                              (long long)points);
}
