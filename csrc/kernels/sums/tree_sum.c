/* Velocity, its gradient, and the vector potential by the tree over vortons
 * (kernels/sums/tree_sum.h). With n = d / r, i = 1 / r, B = b / r, and for each component c of
 * alpha q_c = Q_c n:
 *
 *   u_i = i^2 [B e_ibc D_cb + 3 B^2 e_ibc q_cb + (n x s)_i]
 *   d u_i / d x_j = i^3 [e_ijc s_c + n_j ((n x t)_i + e_ibc P_cb) + (n x P_j)_i
 *                        + 3 B^2 e_ibc Q_cbj]
 *   s_c = -S_c - 3 B D_c.n - 7.5 B^2 n.q_c,  t_c = 3 S_c + 15 B D_c.n + 52.5 B^2 n.q_c,
 *   P_cb = -3 B D_cb - 15 B^2 q_cb,          P_j the vector of P_cj over c;
 *   clusters have no vorticity where they stand for their vortons: grad div A is their curl u.
 *
 * Lanes are targets. Each follows its own way through the tree, all from the first node to the
 * last, so what a target gets does not depend on the others. */
#include "kernels/sums/tree_sum.h"

#include "base/parallel.h"

enum { TARGET_BLOCK = 64 };

/* What targets ask for, each with its own loop. */
enum { POTENTIAL, VELOCITY, GRADIENT, DENSITY };

/* An opening angle small enough that no core reaches where clusters are taken. */
static const double angle_beyond_cores = 0.375;

typedef struct job {
    const vt_tree *tree;
    const vt_core_table *table;
    const uint32_t *order; /* of the targets; NULL: as they are */
    const float *targets;
    float *velocity, *gradient, *divergence, *potential, *density;
} job;

typedef struct sums {
    vt_pair_sums pairs;
    vf potential[3], density;
} sums;

/* ---- clusters ---- */

/* A cluster as VL targets see it. */
typedef struct view {
    vf n[3], inverse; /* n, 1 / r */
    vf part, square;  /* B, B^2 */
    vf second[3][3];  /* q_c */
    vf first_n[3];    /* D_c.n */
    vf second_n[3];   /* n.q_c */
} view;

VT_INLINE vf dot3(const vf a[3], float x, float y, float z)
{
    return vf_fma(a[2], vf_set(z), vf_fma(a[1], vf_set(y), a[0] * x));
}

VT_INLINE view look_at(const vt_tree_node *node, const vt_tree_moments *m, const vf d[3], vf r2)
{
    view v;
    v.inverse = 1.0f / vf_sqrt(r2);
    v.part = v.inverse * node->radius;
    v.square = v.part * v.part;
    for (int a = 0; a < 3; a++)
        v.n[a] = d[a] * v.inverse;
#pragma GCC unroll 3
    for (int c = 0; c < 3; c++) {
        const float *const q = m->second[c], *const first = m->first[c];
        v.first_n[c] = dot3(v.n, first[0], first[1], first[2]);
        v.second[c][0] = dot3(v.n, q[0], q[3], q[4]);
        v.second[c][1] = dot3(v.n, q[3], q[1], q[5]);
        v.second[c][2] = dot3(v.n, q[4], q[5], q[2]);
        v.second_n[c] =
            vf_fma(v.n[2], v.second[c][2], vf_fma(v.n[1], v.second[c][1], v.n[0] * v.second[c][0]));
    }
    return v;
}

/* a += x in the lanes of the mask */
VT_INLINE void add_masked(vf *a, vf x, vi mask)
{
    *a += (vf)((vi)x & mask);
}

VT_INLINE void add_cluster_potential(const view *v, const vt_tree_moments *m, vi whole, sums *s)
{
    for (int c = 0; c < 3; c++) {
        const vf sum = vf_fma(v->part, v->first_n[c],
                              vf_fma(v->square * 1.5f, v->second_n[c], vf_set(m->sum[c])));
        add_masked(&s->potential[c], v->inverse * sum, whole);
    }
}

VT_INLINE void add_cluster_gradient(const view *v, const vt_tree_moments *m, const vf s[3],
                                    vi whole, vt_pair_sums *sum)
{
    const vf i3 = v->inverse * v->inverse * v->inverse;
    const vf part3 = v->part * -3.0f, square3 = v->square * 3.0f, square15 = v->square * -15.0f;
    vf t[3], p[3][3];
#pragma GCC unroll 3
    for (int c = 0; c < 3; c++) {
        t[c] = vf_fma(v->part * 15.0f, v->first_n[c],
                      vf_fma(v->square * 52.5f, v->second_n[c], vf_set(3.0f * m->sum[c])));
#pragma GCC unroll 3
        for (int b = 0; b < 3; b++)
            p[c][b] = vf_fma(square15, v->second[c][b], part3 * m->first[c][b]);
        add_masked(&sum->rotation[c], -(i3 * s[c]), whole);
    }
#pragma GCC unroll 3
    for (int i = 0; i < 3; i++) {
        const int b = (i + 1) % 3, c = (i + 2) % 3;
        const vf along = vf_fma(v->n[b], t[c], vf_fma(-v->n[c], t[b], p[c][b] - p[b][c]));
#pragma GCC unroll 3
        for (int j = 0; j < 3; j++) {
            const vf across =
                vf_fma(v->n[b], p[c][j], vf_fma(-v->n[c], p[b][j], square3 * m->second_curl[i][j]));
            add_masked(&sum->outer[3 * i + j], i3 * vf_fma(v->n[j], along, across), whole);
        }
    }
}

VT_INLINE void add_cluster_velocity(int what, const view *v, const vt_tree_moments *m, vi whole,
                                    vt_pair_sums *sum)
{
    const vf i2 = v->inverse * v->inverse, square3 = v->square * 3.0f;
    vf s[3];
#pragma GCC unroll 3
    for (int c = 0; c < 3; c++)
        s[c] = vf_fma(v->part * -3.0f, v->first_n[c],
                      vf_fma(v->square * -7.5f, v->second_n[c], vf_set(-m->sum[c])));
#pragma GCC unroll 3
    for (int i = 0; i < 3; i++) {
        const int b = (i + 1) % 3, c = (i + 2) % 3;
        const vf curl = vf_fma(v->part, vf_set(m->first_curl[i]),
                               square3 * (v->second[c][b] - v->second[b][c]));
        const vf u = vf_fma(v->n[b], s[c], vf_fma(-v->n[c], s[b], curl));
        add_masked(&sum->velocity[i], i2 * u, whole);
    }
    if (what == GRADIENT)
        add_cluster_gradient(v, m, s, whole, sum);
}

/* A function apart from the loops below, as it is the same for all kernels. */
#define VT_CLUSTER(name, what)                                                                     \
    static __attribute__((noinline)) void name(const vt_tree *tree, uint32_t n, const vf d[3],     \
                                               vf r2, vi whole, sums *total)                       \
    {                                                                                              \
        const vt_tree_moments *const m = &tree->moments[n];                                        \
        const view v = look_at(&tree->nodes[n], m, d, r2);                                         \
        if (what == POTENTIAL)                                                                     \
            add_cluster_potential(&v, m, whole, total);                                            \
        else                                                                                       \
            add_cluster_velocity(what, &v, m, whole, &total->pairs);                               \
    }
VT_CLUSTER(take_potential, POTENTIAL)
VT_CLUSTER(take_velocity, VELOCITY)
VT_CLUSTER(take_gradient, GRADIENT)
#undef VT_CLUSTER

/* ---- vortons ---- */

/* Potential of the ball, which is that of a point outside. */
VT_INLINE void add_pair_potential(const vf target[3], const vt_packed_vorton *source, vf sum[3])
{
    const vf x = target[0] - source->position[0];
    const vf y = target[1] - source->position[1];
    const vf z = target[2] - source->position[2];
    const vf s = (x * x + y * y + z * z) * source->narrowness;
    const vf outside = 1.0f / vf_sqrt(vf_max(s, vf_set(1.0f)));
    const vf value = vf_select(s < 1.0f, s * -0.5f + 1.5f, outside) * source->square;
    for (int c = 0; c < 3; c++)
        sum[c] += value * source->strength[c];
}

VT_INLINE void add_vortons(int kernel, int what, const job *j, const vt_packed_vorton *first,
                           const vt_packed_vorton *end, const vf target[3], vi near, sums *total)
{
    sums part = {0};
    for (const vt_packed_vorton *source = first; source < end; source++) {
        if (what == POTENTIAL)
            add_pair_potential(target, source, part.potential);
        else if (what == DENSITY)
            vti_add_pair_density(kernel, j->table, target, source, &part.density);
        else
            vti_add_pair(kernel, what == GRADIENT, j->table, target, source, &part.pairs);
    }
    if (what == DENSITY) {
        add_masked(&total->density, part.density, near);
        return;
    }
    for (int a = 0; a < 3; a++) {
        if (what == POTENTIAL)
            add_masked(&total->potential[a], part.potential[a], near);
        else
            add_masked(&total->pairs.velocity[a], part.pairs.velocity[a], near);
        if (what == GRADIENT) {
            add_masked(&total->pairs.rotation[a], part.pairs.rotation[a], near);
            add_masked(&total->pairs.vorticity[a], part.pairs.vorticity[a], near);
        }
    }
    for (int a = 0; what == GRADIENT && a < 9; a++)
        add_masked(&total->pairs.outer[a], part.pairs.outer[a], near);
}

/* ---- the way through the tree ---- */

/* Lanes that are not in a cube. */
VT_INLINE vi is_outside(const vt_tree_cube *cube, const vi at[3])
{
    vi outside = vi_set(0);
    for (int a = 0; a < 3; a++) {
        const vi way = at[a] - vi_set(cube->corner[a]);
        outside |= (way < vi_set(0)) | (way >= vi_set(cube->edge));
    }
    return outside;
}

VT_INLINE void sum_tree(int kernel, int what, const job *j, const vf target[3], const vi cube[3],
                        sums *total)
{
    const vt_tree *const tree = j->tree;
    vi resume = vi_set(0); /* the node at which each lane looks next */
    *total = (sums){0};
    for (uint32_t n = 0; n < tree->node_count;) {
        const vt_tree_node *const node = &tree->nodes[n];
        const vf d[3] = {target[0] - node->centre[0], target[1] - node->centre[1],
                         target[2] - node->centre[2]};
        const vf r2 = vf_fma(d[2], d[2], vf_fma(d[1], d[1], d[0] * d[0]));
        const vi present = resume <= vi_set((int32_t)n);
        const vi far =
            tree->cubes ? is_outside(&tree->cubes[n], cube) : r2 >= vf_set(node->taken_from);
        const vi whole = present & far, rest = present & ~far;
        if (vi_any(whole)) {
            if (what == DENSITY)
                ; /* beyond the cores there is none */
            else if (tree->cubes)
                add_vortons(kernel, what, j, &tree->whole[n], &tree->whole[n + 1], target, whole,
                            total);
            else if (what == POTENTIAL)
                take_potential(tree, n, d, r2, whole, total);
            else if (what == VELOCITY)
                take_velocity(tree, n, d, r2, whole, total);
            else
                take_gradient(tree, n, d, r2, whole, total);
            resume = (whole & vi_set((int32_t)node->next)) | (~whole & resume);
        }
        const int deeper = vi_any(rest), leaf = node->next == n + 1;
        if (deeper && leaf)
            add_vortons(kernel, what, j, &tree->sources[node->begin], &tree->sources[node->end],
                        target, rest, total);
        n = deeper ? n + 1 : node->next;
    }
}

/* The rows of the targets from `first` on; spare lanes repeat the last. */
VT_INLINE int64_t target_row(const job *j, int64_t first, int64_t end, int lane)
{
    const int64_t at = first + lane < end ? first + lane : end - 1;
    return j->order ? j->order[at] : at;
}

static void store_rows(const job *j, float *rows, int components, const vf *columns, int64_t first,
                       int64_t end)
{
    for (int lane = 0; lane < VL && first + lane < end; lane++) {
        float *const to = rows + components * target_row(j, first, end, lane);
        for (int c = 0; c < components; c++)
            to[c] = columns[c][lane];
    }
}

VT_INLINE void sum_targets(int kernel, int what, const job *j, int64_t begin, int64_t end)
{
    for (int64_t first = begin; first < end; first += VL) {
        float lanes[3][VL];
        int32_t cubes[3][VL] = {{0}};
        for (int lane = 0; lane < VL; lane++) {
            const float *const point = j->targets + 3 * target_row(j, first, end, lane);
            int32_t at[3] = {0};
            if (j->tree->cubes)
                vti_find_cube(j->tree, point, at);
            for (int a = 0; a < 3; a++) {
                lanes[a][lane] = point[a];
                cubes[a][lane] = at[a];
            }
        }
        const vf target[3] = {vf_load(lanes[0]), vf_load(lanes[1]), vf_load(lanes[2])};
        const vi cube[3] = {vi_load(cubes[0]), vi_load(cubes[1]), vi_load(cubes[2])};
        sums total;
        sum_tree(kernel, what, j, target, cube, &total);
        if (what == POTENTIAL)
            store_rows(j, j->potential, 3, total.potential, first, end);
        if (what == DENSITY)
            store_rows(j, j->density, 1, &total.density, first, end);
        if (what == POTENTIAL || what == DENSITY)
            continue;
        store_rows(j, j->velocity, 3, total.pairs.velocity, first, end);
        if (what == GRADIENT) {
            vti_finish_gradient(&total.pairs);
            store_rows(j, j->gradient, 9, total.pairs.outer, first, end);
            store_rows(j, j->divergence, 3, total.pairs.vorticity, first, end);
        }
    }
}

/* One loop for each core function and for what is asked. */
#define VT_LOOP(name, kernel, what)                                                                \
    static void name(void *context, int64_t begin, int64_t end)                                    \
    {                                                                                              \
        sum_targets(kernel, what, context, begin, end);                                            \
    }
#define VT_LOOPS(name, kernel)                                                                     \
    VT_LOOP(name##_velocity, kernel, VELOCITY)                                                     \
    VT_LOOP(name##_gradient, kernel, GRADIENT)                                                     \
    VT_LOOP(name##_density, kernel, DENSITY)
VT_EACH_CORE(VT_LOOPS)
VT_LOOP(ball_potential, VT_KERNEL_BALL, POTENTIAL)
#define VT_TWO_LOOPS(name, kernel) [kernel] = {name##_velocity, name##_gradient},
#define VT_DENSITY_LOOP(name, kernel) [kernel] = name##_density,

void VT_NAME(tree_potential)(const vt_tree *tree, int64_t count, const float *points,
                             float *potential, int threads)
{
    job j = {.tree = tree, .targets = points, .potential = potential};
    vti_parallel_for(threads, count, TARGET_BLOCK, ball_potential, &j);
}

void VT_NAME(tree)(int kernel, int opening, double opening_angle, int64_t count,
                   const float *targets, int64_t source_count, const float *positions,
                   const float *strengths, const float *cores, float *velocity, float *gradient,
                   float *divergence, vt_arena *arena, int threads)
{
    static vt_block_function *const loops[][2] = {VT_EACH_CORE(VT_TWO_LOOPS)};
    VT_HAS_ALL_CORES(loops);
    const size_t mark = vti_arena_mark(arena);
    const vt_tree_rows rows = {source_count, 3, positions, strengths, cores, 0};
    vt_tree tree;
    vti_build_tree(&tree, &rows, kernel, opening, opening_angle, arena, threads);
    job j = {.tree = &tree, .table = vti_gaussian_table(), .targets = targets};
    j.velocity = velocity;
    j.gradient = gradient;
    j.divergence = divergence;
    /* neighbours take nearly the same way: lanes share most of what they look at */
    j.order = targets == positions && count == source_count
                  ? tree.order
                  : vti_order_along_curve(&tree, count, targets, arena, threads);
    vti_parallel_for(threads, count, TARGET_BLOCK, loops[kernel][gradient != NULL], &j);
    vti_arena_pop(arena, mark);
}

void VT_NAME(strength_density)(int kernel, int64_t count, const float *targets,
                               int64_t source_count, const float *positions, const float *strengths,
                               const float *cores, float *density, vt_arena *arena, int threads)
{
    static vt_block_function *const loops[] = {VT_EACH_CORE(VT_DENSITY_LOOP)};
    VT_HAS_ALL_CORES(loops);
    const size_t mark = vti_arena_mark(arena);
    const vt_tree_rows rows = {source_count, 3, positions, strengths, cores, 0};
    vt_tree tree;
    vti_build_tree(&tree, &rows, kernel, VT_OPENING_ANGLE, angle_beyond_cores, arena, threads);
    job j = {.tree = &tree, .table = vti_gaussian_table(), .targets = targets, .density = density};
    j.order = vti_order_along_curve(&tree, count, targets, arena, threads);
    vti_parallel_for(threads, count, TARGET_BLOCK, loops[kernel], &j);
    vti_arena_pop(arena, mark);
}
