/* Light inside the smoke, on nodes two cells apart. Key light: optical depth by one sweep of slices
 * away from the light, then two octaves of scattering, a^n p(g^n) exp(-b^n depth) (Wrenninge,
 * Kulla, Lundqvist 2013, "Oz: the great and volumetric"). Ambient light: six sweeps at quarter
 * resolution whose slices spread sideways, so that each sees a cone of the sky. */
#include "io/preview.h"

#include <math.h>
#include <stdlib.h>

#include "core/parallel.h"
#include "core/status.h"

#define OCTAVES 2
#define OCTAVE_GAIN 0.4f  /* a */
#define OCTAVE_DEPTH 0.3f /* b */
#define FORWARD 0.2f      /* g of Henyey and Greenstein, halved by every octave */
#define ROWS_AT_ONCE 8

/* A lattice of nodes, x fastest. */
typedef struct lattice {
    int64_t count[3], stride[3], nodes;
    float *value;
} lattice;

static void shape_lattice(lattice *l, const vt_bricks *bricks, int64_t per_brick)
{
    for (int axis = 0; axis < 3; axis++)
        l->count[axis] = per_brick * bricks->count[axis] + 1;
    l->stride[0] = 1;
    l->stride[1] = l->count[0];
    l->stride[2] = l->count[0] * l->count[1];
    l->nodes = l->stride[2] * l->count[2];
}

/* ---- density on coarser nodes: weights 1 2 1 along each axis ---- */

static float smooth_27(const float *centre, int64_t row, int64_t plane)
{
    float sum = 0.0f;
    for (int z = -1; z <= 1; z++)
        for (int y = -1; y <= 1; y++) {
            const float *const c = centre + z * plane + y * row;
            const float weight = (z ? 1.0f : 2.0f) * (y ? 1.0f : 2.0f);
            sum += weight * (c[-1] + 2.0f * c[0] + c[1]);
        }
    return sum * (1.0f / 64.0f);
}

typedef struct coarsening {
    const vt_bricks *bricks;
    lattice *half, *quarter;
} coarsening;

/* A brick owns its first 4 nodes along each axis; nodes of bricks that are not stored are empty. */
static void coarsen_bricks(void *context, int64_t begin, int64_t end, int thread)
{
    const coarsening *const c = context;
    const int64_t row = BRICK_SIDE, plane = BRICK_SIDE * BRICK_SIDE;
    (void)thread;
    for (int64_t b = begin; b < end; b++) {
        const int32_t *const place = c->bricks->place + 3 * b;
        const float *const cells = c->bricks->density + b * BRICK_VALUES;
        for (int64_t z = 0; z < 4; z++)
            for (int64_t y = 0; y < 4; y++) {
                float *const to = c->half->value + (4 * place[2] + z) * c->half->stride[2] +
                                  (4 * place[1] + y) * c->half->stride[1] + 4 * place[0];
                for (int64_t x = 0; x < 4; x++)
                    to[x] = smooth_27(cells + (2 * z + 1) * plane + (2 * y + 1) * row + 2 * x + 1,
                                      row, plane);
            }
    }
}

/* One plane of the quarter lattice. The outermost nodes are empty: smoke keeps away from them. */
static void coarsen_planes(void *context, int64_t begin, int64_t end, int thread)
{
    const coarsening *const c = context;
    const lattice *const from = c->half, *const to = c->quarter;
    (void)thread;
    for (int64_t k = begin < 1 ? 1 : begin; k < end && k < to->count[2] - 1; k++)
        for (int64_t j = 1; j < to->count[1] - 1; j++)
            for (int64_t i = 1; i < to->count[0] - 1; i++)
                to->value[k * to->stride[2] + j * to->stride[1] + i] =
                    smooth_27(from->value + 2 * (k * from->stride[2] + j * from->stride[1] + i),
                              from->stride[1], from->stride[2]);
}

/* ---- sweeps: slice after slice along one axis, rows of a slice in parallel ---- */

/* Slices lie across `axis`; u and v are the other two axes. A slice has an empty rim of one node,
 * so that its neighbours may be read without asking. */
typedef struct sweep {
    const lattice *from;
    int axis, u, v;
    int64_t slice, pitch; /* the slice in work; nodes from row to row of a slice buffer */
    float *before, *now;  /* first node of the slice nearer to the light, and of this one */
    float depth;          /* optical depth of one slice per unit of density */
    float shift[2];       /* towards the light by one slice: nodes along u and v */
    float *half_depth;    /* key: depth at the nodes, may be from->value */
    f4 *ambient, color;   /* ambient: what this direction adds to */
} sweep;

static void sweep_along(sweep *s, _Bool upward, int threads, vt_block_function *rows, float *memory,
                        float outside)
{
    const lattice *const l = s->from;
    s->u = s->axis == 0 ? 1 : 0;
    s->v = s->axis == 2 ? 1 : 2;
    s->pitch = l->count[s->u] + 2;
    const int64_t size = s->pitch * (l->count[s->v] + 2), first = s->pitch + 1;
    for (int64_t i = 0; i < 2 * size; i++)
        memory[i] = outside;
    for (int64_t n = 0; n < l->count[s->axis]; n++) {
        s->slice = upward ? n : l->count[s->axis] - 1 - n;
        s->before = memory + (n & 1) * size + first;
        s->now = memory + (~n & 1) * size + first;
        vt_parallel_for(threads, l->count[s->v], ROWS_AT_ONCE, rows, s);
    }
}

/* Optical depth: that of the nearer slice where the way to the light meets it, and this slice's. */
static void sweep_depth(void *context, int64_t begin, int64_t end, int thread)
{
    const sweep *const s = context;
    const lattice *const l = s->from;
    const int64_t to_u = s->shift[0] < 0.0f ? -1 : 1,
                  to_v = s->shift[1] < 0.0f ? -s->pitch : s->pitch;
    const float wu = fabsf(s->shift[0]), wv = fabsf(s->shift[1]);
    (void)thread;
    for (int64_t v = begin; v < end; v++) {
        const int64_t start = s->slice * l->stride[s->axis] + v * l->stride[s->v];
        for (int64_t u = 0; u < l->count[s->u]; u++) {
            const float *const b = s->before + v * s->pitch + u;
            const int64_t node = start + u * l->stride[s->u];
            const float near = b[0] + wu * (b[to_u] - b[0]);
            const float far = b[to_v] + wu * (b[to_v + to_u] - b[to_v]);
            const float own = s->depth * l->value[node], depth = near + wv * (far - near);
            s->half_depth[node] = depth + 0.5f * own;
            s->now[v * s->pitch + u] = depth + own;
        }
    }
}

/* Transmittance: the mean of the nearer slice's with weights 1 2 1, and this slice's own. */
static void sweep_ambient(void *context, int64_t begin, int64_t end, int thread)
{
    const sweep *const s = context;
    const lattice *const l = s->from;
    (void)thread;
    for (int64_t v = begin; v < end; v++) {
        const int64_t start = s->slice * l->stride[s->axis] + v * l->stride[s->v];
        for (int64_t u = 0; u < l->count[s->u]; u++) {
            const float *const b = s->before + v * s->pitch + u, *const low = b - s->pitch,
                               *const high = b + s->pitch;
            const int64_t node = start + u * l->stride[s->u];
            const float seen = (low[-1] + 2.0f * low[0] + low[1] + 2.0f * b[-1] + 4.0f * b[0] +
                                2.0f * b[1] + high[-1] + 2.0f * high[0] + high[1]) *
                               (1.0f / 16.0f);
            const float half =
                l->value[node] > 0.0f ? vt_decay(-0.5f * s->depth * l->value[node]) : 1.0f;
            s->ambient[node] += f4_set(seen * half) * s->color;
            s->now[v * s->pitch + u] = seen * half * half;
        }
    }
}

/* ---- the two lights ---- */

typedef struct lighting {
    vt_bricks *bricks;
    const vt_preview_def *def;
    const lattice *half, *quarter;  /* half: optical depth towards the key light */
    f4 *ambient;                    /* on the quarter lattice */
    float key_direction[3], eye[3]; /* eye in cells */
} lighting;

static f4 color_of(const double color[3], double scale)
{
    return (f4){(float)(color[0] * scale), (float)(color[1] * scale), (float)(color[2] * scale), 0};
}

/* In place: density becomes optical depth towards the light. */
static void sweep_key(lighting *lit, lattice *half, double node_depth, float *memory, int threads)
{
    const float *const d = lit->key_direction;
    int axis = 2;
    for (int other = 0; other < 2; other++)
        if (fabsf(d[other]) > fabsf(d[axis]))
            axis = other;
    sweep s = {.from = half, .axis = axis, .half_depth = half->value};
    s.depth = (float)(node_depth / (double)fabsf(d[axis]));
    s.shift[0] = d[axis == 0 ? 1 : 0] / fabsf(d[axis]);
    s.shift[1] = d[axis == 2 ? 1 : 2] / fabsf(d[axis]);
    sweep_along(&s, d[axis] < 0.0f, threads, sweep_depth, memory, 0.0f);
}

/* Sky from above, ground from below, their mean from the four sides. */
static void sweep_sky(lighting *lit, double node_depth, float *memory, int threads)
{
    const f4 sky = color_of(lit->def->sky_color, 1.0 / 6.0);
    const f4 ground = color_of(lit->def->ground_color, 1.0 / 6.0);
    for (int side = 0; side < 6; side++) {
        sweep s = {.from = lit->quarter, .axis = side / 2, .ambient = lit->ambient};
        const _Bool upward = side % 2 == 0;
        s.depth = (float)node_depth;
        s.color = side == 4 ? ground : side == 5 ? sky : f4_set(0.5f) * (sky + ground);
        sweep_along(&s, upward, threads, sweep_ambient, memory, 1.0f);
    }
}

/* Henyey and Greenstein, 1 where the scattering is isotropic. */
static float phase(float g, float cosine)
{
    const float square = 1.0f + g * g - 2.0f * g * cosine;
    return (1.0f - g * g) / (square * f1_sqrt(square));
}

static float scattered_key(const lighting *lit, const float node[3], float depth)
{
    const float way[3] = {node[0] - lit->eye[0], node[1] - lit->eye[1], node[2] - lit->eye[2]};
    const float length = f1_sqrt(way[0] * way[0] + way[1] * way[1] + way[2] * way[2]) + 1e-6f;
    const float *const d = lit->key_direction;
    const float cosine = (way[0] * d[0] + way[1] * d[1] + way[2] * d[2]) / length;
    float sum = 0.0f, gain = 1.0f, reach = 1.0f, g = FORWARD;
    for (int octave = 0; octave < OCTAVES; octave++) {
        sum += gain * phase(g, cosine) * vt_decay(-reach * depth);
        gain *= OCTAVE_GAIN;
        reach *= OCTAVE_DEPTH;
        g *= 0.5f;
    }
    return sum;
}

/* The ambient light at a half node: the mean of the quarter nodes around it. */
static f4 ambient_at(const lighting *lit, int64_t i, int64_t j, int64_t k)
{
    const lattice *const q = lit->quarter;
    f4 sum = f4_set(0.0f);
    for (int corner = 0; corner < 8; corner++)
        sum += lit->ambient[((k + (corner >> 2)) >> 1) * q->stride[2] +
                            ((j + ((corner >> 1) & 1)) >> 1) * q->stride[1] +
                            ((i + (corner & 1)) >> 1)];
    return sum * f4_set(0.125f);
}

static void light_nodes(void *context, int64_t begin, int64_t end, int thread)
{
    const lighting *const lit = context;
    const f4 key = color_of(lit->def->key_color, 1.0);
    (void)thread;
    for (int64_t b = begin; b < end; b++) {
        const int32_t *const place = lit->bricks->place + 3 * b;
        f4 *light = lit->bricks->light + b * LIGHT_NODES;
        for (int64_t k = 4 * place[2]; k <= 4 * place[2] + 4; k++)
            for (int64_t j = 4 * place[1]; j <= 4 * place[1] + 4; j++)
                for (int64_t i = 4 * place[0]; i <= 4 * place[0] + 4; i++) {
                    const float node[3] = {2.0f * (float)i, 2.0f * (float)j, 2.0f * (float)k};
                    const float depth =
                        lit->half->value[k * lit->half->stride[2] + j * lit->half->stride[1] + i];
                    *light++ =
                        f4_set(scattered_key(lit, node, depth)) * key + ambient_at(lit, i, j, k);
                }
    }
}

static int64_t most_of_slice(const lattice *l)
{
    const int64_t x = l->count[0] + 2, y = l->count[1] + 2, z = l->count[2] + 2;
    const int64_t xy = x * y, xz = x * z, yz = y * z;
    return xy > xz ? (xy > yz ? xy : yz) : (xz > yz ? xz : yz);
}

static void light_all(lighting *lit, lattice *half, lattice *quarter, double extinction,
                      float *memory, int threads)
{
    vt_bricks *const bricks = lit->bricks;
    coarsening c = {bricks, half, quarter};
    const double *const d = lit->def->key_direction;
    const double length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    for (int axis = 0; axis < 3; axis++) {
        lit->key_direction[axis] = (float)(d[axis] / length);
        lit->eye[axis] = (float)((lit->def->eye[axis] - bricks->origin[axis]) / bricks->cell);
    }
    vt_parallel_for(threads, bricks->stored, 64, coarsen_bricks, &c);
    vt_parallel_for(threads, quarter->count[2], 1, coarsen_planes, &c);
    sweep_sky(lit, 4.0 * bricks->cell * extinction, memory, threads);
    sweep_key(lit, half, 2.0 * bricks->cell * extinction, memory, threads);
    vt_parallel_for(threads, bricks->stored, 16, light_nodes, lit);
}

vt_status vt_light_bricks(vt_bricks *bricks, const vt_preview_def *def, double extinction,
                          int threads)
{
    if (bricks->stored == 0)
        return VT_OK;
    lattice half, quarter;
    shape_lattice(&half, bricks, 4);
    shape_lattice(&quarter, bricks, 2);
    half.value = calloc((size_t)half.nodes, sizeof(float));
    quarter.value = calloc((size_t)quarter.nodes, sizeof(float));
    lighting lit = {.bricks = bricks, .def = def, .half = &half, .quarter = &quarter};
    lit.ambient = aligned_alloc(64, ((size_t)quarter.nodes * sizeof(f4) + 63) / 64 * 64);
    float *const memory = malloc(2 * (size_t)most_of_slice(&half) * sizeof(float));
    bricks->light =
        aligned_alloc(64, ((size_t)bricks->stored * LIGHT_NODES * sizeof(f4) + 63) / 64 * 64);
    const _Bool enough = half.value && quarter.value && lit.ambient && memory && bricks->light;
    if (enough) {
        memset(lit.ambient, 0, (size_t)quarter.nodes * sizeof(f4));
        light_all(&lit, &half, &quarter, extinction, memory, threads);
    }
    free(half.value);
    free(quarter.value);
    free(lit.ambient);
    free(memory);
    return enough ? VT_OK : vt_fail(VT_OUT_OF_MEMORY, "no memory for the light of a preview");
}
