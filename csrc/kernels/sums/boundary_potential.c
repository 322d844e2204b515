/* Vector potential (or scalar one) on the faces of the grid: Gourlay parts 19 and 20 (the boundary
 * integral by a tree), with the opening angle of Barnes and Hut (1986) and moments to quadrupole of
 * blocks of deposited nodes (kernels/sums/multipole_moments.h).
 *
 *   1. The potential at a lattice of points on each face, 4 x 4 points (one patch) at a time: the
 *      traversal lists the clusters for the whole patch, then 16 lanes sum over that list.
 *   2. Faces from lattices by cubic Lagrange interpolation, first along u, then along v. */
#include "kernels/sums/boundary_potential.h"

#include "base/parallel.h"
#include "base/simd_rearrange.h"

enum { SIDE = 4, TARGETS = SIDE * SIDE, STENCIL = 4, LISTED = 128 };
enum { FEW_CELLS = 12 /* below, faces take less time than it takes to share them */ };

/* ---- lattices ---- */

/* The lattice along one axis: its points, and for each node of the grid the first of the STENCIL
 * points that it is interpolated from, with their weights. */
typedef struct axis_lattice {
    int32_t points, pitch; /* multiples of 4 and 16 */
    float *position;       /* cells */
    int32_t *base;         /* node_pitch each */
    float *weight[STENCIL];
} axis_lattice;

typedef struct boundary_work {
    vt_grid *grid;
    const vt_moments *tree;
    const vt_cluster *clusters;
    float opening_angle_squared;
    axis_lattice axis[3];
    int64_t first_patch[7];
    float *lattice[6]; /* component c, point (u, v): (c * points_u + u) * pitch_v + v */
} boundary_work;

/* At least every fourth node (every second of few), in whole patches. */
static int32_t lattice_points(int32_t cells)
{
    const int32_t step = cells <= 32 ? 2 : 4;
    return (cells / step + SIDE) / SIDE * SIDE;
}

/* Cubic Lagrange weights of the points 0, 1, 2, 3 at t. */
static void lagrange_weights(double t, double weight[STENCIL])
{
    weight[0] = -(t - 1.0) * (t - 2.0) * (t - 3.0) / 6.0;
    weight[1] = t * (t - 2.0) * (t - 3.0) / 2.0;
    weight[2] = -t * (t - 1.0) * (t - 3.0) / 2.0;
    weight[3] = t * (t - 1.0) * (t - 2.0) / 6.0;
}

static void make_axis_lattice(axis_lattice *axis, int32_t cells, vt_arena *arena)
{
    const int32_t nodes = cells + 1, node_pitch = (nodes + 15) / 16 * 16;
    const int32_t points = lattice_points(cells);
    axis->points = points;
    axis->pitch = (points + 15) / 16 * 16;
    axis->position = vti_arena_push(arena, (size_t)points * sizeof(float));
    axis->base = vti_arena_push(arena, (size_t)node_pitch * sizeof(int32_t));
    for (int a = 0; a < STENCIL; a++)
        axis->weight[a] = vti_arena_push(arena, (size_t)node_pitch * sizeof(float));

    for (int32_t i = 0; i < points; i++)
        axis->position[i] = (float)((double)cells * i / (points - 1));
    for (int32_t i = 0; i < node_pitch; i++) {
        const double place = (double)(i < nodes ? i : cells) * (points - 1) / cells;
        int32_t base = (int32_t)place - (STENCIL / 2 - 1);
        base = base < 0 ? 0 : base > points - STENCIL ? points - STENCIL : base;
        double weight[STENCIL];
        lagrange_weights(place - base, weight);
        axis->base[i] = base;
        for (int a = 0; a < STENCIL; a++)
            axis->weight[a][i] = (float)weight[a];
    }
}

/* ---- potential at the lattice points ---- */

/* 16 lattice points of a face; lane 4 a + b is point a along u, b along v. */
typedef struct patch {
    float x[3][TARGETS];
    float middle[3], half[3]; /* the box around them */
    float sum[3][TARGETS];
    int components, count;
    const vt_cluster *list[LISTED];
} patch;

static void place_patch(patch *p, const boundary_work *w, int face, int32_t u0, int32_t v0)
{
    int axes[3] = {0, 0, face / 2};
    vti_face_axes(face, &axes[0], &axes[1]);
    const float *const u = w->axis[axes[0]].position + u0, *const v =
                                                               w->axis[axes[1]].position + v0;
    const float wall = face & 1 ? (float)w->grid->cells[axes[2]] : 0.0f;
    for (int t = 0; t < TARGETS; t++) {
        p->x[axes[0]][t] = u[t / SIDE];
        p->x[axes[1]][t] = v[t % SIDE];
        p->x[axes[2]][t] = wall;
    }
    for (int axis = 0; axis < 3; axis++) {
        p->middle[axis] = 0.5f * (p->x[axis][0] + p->x[axis][TARGETS - 1]);
        p->half[axis] = 0.5f * (p->x[axis][TARGETS - 1] - p->x[axis][0]);
    }
    memset(p->sum, 0, sizeof p->sum);
    p->components = vti_grid_components(w->grid);
    p->count = 0;
}

/* Adds the potential of the listed clusters (kernels/sums/multipole_moments.h). */
VT_INLINE void add_clusters(patch *p, int components)
{
    for (int lane = 0; lane < TARGETS; lane += VL) {
        const vf x = vf_load(p->x[0] + lane), y = vf_load(p->x[1] + lane),
                 z = vf_load(p->x[2] + lane);
        /* Two sums a component: one chain of dependent additions would set the pace. */
        vf low[3], high[3];
        for (int c = 0; c < components; c++) {
            low[c] = vf_load(p->sum[c] + lane);
            high[c] = (vf){0};
        }
        for (int n = 0; n < p->count; n++) {
            const vt_cluster *const m = p->list[n];
            const vf dx = x - m->centre[0], dy = y - m->centre[1], dz = z - m->centre[2];
            /* Vortons are at least a cell away; the bound keeps the sum finite if they are not. */
            const vf r2 = vf_max(vf_fma(dz, dz, vf_fma(dy, dy, dx * dx)), vf_set(0.25f));
            const vf i1 = vf_set(1.0f) / vf_sqrt(r2), i2 = i1 * i1, i3 = i2 * i1;
            const vf i5 = i3 * i2 * 3.0f, x5 = dx * i5, y5 = dy * i5;
            const vf basis[MOMENTS] = {
                i1,      dx * i3, dy * i3, dz * i3, vf_fma(dx, x5, -i3), vf_fma(dy, y5, -i3),
                dy * x5, dz * x5, dz * y5};
#pragma GCC unroll 3
            for (int c = 0; c < components; c++) {
#pragma GCC unroll 5
                for (int t = 0; t < MOMENT_YY; t++)
                    low[c] = vf_fma(basis[t], vf_set(m->moment[t][c]), low[c]);
#pragma GCC unroll 4
                for (int t = MOMENT_YY; t < MOMENTS; t++)
                    high[c] = vf_fma(basis[t], vf_set(m->moment[t][c]), high[c]);
            }
        }
        for (int c = 0; c < components; c++)
            vf_store(p->sum[c] + lane, low[c] + high[c]);
    }
}

/* Adds the potential of the listed clusters and empties the list; two copies of the loop. */
static void add_listed(patch *p)
{
    if (p->components == 1)
        add_clusters(p, 1);
    else
        add_clusters(p, 3);
    p->count = 0;
}

/* A block that is too close, with the middle of its cube: its children are next. */
typedef struct open_block {
    uint32_t index;
    int32_t level;
    float middle[3];
} open_block;

static const float octant_sign[3][8] = {
    {-1, 1, -1, 1, -1, 1, -1, 1}, {-1, -1, 1, 1, -1, -1, 1, 1}, {-1, -1, -1, -1, 1, 1, 1, 1}};

/* Squared distances from the box of the patch to the middles of the eight children, of which `half`
 * is half the edge. */
VT_INLINE f8 child_distances(const patch *p, const float middle[3], float half)
{
    typedef int32_t i8 __attribute__((vector_size(32)));
    f8 sum = {0};
    for (int axis = 0; axis < 3; axis++) {
        const f8 apart = f8_load(octant_sign[axis]) * half + (middle[axis] - p->middle[axis]);
        const f8 beyond = (f8)((i8)apart & INT32_MAX) - p->half[axis];
        const f8 distance = (f8)((beyond > (f8){0}) & (i8)beyond);
        sum += distance * distance;
    }
    return sum;
}

/* Sums over all clusters. Blocks are taken whole where their edge is at most opening_angle x
 * distance, leaves always, the root never. */
static void sum_patch(patch *p, const boundary_work *w)
{
    const vt_moments *const tree = w->tree;
    const int root = tree->levels - 1;
    const float root_middle = 0.5f * (float)((tree->edge << root) - 1);
    open_block stack[VT_MOMENT_STACK];
    stack[0] = (open_block){.index = (uint32_t)tree->first[root],
                            .level = root,
                            .middle = {root_middle, root_middle, root_middle}};
    int height = 1;
    while (height) {
        const open_block block = stack[--height];
        const vt_cluster *const parent = &w->clusters[block.index];
        const uint32_t occupied = vti_occupied_children(parent), child = vti_first_child(parent);
        const float edge = (float)(tree->edge << (block.level - 1)), half = 0.5f * edge;
        float distance[8];
        f8_store(distance, child_distances(p, block.middle, half) * w->opening_angle_squared);
        for (uint32_t o = 0; o < 8; o++) {
            if (!(occupied >> o & 1))
                continue;
            if (block.level > 1 && distance[o] < edge * edge) {
                open_block *const next = &stack[height++];
                *next = (open_block){.index = child + o, .level = block.level - 1};
                for (int axis = 0; axis < 3; axis++)
                    next->middle[axis] = block.middle[axis] + half * octant_sign[axis][o];
                continue;
            }
            p->list[p->count++] = &w->clusters[child + o];
            if (p->count == LISTED)
                add_listed(p);
        }
    }
    add_listed(p);
}

/* Adds the potential of what lies outside the grid. */
static void add_outer(patch *p, const vt_moments *tree)
{
    for (int lane = 0; lane < TARGETS; lane += VL) {
        const vf x = vf_load(p->x[0] + lane), y = vf_load(p->x[1] + lane),
                 z = vf_load(p->x[2] + lane);
        vf sum = vf_load(p->sum[0] + lane);
        for (int64_t n = 0; n < tree->outer_count; n++) {
            const vt_outer_charge *const q = &tree->outer[n];
            const vf dx = x - q->position[0], dy = y - q->position[1], dz = z - q->position[2];
            const vf r2 = vf_max(vf_fma(dz, dz, vf_fma(dy, dy, dx * dx)), vf_set(q->square));
            sum += vf_set(q->charge) / vf_sqrt(r2);
        }
        vf_store(p->sum[0] + lane, sum);
    }
}

static void store_patch(const patch *p, const boundary_work *w, int face, int32_t u0, int32_t v0)
{
    int u, v;
    vti_face_axes(face, &u, &v);
    const int64_t pitch = w->axis[v].pitch;
    const f4 scale = f4_set((float)(0.07957747154594767 / w->grid->spacing)); /* 1 / (4 pi h) */
    for (int c = 0; c < p->components; c++)
        for (int a = 0; a < SIDE; a++)
            f4_store(w->lattice[face] + (c * w->axis[u].points + u0 + a) * pitch + v0,
                     f4_load(p->sum[c] + SIDE * a) * scale);
}

static void sum_one_patch(void *context, int64_t n)
{
    const boundary_work *const w = context;
    int face = 0, u, v;
    while (n >= w->first_patch[face + 1])
        face++;
    vti_face_axes(face, &u, &v);
    const int32_t along_v = w->axis[v].points / SIDE;
    const int32_t local = (int32_t)(n - w->first_patch[face]);
    const int32_t u0 = local / along_v * SIDE, v0 = local % along_v * SIDE;
    patch p;
    place_patch(&p, w, face, u0, v0);
    sum_patch(&p, w);
    if (p.components == 1)
        add_outer(&p, w->tree);
    store_patch(&p, w, face, u0, v0);
}

/* ---- faces from lattices ---- */

/* rows[v * pitch + u] at all nodes u and lattice points v, from lattice[u * v_pitch + v]. */
static void interpolate_u(const axis_lattice *u, const axis_lattice *v, const float *lattice,
                          float *rows, int64_t pitch)
{
    for (int64_t node = 0; node < pitch; node += VL)
        for (int64_t point = 0; point < v->pitch; point += VL) {
            vf r[VL];
            for (int n = 0; n < VL; n++) {
                const float *const from = lattice + u->base[node + n] * v->pitch + point;
                r[n] = vf_load(from) * u->weight[0][node + n];
                for (int a = 1; a < STENCIL; a++)
                    r[n] =
                        vf_fma(vf_load(from + a * v->pitch), vf_set(u->weight[a][node + n]), r[n]);
            }
            vf_transpose(r);
            for (int n = 0; n < VL; n++)
                vf_store(rows + (point + n) * pitch + node, r[n]);
        }
}

static void interpolate_v(const axis_lattice *v, int32_t nodes, const float *rows, int64_t pitch,
                          float *face, int64_t face_row)
{
    for (int32_t node = 0; node < nodes; node++) {
        const float *const from = rows + v->base[node] * pitch;
        for (int64_t u = 0; u < pitch; u += VL) {
            vf sum = vf_load(from + u) * v->weight[0][node];
            for (int a = 1; a < STENCIL; a++)
                sum = vf_fma(vf_load(from + a * pitch + u), vf_set(v->weight[a][node]), sum);
            vf_store(face + node * face_row + u, sum);
        }
    }
}

typedef struct interpolation_work {
    const boundary_work *boundary;
    float *rows; /* row_floats for each face and component */
    int64_t row_floats;
} interpolation_work;

static void interpolate_face(void *context, int64_t n)
{
    const interpolation_work *const i = context;
    const boundary_work *const w = i->boundary;
    const vt_grid *const grid = w->grid;
    const int components = vti_grid_components(grid);
    const int face = (int)n / components, component = (int)n % components;
    int u, v;
    vti_face_axes(face, &u, &v);
    const int64_t pitch = (grid->cells[u] + 16) / 16 * 16;
    float *const rows = i->rows + n * i->row_floats;
    interpolate_u(&w->axis[u], &w->axis[v],
                  w->lattice[face] + component * w->axis[u].points * w->axis[v].pitch, rows, pitch);
    interpolate_v(&w->axis[v], grid->cells[v] + 1, rows, pitch,
                  grid->face[face] + component * grid->face_plane, grid->face_row);
}

static void make_faces(boundary_work *w, vt_arena *arena, int threads)
{
    int32_t largest = 0, points = 0;
    for (int axis = 0; axis < 3; axis++) {
        largest = w->grid->cells[axis] > largest ? w->grid->cells[axis] : largest;
        points = w->axis[axis].pitch > points ? w->axis[axis].pitch : points;
    }
    interpolation_work i = {.boundary = w,
                            .row_floats = (int64_t)(largest + 16) / 16 * 16 * points};
    const int64_t parts = 6 * vti_grid_components(w->grid);
    i.rows = vti_arena_push(arena, (size_t)(i.row_floats * parts) * sizeof(float));
    vti_parallel_each(threads, parts, largest < FEW_CELLS ? parts : 1, interpolate_face, &i);
}

void VT_NAME(boundary_clusters)(vt_grid *grid, const vt_moments *tree, double opening_angle,
                                vt_arena *arena, int threads)
{
    const size_t mark = vti_arena_mark(arena);
    boundary_work w = {.grid = grid, .tree = tree, .clusters = tree->memory};
    w.opening_angle_squared = (float)(opening_angle * opening_angle);
    for (int axis = 0; axis < 3; axis++)
        make_axis_lattice(&w.axis[axis], grid->cells[axis], arena);
    for (int face = 0; face < 6; face++) {
        int u, v;
        vti_face_axes(face, &u, &v);
        const int32_t along_u = w.axis[u].points / SIDE, along_v = w.axis[v].points / SIDE;
        w.first_patch[face + 1] = w.first_patch[face] + along_u * along_v;
        w.lattice[face] = vti_arena_push(arena, (size_t)w.axis[u].points * (size_t)w.axis[v].pitch *
                                                    3 * sizeof(float));
    }
    vti_parallel_each(threads, w.first_patch[6], 1, sum_one_patch, &w);
    make_faces(&w, arena, threads);
    vti_arena_pop(arena, mark);
}
