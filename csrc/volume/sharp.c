/* The form in which tracers lie: the covariance of those in a window around each, as of anisotropic
 * kernels for surfaces of particles (Yu, Turk 2013). A flow that stretches a sheet of tracers moves
 * the neighbours of each by the same deformation F, so their covariance becomes F C F^T, clipped by
 * the window: nothing needs to be carried along.
 *
 * Moments are kept at the nodes of cells of four spacings H. A tracer adds to the 8 nodes around it
 * with hat weights, and reads them with the same weights, so that the window is a hat of a hat: W,
 * the sum of its weights, is (H / d)^3 = 64 where tracers fill space with the spacing d, and its
 * variance along each axis H^2 / 3. The tracer is spread with
 *
 *   C min(1/4, 3 / W)
 *
 * which is (d / 2)^2 where they fill space, and less across a sheet than a quarter of its own
 * variance; few neighbours, as in sheets and filaments, spread it further. A prior of a quarter of
 * a neighbour at a distance d keeps a lone tracer round and all of this definite. */
#include "volume/sharp.h"

#include <math.h>
#include <string.h>

#include "base/math_double.h"
#include "base/parallel.h"
#include "base/status.h"
#include "base/vec3.h"
#include "volume/tracer_source.h"

enum { CORNERS = 8, MOMENTS = 10 };

static const double spacings_a_cell = 4.0, prior = 0.25;

/* Of the tracers around a node, with offsets from it in cells: sum of their weights; of those times
 * the offsets along x, y, z; of those times the products xx, yx, yy, zx, zy, zz. */
typedef struct moments {
    double sum[MOMENTS];
} moments;

typedef struct task {
    const vt_walls *walls;
    vt_sorted_points points; /* a leaf is a cell */
    double cell;             /* m */
    double prior_variance;   /* cells^2 */
    moments *nodes;          /* cells x CORNERS: what the tracers of the cell add to its nodes */
    vt_spread *spread;
} task;

/* Where a tracer is in its cell, 0 .. 1. */
static inline void find_part(const task *t, int64_t tracer, double part[3])
{
    double place[3];
    vti_locate_point(&t->points, tracer, place);
    for (int axis = 0; axis < 3; axis++) {
        const double cells = place[axis] / VT_LEAF_SIDE;
        part[axis] = cells - (double)(int64_t)cells;
    }
}

static inline double find_offset(const double part[3], int corner, double offset[3])
{
    double weight = 1.0;
    for (int axis = 0; axis < 3; axis++) {
        const int upper = corner >> (2 - axis) & 1;
        offset[axis] = upper ? part[axis] - 1.0 : part[axis];
        weight *= upper ? part[axis] : 1.0 - part[axis];
    }
    return weight;
}

static inline void add_moments(const double part[3], moments *nodes)
{
    for (int corner = 0; corner < CORNERS; corner++) {
        double *const sum = nodes[corner].sum, d[3];
        const double w = find_offset(part, corner, d);
        const double x = w * d[0], y = w * d[1], z = w * d[2];
        const double of_one[MOMENTS] = {w,        x,        y,        z,        x * d[0],
                                        y * d[0], y * d[1], z * d[0], z * d[1], z * d[2]};
        for (int m = 0; m < MOMENTS; m++)
            sum[m] += of_one[m];
    }
}

static void sum_cell(void *context, int64_t cell)
{
    const task *const t = context;
    const vt_sorted_points *const p = &t->points;
    moments *const nodes = t->nodes + CORNERS * cell;
    memset(nodes, 0, CORNERS * sizeof *nodes);
    for (int64_t i = cell ? p->ends[cell - 1] : 0; i < p->ends[cell]; i++) {
        double part[3];
        find_part(t, p->sorted[i], part);
        add_moments(part, nodes);
    }
}

/* The nodes of a cell with what all cells around them add. */
static void gather_nodes(const task *t, int64_t cell, moments nodes[CORNERS])
{
    const vt_neighbourhood around = vti_neighbours(t->points.leaves.keys[cell]);
    memset(nodes, 0, CORNERS * sizeof *nodes);
    for (int n = 0; n < 27; n++) {
        const int step[3] = {n / 9 - 1, n / 3 % 3 - 1, n % 3 - 1};
        const int64_t row =
            vti_leaf_row(&t->points.leaves, vti_neighbour(&around, step[0], step[1], step[2]));
        for (int corner = 0; row >= 0 && corner < CORNERS; corner++) {
            const int at[3] = {(corner >> 2) - step[0], (corner >> 1 & 1) - step[1],
                               (corner & 1) - step[2]};
            if (((at[0] | at[1] | at[2]) & ~1) != 0)
                continue;
            const moments *const from =
                t->nodes + CORNERS * row + (at[0] << 2 | at[1] << 1 | at[2]);
            for (int m = 0; m < MOMENTS; m++)
                nodes[corner].sum[m] += from->sum[m];
        }
    }
}

/* The moments about the tracer itself. */
static void blend_moments(const moments nodes[CORNERS], const double part[3], moments *own)
{
    memset(own, 0, sizeof *own);
    for (int corner = 0; corner < CORNERS; corner++) {
        const double *const s = nodes[corner].sum;
        double d[3];
        const double w = find_offset(part, corner, d);
        own->sum[0] += w * s[0];
        for (int a = 0; a < 3; a++)
            own->sum[1 + a] += w * (s[1 + a] - s[0] * d[a]);
        for (int a = 0, m = 4; a < 3; a++)
            for (int b = 0; b <= a; b++, m++)
                own->sum[m] += w * (s[m] - s[1 + a] * d[b] - s[1 + b] * d[a] + s[0] * d[a] * d[b]);
    }
}

/* Covariance of the points of the tracer, in cells^2: lower triangle. */
static void find_covariance(const moments *own, double prior_variance, double covariance[6])
{
    const double count = own->sum[0], all = count + prior;
    const double share = count > 12.0 ? 3.0 / count : 0.25;
    const double *const first = own->sum + 1, *const second = own->sum + 4;
    for (int a = 0, m = 0; a < 3; a++)
        for (int b = 0; b <= a; b++, m++) {
            const double apart = second[m] - first[a] * first[b] / count;
            covariance[m] = share * (apart + (a == b ? prior * prior_variance : 0.0)) / all;
        }
}

/* The prior keeps x > 0, but for rounding where millions are neighbours. */
static double root(double x)
{
    return vti_sqrt(x > 1e-12 ? x : 1e-12);
}

static vt_spread find_factor(const double c[6], double scale)
{
    const double xx = root(c[0]), yx = c[1] / xx, zx = c[3] / xx;
    const double yy = root(c[2] - yx * yx), zy = (c[4] - zx * yx) / yy;
    const double zz = root(c[5] - zx * zx - zy * zy);
    return (vt_spread){{(float)(scale * xx), (float)(scale * yx), (float)(scale * yy),
                        (float)(scale * zx), (float)(scale * zy), (float)(scale * zz)}};
}

static void multiply(const double c[6], const double x[3], double product[3])
{
    product[0] = c[0] * x[0] + c[1] * x[1] + c[3] * x[2];
    product[1] = c[1] * x[0] + c[2] * x[1] + c[4] * x[2];
    product[2] = c[3] * x[0] + c[4] * x[1] + c[5] * x[2];
}

/* Makes the variance along a direction `share` of what it is. */
static void flatten(double c[6], const double normal[3], const double along[3], double share)
{
    const double less = (1.0 - share) / vti_dot(normal, along);
    for (int a = 0, m = 0; a < 3; a++)
        for (int b = 0; b <= a; b++, m++)
            c[m] -= less * along[a] * along[b];
}

/* No point of the tracer is to lie behind a wall: the points come so many deviations from it. */
static void keep_before_walls(const task *t, int64_t tracer, double covariance[6])
{
    const double farthest = 2.42;
    const float *const p = t->points.source->position + 3 * tracer;
    const double place[3] = {(double)p[0], (double)p[1], (double)p[2]};
    const double trace = covariance[0] + covariance[2] + covariance[5];
    const double reach = t->walls->count ? farthest * t->cell * vti_sqrt(trace) : 0.0;
    for (int32_t k = 0; k < t->walls->count; k++) {
        double along[3];
        if (!vti_is_near_wall(&t->walls->items[k], place, reach))
            continue;
        const vt_side side = vti_side_of_wall(&t->walls->items[k], place);
        if (!(side.room < reach))
            continue;
        multiply(covariance, side.normal, along);
        const double variance = vti_dot(side.normal, along);
        const double room = fmax(side.room, 0) / (farthest * t->cell);
        if (room * room < variance)
            flatten(covariance, side.normal, along, room * room / variance);
    }
}

static void spread_cell(void *context, int64_t cell)
{
    const task *const t = context;
    const vt_sorted_points *const p = &t->points;
    moments nodes[CORNERS], own;
    gather_nodes(t, cell, nodes);
    for (int64_t i = cell ? p->ends[cell - 1] : 0; i < p->ends[cell]; i++) {
        double part[3], covariance[6];
        find_part(t, p->sorted[i], part);
        blend_moments(nodes, part, &own);
        find_covariance(&own, t->prior_variance, covariance);
        keep_before_walls(t, p->sorted[i], covariance);
        t->spread[p->sorted[i]] = find_factor(covariance, t->cell);
    }
}

/* Mean spacing of the tracers, but at least a quarter of a voxel: what is finer is not seen. */
static double find_spacing(const vt_tracer_source *source, double voxel_size)
{
    double sum = 0.0;
    for (int64_t i = 0; i < source->count; i++)
        sum += vti_is_amount(source->size[i]) ? (double)source->size[i] : 0.0;
    const double mean = sum / (double)source->count, least = 0.25 * voxel_size;
    return mean > least ? mean : least;
}

/* Whether every tracer is within reach of the voxels, and of the cells of the spread. */
static vt_status check_reach(const vt_tracer_source *source, double voxel_size, double spacing)
{
    const double voxels = VT_VOXEL_LIMIT * voxel_size;
    const double cells = VT_VOXEL_LIMIT * spacings_a_cell / VT_LEAF_SIDE * spacing;
    for (int64_t i = 0; i < source->count; i++) {
        const float *const p = source->position + 3 * i;
        const double far = fmax(fmax(fabs((double)p[0]), fabs((double)p[1])), fabs((double)p[2]));
        if (far > voxels)
            return vti_describe_bad_tracer(source, voxel_size, i);
        if (far > cells)
            return vti_fail(
                VT_INVALID_ARGUMENT,
                "position of tracer row %lld is (%g, %g, %g) m, but sharp reaches %g m "
                "from the origin where tracers are %g m apart; remove the tracer, bring "
                "the scene nearer to the origin, or do without sharp",
                (long long)i, (double)p[0], (double)p[1], (double)p[2], cells, spacing);
    }
    return VT_OK;
}

vt_status vti_find_spreads(const vt_tracer_source *source, const vt_walls *walls, double voxel_size,
                           int threads, vt_spread **spread)
{
    *spread = NULL;
    if (source->count == 0)
        return VT_OK;
    if (source->count > UINT32_MAX >> VT_SPREAD_SHIFT)
        return vti_fail(VT_INVALID_ARGUMENT, "sharp: %lld tracers, allowed are %lld",
                        (long long)source->count, (long long)(UINT32_MAX >> VT_SPREAD_SHIFT));
    const double spacing = find_spacing(source, voxel_size);
    vt_status status = check_reach(source, voxel_size, spacing);
    if (status != VT_OK)
        return status;
    task t = {.walls = walls,
              .cell = spacings_a_cell * spacing,
              .prior_variance = 1.0 / (spacings_a_cell * spacings_a_cell)};
    status = vti_sort_points(source, NULL, t.cell / VT_LEAF_SIDE, threads, &t.points);
    if (status != VT_OK)
        return status;
    t.nodes = vti_borrow((size_t)t.points.leaves.count * CORNERS * sizeof *t.nodes);
    t.spread = vti_borrow((size_t)source->count * sizeof *t.spread);
    if (t.nodes && t.spread) {
        vti_parallel_each(threads, t.points.leaves.count, 64, sum_cell, &t);
        vti_parallel_each(threads, t.points.leaves.count, 64, spread_cell, &t);
        *spread = t.spread;
    } else {
        status = vti_fail(VT_OUT_OF_MEMORY, "no memory for the spread of %lld tracers",
                          (long long)source->count);
        vti_return_borrowed(t.spread);
    }
    vti_return_borrowed(t.nodes);
    vti_destroy_sorted_points(&t.points);
    return status;
}
