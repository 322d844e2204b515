#include "kernels/sums/tree_build.h"

#include <math.h>

#include "base/parallel.h"

enum {
    LEAF = 64,   /* most vortons of a leaf, unless they share the smallest cube */
    FEW = 4,     /* vortons that are summed one by one at any distance: no dearer, and exact */
    LEVELS = 21, /* levels of cubes, each three bits of a key */
    DIGIT = 11,  /* bits that one pass of the sort looks at */
    DIGITS = (3 * LEVELS + DIGIT - 1) / DIGIT,
    BINS = 1 << DIGIT,
    KEY_BLOCK = 8192,
    NODE_BLOCK = 8
};

/* ---- the curve ---- */

typedef struct key_job {
    const vt_tree *tree;
    const float *position;
    int64_t stride;
    uint64_t *keys;
} key_job;

/* Bit i of a 21-bit number becomes bit 3 i. */
static uint64_t spread_bits(uint64_t x)
{
    x = (x | x << 32) & UINT64_C(0x1f00000000ffff);
    x = (x | x << 16) & UINT64_C(0x1f0000ff0000ff);
    x = (x | x << 8) & UINT64_C(0x100f00f00f00f00f);
    x = (x | x << 4) & UINT64_C(0x10c30c30c30c30c3);
    return (x | x << 2) & UINT64_C(0x1249249249249249);
}

void vti_find_cube(const vt_tree *tree, const float point[3], int32_t at[3])
{
    const int32_t last = (1 << LEVELS) - 1;
    for (int a = 0; a < 3; a++) {
        const double x = ((double)point[a] - tree->least[a]) * tree->scale;
        at[a] = !(x > 0) ? 0 : x >= last ? last : (int32_t)x;
    }
}

static void make_keys(void *context, int64_t begin, int64_t end)
{
    const key_job job = *(const key_job *)context;
    for (int64_t i = begin; i < end; i++) {
        int32_t at[3];
        vti_find_cube(job.tree, job.position + job.stride * i, at);
        job.keys[i] = spread_bits((uint64_t)at[0]) | spread_bits((uint64_t)at[1]) << 1 |
                      spread_bits((uint64_t)at[2]) << 2;
    }
}

static void lay_out_cube(vt_tree *tree, const vt_tree_rows *rows)
{
    for (int a = 0; a < 3; a++) {
        float least = rows->position[a], most = least;
        for (int64_t i = 1; i < rows->count; i++) {
            const float x = rows->position[rows->stride * i + a];
            least = x < least ? x : least;
            most = x > most ? x : most;
        }
        tree->least[a] = (double)least;
        tree->edge = fmax(tree->edge, (double)most - (double)least);
    }
    tree->scale = tree->edge > 0 ? (double)((1 << LEVELS) - 1) / tree->edge : 0;
}

/* One pass: stable by one digit. Returns 0, and does nothing, where all keys share it. */
static int sort_digit(int64_t count, int digit, uint32_t *bins, const uint64_t *from_keys,
                      const uint32_t *from, uint64_t *to_keys, uint32_t *to)
{
    const int shift = digit * DIGIT;
    const uint64_t mask = BINS - 1;
    memset(bins, 0, BINS * sizeof *bins);
    for (int64_t i = 0; i < count; i++)
        bins[from_keys[i] >> shift & mask]++;
    if (bins[from_keys[0] >> shift & mask] == count)
        return 0;
    uint32_t sum = 0;
    for (int b = 0; b < BINS; b++) {
        const uint32_t size = bins[b];
        bins[b] = sum;
        sum += size;
    }
    for (int64_t i = 0; i < count; i++) {
        const uint32_t place = bins[from_keys[i] >> shift & mask]++;
        to_keys[place] = from_keys[i];
        to[place] = from[i];
    }
    return 1;
}

/* Rows in the order of their keys; sorts the keys too, which are at the place that is returned. */
static uint64_t *sort_keys(int64_t count, uint64_t *keys, uint32_t *order, vt_arena *arena)
{
    uint64_t *key[2] = {keys, vti_arena_push(arena, 8 * (size_t)count)};
    uint32_t *row[2] = {order, vti_arena_push(arena, 4 * (size_t)count)};
    uint32_t *const bins = vti_arena_push(arena, BINS * sizeof *bins);
    int now = 0;
    for (int64_t i = 0; i < count; i++)
        order[i] = (uint32_t)i;
    for (int digit = 0; digit < DIGITS && count > 0; digit++)
        now ^= sort_digit(count, digit, bins, key[now], row[now], key[!now], row[!now]);
    if (now)
        memcpy(order, row[1], 4 * (size_t)count);
    return key[now];
}

uint32_t *vti_order_along_curve(const vt_tree *tree, int64_t count, const float *points,
                                vt_arena *arena, int threads)
{
    uint32_t *const order = vti_arena_push(arena, 4 * (size_t)count);
    const size_t mark = vti_arena_mark(arena);
    key_job job = {tree, points, 3, vti_arena_push(arena, 8 * (size_t)count)};
    vti_parallel_for(threads, count, KEY_BLOCK, make_keys, &job);
    sort_keys(count, job.keys, order, arena);
    vti_arena_pop(arena, mark);
    return order;
}

/* ---- the nodes ---- */

typedef struct cutting {
    const uint64_t *keys;
    vt_tree_node *nodes; /* NULL: nodes are only counted */
    vt_tree_cube *cubes; /* NULL: nobody wants the cubes */
    uint32_t count;
} cutting;

/* The first of the keys [begin, end) whose octant at `shift` is above `octant`. */
static uint32_t find_end(const uint64_t *keys, uint32_t begin, uint32_t end, int shift,
                         uint64_t octant)
{
    while (begin < end) {
        const uint32_t middle = begin + (end - begin) / 2;
        if ((keys[middle] >> shift & 7) <= octant)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

/* The node of the keys [begin, end), which agree above `shift`, and all below it. */
static void cut(cutting *c, uint32_t begin, uint32_t end, int shift)
{
    const uint32_t own = c->count++;
    /* a cube with one child is that child */
    while (shift >= 0 && (c->keys[begin] >> shift & 7) == (c->keys[end - 1] >> shift & 7))
        shift -= 3;
    const int leaf = end - begin <= LEAF || shift < 0;
    uint32_t from = begin;
    for (uint64_t octant = 0; octant < 8 && !leaf; octant++) {
        const uint32_t to = find_end(c->keys, from, end, shift, octant);
        if (to > from)
            cut(c, from, to, shift - 3);
        from = to;
    }
    if (c->nodes)
        c->nodes[own] = (vt_tree_node){.begin = begin, .end = end, .next = c->count};
    if (c->cubes)
        c->cubes[own].edge = 1 << (shift / 3 + 1);
}

/* ---- moments ---- */

typedef struct moment_job {
    const vt_tree *tree;
    const vt_tree_rows *rows;
    int kernel;
    double opening_angle;
} moment_job;

static double length(const double a[3])
{
    return sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
}

static float core_of(const vt_tree_rows *rows, int64_t row)
{
    return rows->core ? rows->core[row] : rows->same_core;
}

static void pack_sources(void *context, int64_t begin, int64_t end)
{
    const moment_job *const job = context;
    const vt_tree_rows *const rows = job->rows;
    for (int64_t i = begin; i < end; i++) {
        const int64_t row = job->tree->order[i];
        job->tree->sources[i] =
            vti_pack_vorton(rows->position + rows->stride * row,
                            rows->strength + rows->stride * row, core_of(rows, row));
    }
}

/* Mean position weighted by |alpha|; where there is none, by number. */
static void find_centre(const moment_job *job, int64_t begin, int64_t end, float centre[3])
{
    double sum[2][3] = {{0}}, weight[2] = {0};
    for (int64_t i = begin; i < end; i++) {
        const int64_t at = job->rows->stride * job->tree->order[i];
        double x[3], alpha[3];
        for (int a = 0; a < 3; a++) {
            x[a] = (double)job->rows->position[at + a];
            alpha[a] = (double)job->rows->strength[at + a];
        }
        const double weights[2] = {length(alpha), 1};
        for (int w = 0; w < 2; w++) {
            weight[w] += weights[w];
            for (int a = 0; a < 3; a++)
                sum[w][a] += weights[w] * x[a];
        }
    }
    const int w = weight[0] > 0 ? 0 : 1;
    for (int a = 0; a < 3; a++)
        centre[a] = (float)(sum[w][a] / weight[w]);
}

/* How far from the centre the vortons lie, and their largest core. */
static void find_radius(const moment_job *job, int64_t begin, int64_t end, const float centre[3],
                        double *radius, double *core)
{
    *radius = *core = 0;
    for (int64_t i = begin; i < end; i++) {
        const int64_t row = job->tree->order[i];
        double offset[3];
        for (int a = 0; a < 3; a++)
            offset[a] =
                (double)job->rows->position[job->rows->stride * row + a] - (double)centre[a];
        *radius = fmax(*radius, length(offset));
        *core = fmax(*core, (double)core_of(job->rows, row));
    }
}

/* Sums over the vortons of a node, lengths in its radius. */
typedef struct sums {
    double sum[3], first[3][3], second[3][6];
} sums;

static void add_vorton(sums *s, const double o[3], const double alpha[3])
{
    const double trace = (o[0] * o[0] + o[1] * o[1] + o[2] * o[2]) / 3;
    const double product[6] = {o[0] * o[0] - trace, o[1] * o[1] - trace, o[2] * o[2] - trace,
                               o[0] * o[1],         o[0] * o[2],         o[1] * o[2]};
    for (int c = 0; c < 3; c++) {
        s->sum[c] += alpha[c];
        for (int a = 0; a < 3; a++)
            s->first[c][a] += alpha[c] * o[a];
        for (int q = 0; q < 6; q++)
            s->second[c][q] += alpha[c] * product[q];
    }
}

static void store_moments(vt_tree_moments *m, const sums *s)
{
    static const int index[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        m->sum[i] = (float)s->sum[i];
        m->first_curl[i] = (float)(s->first[k][j] - s->first[j][k]);
        for (int a = 0; a < 3; a++) {
            m->first[i][a] = (float)s->first[i][a];
            m->second_curl[i][a] = (float)(s->second[k][index[j][a]] - s->second[j][index[k][a]]);
        }
        for (int q = 0; q < 6; q++)
            m->second[i][q] = (float)s->second[i][q];
    }
}

/* The squared distance from which a cluster is taken: see kernels/sums/tree_sum.h. The strength of
 * closed vortex lines sums to zero: far away clusters cancel more and more, so large ones must be
 * taken later for an error that is small against what is left. Outside, the ball is a point;
 * Gaussian cores are one to 1e-7 beyond 6, those of Winckelmans and Leonard to 2 / p^4 at p cores,
 * which must fall with the opening angle as the error of the expansion does. */
static float find_distance(const moment_job *job, double radius, double core)
{
    _Static_assert(VT_KERNEL_COUNT == 3, "each core function has its distance");
    const double angle = job->opening_angle;
    double distance = 1.4142135623730951 * radius / angle;
    distance *= sqrt(fmax(1, 2 * distance / job->tree->edge));
    if (job->kernel == VT_KERNEL_BALL)
        distance = fmax(distance, radius + core);
    else if (job->kernel == VT_KERNEL_GAUSSIAN)
        distance = fmax(distance, core * fmin(6, 2.25 / angle));
    else
        distance = fmax(distance, core * 2.5 / angle);
    return angle > 0 ? (float)fmax(distance * distance, 1e-37) : INFINITY;
}

static void make_moments(void *context, int64_t begin, int64_t end)
{
    const moment_job *const job = context;
    const vt_tree *const tree = job->tree;
    const double by_four_pi = 0.25 / VT_PI;
    for (int64_t n = begin; n < end; n++) {
        vt_tree_node *const node = &tree->nodes[n];
        const int64_t first = node->begin, last = node->end;
        double radius, core;
        sums s = {{0}, {{0}}, {{0}}};
        find_centre(job, first, last, node->centre);
        find_radius(job, first, last, node->centre, &radius, &core);
        const double scale = radius > 0 ? 1 / radius : 0;
        for (int64_t i = first; i < last; i++) {
            const int64_t at = job->rows->stride * tree->order[i];
            double o[3], alpha[3];
            for (int a = 0; a < 3; a++) {
                o[a] = scale * ((double)job->rows->position[at + a] - (double)node->centre[a]);
                alpha[a] = by_four_pi * (double)job->rows->strength[at + a];
            }
            add_vorton(&s, o, alpha);
        }
        node->radius = (float)radius;
        node->taken_from = last - first <= FEW ? INFINITY : find_distance(job, radius, core);
        store_moments(&tree->moments[n], &s);
    }
}

/* Makes one vorton of each node, for VT_OPENING_ARTICLE. */
static void make_wholes(void *context, int64_t begin, int64_t end)
{
    const moment_job *const job = context;
    const vt_tree *const tree = job->tree;
    for (int64_t n = begin; n < end; n++) {
        vt_tree_node *const node = &tree->nodes[n];
        vt_tree_cube *const cube = &tree->cubes[n];
        double sum[3] = {0}, radius, core;
        find_centre(job, node->begin, node->end, node->centre);
        find_radius(job, node->begin, node->end, node->centre, &radius, &core);
        for (uint32_t i = node->begin; i < node->end; i++)
            for (int a = 0; a < 3; a++)
                sum[a] += (double)job->rows->strength[job->rows->stride * tree->order[i] + a];
        const float strength[3] = {(float)sum[0], (float)sum[1], (float)sum[2]};
        tree->whole[n] = vti_pack_vorton(node->centre, strength, (float)core);
        vti_find_cube(tree, tree->sources[node->begin].position, cube->corner);
        for (int a = 0; a < 3; a++)
            cube->corner[a] &= -cube->edge;
    }
}

void vti_build_tree(vt_tree *tree, const vt_tree_rows *rows, int kernel, int opening,
                    double opening_angle, vt_arena *arena, int threads)
{
    const size_t count = (size_t)rows->count;
    const int by_cube = opening == VT_OPENING_ARTICLE;
    *tree = (vt_tree){.count = rows->count};
    if (count == 0)
        return;
    tree->sources = vti_arena_push(arena, count * sizeof *tree->sources);
    tree->order = vti_arena_push(arena, 4 * count);
    lay_out_cube(tree, rows);
    key_job keys = {tree, rows->position, rows->stride, vti_arena_push(arena, 8 * count)};
    vti_parallel_for(threads, rows->count, KEY_BLOCK, make_keys, &keys);

    cutting c = {.keys = sort_keys(rows->count, keys.keys, tree->order, arena)};
    cut(&c, 0, (uint32_t)count, 3 * (LEVELS - 1));
    tree->node_count = c.count;
    tree->nodes = vti_arena_push(arena, c.count * sizeof *tree->nodes);
    if (by_cube) {
        tree->cubes = vti_arena_push(arena, c.count * sizeof *tree->cubes);
        tree->whole = vti_arena_push(arena, c.count * sizeof *tree->whole);
    } else {
        tree->moments = vti_arena_push(arena, c.count * sizeof *tree->moments);
    }
    c.nodes = tree->nodes;
    c.cubes = tree->cubes;
    c.count = 0;
    cut(&c, 0, (uint32_t)count, 3 * (LEVELS - 1));

    moment_job job = {tree, rows, kernel, opening_angle};
    vti_parallel_for(threads, rows->count, KEY_BLOCK, pack_sources, &job);
    vti_parallel_for(threads, tree->node_count, NODE_BLOCK, by_cube ? make_wholes : make_moments,
                     &job);
}
