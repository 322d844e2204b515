#include "kernels/sums/far_field.h"

#include "base/parallel.h"

enum { POINT_BLOCK = 64 };

typedef struct far_work {
    const vt_moments *tree;
    const vt_cluster *clusters;
    float taken_from[VT_MOMENT_LEVELS]; /* squared distance, by level (set_distances) */
    float origin[3], per_spacing;       /* m, 1/m */
    float scale;                        /* of the sums: 1 / (4 pi h^2) */
    int64_t count;
    const float *points;
    float *velocity;
    int scalar; /* add the gradient of component 0 instead of writing the curl */
} far_work;

/* Gradient of the potential of component c, in a block whose radius softens it. */
VT_INLINE void cluster_gradient(const vt_cluster *m, int c, const vf d[3], vf i3, vf i5, vf i7,
                                vf gradient[3])
{
    const float xx = 2.0f * m->moment[MOMENT_XX][c], yy = 2.0f * m->moment[MOMENT_YY][c];
    const float xy = m->moment[MOMENT_XY][c], xz = m->moment[MOMENT_XZ][c],
                yz = m->moment[MOMENT_YZ][c];
    const vf q[3] = {vf_fma(d[2], vf_set(xz), vf_fma(d[1], vf_set(xy), d[0] * xx)),
                     vf_fma(d[2], vf_set(yz), vf_fma(d[1], vf_set(yy), d[0] * xy)),
                     vf_fma(d[1], vf_set(yz), d[0] * xz)};
    const vf dqd = vf_fma(d[2], q[2], vf_fma(d[1], q[1], d[0] * q[0]));
    const vf first =
        vf_fma(d[2], vf_set(m->moment[MOMENT_Z][c]),
               vf_fma(d[1], vf_set(m->moment[MOMENT_Y][c]), d[0] * m->moment[MOMENT_X][c]));
    const vf s = vf_fma(i5, 0.5f * (xx + yy) - first,
                        vf_fma(dqd * i7, vf_set(-2.5f), i3 * -m->moment[MOMENT_SUM][c]));
    for (int a = 0; a < 3; a++)
        gradient[a] = vf_fma(d[a], s, vf_fma(q[a], i5, i3 * m->moment[MOMENT_X + a][c]));
}

/* Adds the curl, or the gradient, for the lanes of `whole`. */
VT_INLINE void add_cluster(const vt_cluster *m, const vf d[3], vf r2, float least_r2, vi whole,
                           int scalar, vf velocity[3])
{
    const vf i2 = vf_set(1.0f) / vf_max(r2, vf_set(least_r2)), i3 = i2 * vf_sqrt(i2);
    const vf i5 = i3 * i2 * 3.0f, i7 = i5 * i2;
    vf g[3][3];
    for (int c = 0; c < (scalar ? 1 : 3); c++)
        cluster_gradient(m, c, d, i3, i5, i7, g[c]);
    if (scalar) {
        for (int a = 0; a < 3; a++)
            velocity[a] += (vf)((vi)g[0][a] & whole);
        return;
    }
    for (int a = 0; a < 3; a++) {
        const int b = (a + 1) % 3, c = (a + 2) % 3;
        velocity[a] += (vf)((vi)(g[c][b] - g[b][c]) & whole);
    }
}

VT_INLINE int any_lane(vi mask)
{
    int any = 0;
    for (int lane = 0; lane < VL; lane++)
        any |= mask[lane];
    return any != 0;
}

/* A block of nodes into which the lanes of a mask have still to look. */
typedef struct open_block {
    vi lanes;
    uint32_t index;
    int32_t level;
} open_block;

/* Sums over all clusters at VL points (cells). Every lane follows its own traversal, so that the
 * velocity at a point does not depend on which other points are asked for. */
static void sum_points(const far_work *w, const vf position[3], vf velocity[3])
{
    const vt_moments *const tree = w->tree;
    open_block stack[VT_MOMENT_STACK];
    const int root = tree->levels - 1;
    /* The radius of a leaf: closer than that the field falls to 0 towards its centre. */
    const float radius = 0.5f * (float)tree->edge, least_r2 = 3.0f * radius * radius;
    /* Farther away nothing arrives, and the powers of the distance leave the range of floats. */
    const vf most = vf_set(1e6f * (float)(tree->edge << root));
    vi reached = vi_set(-1);
    for (int axis = 0; axis < 3; axis++)
        reached &= (position[axis] > -most) & (position[axis] < most);
    int height = 0;
    if (w->clusters[tree->first[root]].children)
        stack[height++] = (open_block){reached, (uint32_t)tree->first[root], root};
    while (height) {
        const open_block block = stack[--height];
        const vt_cluster *const m = &w->clusters[block.index];
        const vf d[3] = {position[0] - m->centre[0], position[1] - m->centre[1],
                         position[2] - m->centre[2]};
        const vf r2 = vf_fma(d[2], d[2], vf_fma(d[1], d[1], d[0] * d[0]));
        vi whole = block.lanes;
        if (block.level > 0)
            whole &= r2 >= vf_set(w->taken_from[block.level]);
        if (any_lane(whole))
            add_cluster(m, d, r2, least_r2, whole, w->scalar, velocity);
        const vi rest = block.lanes & ~whole;
        if (!any_lane(rest))
            continue;
        const uint32_t occupied = vti_occupied_children(m), child = vti_first_child(m);
        for (uint32_t o = 0; o < 8; o++)
            if (occupied >> o & 1)
                stack[height++] = (open_block){rest, child + o, block.level - 1};
    }
}

static void sum_blocks(void *context, int64_t begin, int64_t end)
{
    const far_work *const w = context;
    for (int64_t first = begin; first < end; first += VL) {
        float lanes[3][VL];
        for (int64_t n = 0; n < VL; n++) {
            const int64_t point = first + n < end ? first + n : end - 1;
            for (int axis = 0; axis < 3; axis++)
                lanes[axis][n] = (w->points[3 * point + axis] - w->origin[axis]) * w->per_spacing;
        }
        const vf position[3] = {vf_load(lanes[0]), vf_load(lanes[1]), vf_load(lanes[2])};
        vf velocity[3] = {{0}, {0}, {0}};
        sum_points(w, position, velocity);
        for (int axis = 0; axis < 3; axis++)
            vf_store(lanes[axis], velocity[axis] * w->scale);
        for (int64_t n = 0; n < VL && first + n < end; n++)
            for (int axis = 0; axis < 3; axis++) {
                float *const u = w->velocity + 3 * (first + n) + axis;
                *u = w->scalar ? *u + lanes[axis][n] : lanes[axis][n];
            }
    }
}

/* The distance from which a block is taken whole. A derivative needs a smaller angle than the
 * potential. And the strength of closed vortex lines sums to zero: far away clusters cancel more
 * and more, so large ones must be taken later for an error that is small against what is left. */
static void set_distances(far_work *w, double opening_angle)
{
    const vt_moments *const tree = w->tree;
    const double angle = 0.8 * opening_angle, whole = tree->edge << (tree->levels - 1);
    for (int level = 0; level < tree->levels; level++) {
        const double edge = tree->edge << level, distance = edge / angle;
        const double later = 2.0 * distance / whole;
        w->taken_from[level] = (float)(distance * distance * (later > 1.0 ? later : 1.0));
    }
}

static void sum_far(const vt_grid *grid, const vt_moments *tree, double opening_angle, int scalar,
                    int64_t count, const float *points, float *velocity, int threads)
{
    far_work w = {.tree = tree, .clusters = tree->memory, .count = count, .scalar = scalar};
    w.points = points;
    w.velocity = velocity;
    set_distances(&w, opening_angle);
    w.per_spacing = (float)(1.0 / grid->spacing);
    w.scale = (float)(0.07957747154594767 / (grid->spacing * grid->spacing));
    for (int axis = 0; axis < 3; axis++)
        w.origin[axis] = vti_grid_origin(grid, axis);
    vti_parallel_for(threads, count, POINT_BLOCK, sum_blocks, &w);
}

void VT_NAME(far_velocity)(const vt_grid *grid, const vt_moments *tree, double opening_angle,
                           int64_t count, const float *points, float *velocity, int threads)
{
    if (tree->levels == 0)
        memset(velocity, 0, (size_t)count * 3 * sizeof(float));
    else
        sum_far(grid, tree, opening_angle, 0, count, points, velocity, threads);
}

void VT_NAME(far_gradient)(const vt_grid *grid, const vt_moments *tree, double opening_angle,
                           int64_t count, const float *points, float *velocity, int threads)
{
    if (tree->levels > 0)
        sum_far(grid, tree, opening_angle, 1, count, points, velocity, threads);
}
