#include "kernels/grid/wind_grid.h"

#include <math.h>

#include "base/parallel.h"

enum { POINT_BLOCK = 4096, MOST_NODES = 1025 /* of the working grid along x */ };

/* Rounding must not put a point on the border outside: tolerance, in cells. */
static const double tolerance = 1e-6;

/* Where a coordinate lies along an axis: between nodes index and index + 1. */
typedef struct place {
    int64_t index;
    float part;
    int32_t outside; /* beyond the border, by more than rounding */
} place;

static inline place locate(const vt_wind_grid *w, int axis, double x)
{
    const double last = w->nodes[axis] - 1, cell = (x - w->origin[axis]) * w->per_spacing[axis];
    const double inside = cell > 0 ? (cell < last ? cell : last) : 0;
    place p = {.index = (int64_t)inside};
    p.index -= p.index == w->nodes[axis] - 1;
    p.part = (float)(inside - (double)p.index);
    p.outside = !(cell >= -tolerance && cell <= last + tolerance);
    return p;
}

static inline int is_calm(const vt_wind_grid *w, const place *x, const place *y, const place *z)
{
    return !w->border && (x->outside | y->outside | z->outside);
}

/* Values interpolated along y and z, at either side along x, and their differences. */
typedef struct sides {
    f4 low, high, y_low, y_high, z_low, z_high;
} sides;

static inline f4 mix(f4 a, f4 b, float part)
{
    return a + (b - a) * part;
}

static inline sides find_sides(const vt_wind_grid *w, const place *x, const place *y,
                               const place *z)
{
    const int64_t row = w->nodes[0], plane = row * w->nodes[1];
    const f4 *const v = w->values + z->index * plane + y->index * row + x->index;
    const f4 a = mix(v[0], v[row], y->part), b = mix(v[1], v[row + 1], y->part);
    const f4 c = mix(v[plane], v[plane + row], y->part),
             d = mix(v[plane + 1], v[plane + row + 1], y->part);
    return (sides){.low = mix(a, c, z->part),
                   .high = mix(b, d, z->part),
                   .y_low = mix(v[row] - v[0], v[plane + row] - v[plane], z->part),
                   .y_high = mix(v[row + 1] - v[1], v[plane + row + 1] - v[plane + 1], z->part),
                   .z_low = c - a,
                   .z_high = d - b};
}

double vti_largest_wind_gradient(const vt_wind_grid *w)
{
    const int64_t step[3] = {1, w->nodes[0], (int64_t)w->nodes[0] * w->nodes[1]};
    double sum = 0;
    for (int axis = 0; axis < 3; axis++) {
        double most = 0;
        for (int64_t n = 0; n < step[2] * w->nodes[2]; n++) {
            if (n / step[axis] % w->nodes[axis] == w->nodes[axis] - 1)
                continue;
            const f4 d = w->values[n + step[axis]] - w->values[n];
            most = fmax(most, (double)d[0] * (double)d[0] + (double)d[1] * (double)d[1] +
                                  (double)d[2] * (double)d[2]);
        }
        sum += most * w->per_spacing[axis] * w->per_spacing[axis];
    }
    return sqrt(sum);
}

/* ---- in the space of a transform ---- */

static inline f4 turn(const vt_pose *pose, f4 u)
{
    f4 turned = f4_set(0);
    for (int i = 0; i < 3; i++)
        turned[i] = (float)pose->matrix[i][0] * u[0] + (float)pose->matrix[i][1] * u[1] +
                    (float)pose->matrix[i][2] * u[2];
    return turned;
}

/* Where a point of the world lies in the box. */
static inline void locate_point(const vt_wind_grid *w, const double world[3], place p[3])
{
    double own[3] = {world[0], world[1], world[2]};
    if (w->parent)
        vti_pose_point_back(&w->pose, world, own);
    for (int axis = 0; axis < 3; axis++)
        p[axis] = locate(w, axis, own[axis]);
}

/* ---- nodes ---- */

typedef struct node_job {
    const vt_wind_grid *wind;
    const double *shift;
    vt_grid *grid;
    place x[MOST_NODES];
} node_job;

static double node_place(const node_job *job, int axis, int64_t node)
{
    return (job->grid->base[axis] + (double)node) * job->grid->spacing + job->shift[axis];
}

static void add_to_plane(void *data, int64_t k)
{
    const node_job *const job = data;
    const vt_wind_grid *const w = job->wind;
    vt_grid *const g = job->grid;
    const float amplitude = (float)w->amplitude;
    const place z = locate(w, 2, node_place(job, 2, k));
    for (int64_t j = 0; j <= g->cells[1]; j++) {
        const place y = locate(w, 1, node_place(job, 1, j));
        f4 *const node = g->nodes + k * g->node_plane + j * g->node_row;
        for (int64_t i = 0; i <= g->cells[0]; i++) {
            const place *const x = &job->x[i];
            if (is_calm(w, x, &y, &z))
                continue;
            const sides s = find_sides(w, x, &y, &z);
            node[i] += mix(s.low, s.high, x->part) * amplitude;
        }
    }
}

/* A row of nodes for a box that is turned. */
static void add_to_row(const node_job *job, int64_t k, int64_t j)
{
    const vt_wind_grid *const w = job->wind;
    vt_grid *const g = job->grid;
    f4 *const node = g->nodes + k * g->node_plane + j * g->node_row;
    for (int64_t i = 0; i <= g->cells[0]; i++) {
        const double world[3] = {node_place(job, 0, i), node_place(job, 1, j),
                                 node_place(job, 2, k)};
        place p[3];
        locate_point(w, world, p);
        if (is_calm(w, &p[0], &p[1], &p[2]))
            continue;
        const sides s = find_sides(w, &p[0], &p[1], &p[2]);
        node[i] += turn(&w->pose, mix(s.low, s.high, p[0].part) * (float)w->amplitude);
    }
}

static void add_to_plane_turned(void *data, int64_t k)
{
    const node_job *const job = data;
    for (int64_t j = 0; j <= job->grid->cells[1]; j++)
        add_to_row(job, k, j);
}

void vti_add_wind_to_nodes(const vt_wind_grid *wind, const double shift[3], vt_grid *grid,
                           int threads)
{
    if (wind->amplitude == 0)
        return;
    node_job job = {.wind = wind, .shift = shift, .grid = grid};
    for (int64_t i = 0; i <= grid->cells[0]; i++)
        job.x[i] = locate(wind, 0, node_place(&job, 0, i));
    vti_parallel_each(threads, grid->cells[2] + 1, 1,
                      wind->parent ? add_to_plane_turned : add_to_plane, &job);
}

/* ---- points ---- */

f4 vti_wind_value(const vt_wind_grid *wind, const double at[3])
{
    const place p[3] = {locate(wind, 0, at[0]), locate(wind, 1, at[1]), locate(wind, 2, at[2])};
    if (is_calm(wind, &p[0], &p[1], &p[2]))
        return f4_set(0);
    const sides s = find_sides(wind, &p[0], &p[1], &p[2]);
    return mix(s.low, s.high, p[0].part);
}

typedef struct point_job {
    const vt_wind_grid *wind;
    const double *shift;
    const float *points;
    float *velocity, *gradient;
} point_job;

static inline void add_gradient(const vt_wind_grid *w, const place p[3], const sides *s,
                                float *gradient)
{
    f4 along[3] = {s->high - s->low, mix(s->y_low, s->y_high, p[0].part),
                   mix(s->z_low, s->z_high, p[0].part)};
    for (int j = 0; j < 3; j++) {
        /* beyond the border the wind does not change any more */
        const double scale = p[j].outside ? 0 : w->amplitude * w->per_spacing[j] / w->pose.scale;
        along[j] = along[j] * (float)scale;
    }
    for (int j = 0; j < 3 && !w->parent; j++)
        for (int i = 0; i < 3; i++)
            gradient[3 * i + j] += along[j][i];
    for (int j = 0; j < 3 && w->parent; j++) {
        const f4 turned = turn(&w->pose, along[j]);
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 3; k++)
                gradient[3 * i + k] += turned[i] * (float)w->pose.matrix[k][j];
    }
}

static void add_at_points(void *data, int64_t begin, int64_t end)
{
    const point_job *const job = data;
    const vt_wind_grid *const w = job->wind;
    const float amplitude = (float)w->amplitude;
    for (int64_t n = begin; n < end; n++) {
        place p[3];
        double world[3];
        for (int axis = 0; axis < 3; axis++)
            world[axis] = (double)job->points[3 * n + axis] + job->shift[axis];
        locate_point(w, world, p);
        if (is_calm(w, &p[0], &p[1], &p[2]))
            continue;
        const sides s = find_sides(w, &p[0], &p[1], &p[2]);
        f4 u = mix(s.low, s.high, p[0].part) * amplitude;
        if (w->parent)
            u = turn(&w->pose, u);
        for (int axis = 0; axis < 3; axis++)
            job->velocity[3 * n + axis] += u[axis];
        if (job->gradient)
            add_gradient(w, p, &s, job->gradient + 9 * n);
    }
}

void vti_add_wind_at(const vt_wind_grid *wind, const double shift[3], int64_t count,
                     const float *points, float *velocity, float *gradient, int threads)
{
    if (wind->amplitude == 0)
        return;
    point_job job = {wind, shift, points, velocity, gradient};
    vti_parallel_for(threads, count, POINT_BLOCK, add_at_points, &job);
}
