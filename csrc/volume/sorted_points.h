/* Tracers sorted by the leaf of voxels that they lie in, and points around them by theirs. */
#pragma once

#include "volume/leaves.h"

/* A tracer is one point; or, where it has a spread, VT_SPREAD_POINTS around it. Point p belongs to
 * tracer p >> shift. */
enum { VT_SPREAD_SHIFT = 4, VT_SPREAD_POINTS = 1 << VT_SPREAD_SHIFT };

/* Lower triangle of a Cholesky factor of the covariance of the tracer's points, m: xx, yx, yy, zx,
 * zy, zz. */
typedef struct vt_spread {
    float factor[6];
} vt_spread;

typedef struct vt_sorted_points {
    const vt_tracer_source *source;
    const vt_spread *spread; /* of each tracer; NULL: points are tracers */
    int64_t count;           /* of points */
    int shift;               /* VT_SPREAD_SHIFT or 0 */
    double per_voxel;        /* 1 / voxel size, 1/m */
    double size;             /* mean of the tracers' sizes, m */
    vt_leaves leaves;        /* those that hold points: keys alone */
    int64_t *ends;           /* one past the last point of each of them */
    uint32_t *sorted;        /* points by leaf, in each in their order */
} vt_sorted_points;

/* Sorts stably, with the same result for any number of threads (1 .. VT_MAX_THREADS). What fails
 * leaves an empty *sorted, which need not be destroyed. Checks what each tracer carries. */
vt_status vti_sort_points(const vt_tracer_source *source, const vt_spread *spread,
                          double voxel_size, int threads, vt_sorted_points *sorted);
void vti_destroy_sorted_points(vt_sorted_points *sorted);

/* Sixteen quasi-normal points of mean 0 and covariance 1: these, and their opposites. */
extern const double vti_spread_point[VT_SPREAD_POINTS / 2][3];

/* Where a point is, in voxels from -VT_VOXEL_LIMIT: positive, so that truncation rounds down. The
 * whole part has 24 bits, so 29 are left for the fraction. */
static inline void vti_locate_point(const vt_sorted_points *s, int64_t point, double place[3])
{
    const int64_t tracer = point >> s->shift;
    double at[3];
    for (int axis = 0; axis < 3; axis++)
        at[axis] = (double)s->source->position[3 * tracer + axis];
    if (s->spread) {
        const float *const f = s->spread[tracer].factor;
        const double *const n = vti_spread_point[point >> 1 & 7];
        const double sign = point & 1 ? -1.0 : 1.0;
        at[0] += sign * ((double)f[0] * n[0]);
        at[1] += sign * ((double)f[1] * n[0] + (double)f[2] * n[1]);
        at[2] += sign * ((double)f[3] * n[0] + (double)f[4] * n[1] + (double)f[5] * n[2]);
    }
    for (int axis = 0; axis < 3; axis++)
        place[axis] = at[axis] * s->per_voxel + VT_VOXEL_LIMIT;
}
