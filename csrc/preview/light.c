#include "preview/light.h"

#include "base/decay.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/status.h"
#include "preview/surroundings.h"

#define OCTAVES 2
#define OCTAVE_GAIN 0.4f  /* a */
#define OCTAVE_DEPTH 0.3f /* b */
#define FORWARD 0.2f      /* g of Henyey and Greenstein, halved by every octave */
#define OFF_WALLS 0.01    /* cells: more than rounding, less than is seen */

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
    for (int p = -1; p <= 1; p++)
        for (int r = -1; r <= 1; r++) {
            const float *const c = centre + p * plane + r * row;
            const float weight = (p ? 1.0f : 2.0f) * (r ? 1.0f : 2.0f);
            sum += weight * (c[-1] + 2.0f * c[0] + c[1]);
        }
    return sum * (1.0f / 64.0f);
}

typedef struct coarsening {
    const vt_bricks *bricks;
    const float *values; /* as the bricks have them */
    const lattice *half, *quarter;
} coarsening;

/* A brick owns its first 4 nodes along each axis; nodes of bricks that are not stored are empty. */
static void coarsen_brick(void *context, int64_t b)
{
    const coarsening *const c = context;
    const int32_t *const place = c->bricks->place + 3 * b;
    const float *const cells = c->values + b * BRICK_VALUES;
    for (int z = 0; z < 4; z++)
        for (int y = 0; y < 4; y++) {
            float *const to = c->half->value + (4 * place[2] + z) * c->half->stride[2] +
                              (4 * place[1] + y) * c->half->stride[1] + 4 * place[0];
            for (int x = 0; x < 4; x++)
                to[x] = smooth_27(cells + vti_brick_cell(2 * x, 2 * y, 2 * z), BRICK_SIDE,
                                  BRICK_SIDE * BRICK_SIDE);
        }
}

/* One plane of the quarter lattice. The outermost nodes are empty: smoke keeps away from them. */
static void coarsen_planes(void *context, int64_t begin, int64_t end)
{
    const coarsening *const c = context;
    const lattice *const from = c->half, *const to = c->quarter;
    for (int64_t k = begin < 1 ? 1 : begin; k < end && k < to->count[2] - 1; k++)
        for (int64_t j = 1; j < to->count[1] - 1; j++)
            for (int64_t i = 1; i < to->count[0] - 1; i++)
                to->value[k * to->stride[2] + j * to->stride[1] + i] =
                    smooth_27(from->value + 2 * (k * from->stride[2] + j * from->stride[1] + i),
                              from->stride[1], from->stride[2]);
}

static void coarsen(coarsening *c, int threads)
{
    vti_parallel_each(threads, c->bricks->stored, 64, coarsen_brick, c);
    vti_parallel_for(threads, c->quarter->count[2], 4, coarsen_planes, c);
}

/* ---- sweeps: slice after slice along one axis; each sweep is one task ---- */

/* Slices lie across `axis`; u and v are the other two axes. A slice has a rim of one node that sees
 * all the light, so that neighbours may be read without asking. */
typedef struct sweep {
    const lattice *from; /* density */
    float *to;           /* the result at the nodes of `from`; may be the density itself */
    float *memory;       /* two slices */
    int axis, u, v;
    int64_t slice, pitch; /* the slice in work; nodes from row to row of a slice in memory */
    float *before, *now;  /* first node of the slice nearer to the light, and of this one */
    float depth;          /* optical depth of one slice per unit of density */
    float gain;           /* ambient: what counts of this octave */
    float shift[2];       /* key: towards the light by one slice, nodes along u and v */
} sweep;

static void sweep_slices(sweep *s, _Bool upward, float outside, void slice(const sweep *s))
{
    const lattice *const l = s->from;
    s->u = s->axis == 0 ? 1 : 0;
    s->v = s->axis == 2 ? 1 : 2;
    s->pitch = l->count[s->u] + 2;
    const int64_t size = s->pitch * (l->count[s->v] + 2), first = s->pitch + 1;
    for (int64_t i = 0; i < 2 * size; i++)
        s->memory[i] = outside;
    for (int64_t n = 0; n < l->count[s->axis]; n++) {
        s->slice = upward ? n : l->count[s->axis] - 1 - n;
        s->before = s->memory + (n & 1) * size + first;
        s->now = s->memory + (~n & 1) * size + first;
        slice(s);
    }
}

/* Optical depth: that of the nearer slice where the way to the light meets it, and this slice's. */
static void key_slice(const sweep *s)
{
    const lattice *const l = s->from;
    const int64_t to_u = s->shift[0] < 0.0f ? -1 : 1;
    const int64_t to_v = s->shift[1] < 0.0f ? -s->pitch : s->pitch;
    const float wu = __builtin_fabsf(s->shift[0]), wv = __builtin_fabsf(s->shift[1]);
    for (int64_t v = 0; v < l->count[s->v]; v++) {
        const int64_t start = s->slice * l->stride[s->axis] + v * l->stride[s->v];
        const float *const b = s->before + v * s->pitch;
        for (int64_t u = 0; u < l->count[s->u]; u++) {
            const int64_t node = start + u * l->stride[s->u];
            const float near = b[u] + wu * (b[u + to_u] - b[u]);
            const float far = b[u + to_v] + wu * (b[u + to_v + to_u] - b[u + to_v]);
            const float own = s->depth * l->value[node], depth = near + wv * (far - near);
            s->to[node] = depth + 0.5f * own;
            s->now[v * s->pitch + u] = depth + own;
        }
    }
}

/* Transmittance: the mean of the nearer slice's with weights 1 2 1, and this slice's own. */
static void ambient_slice(const sweep *s)
{
    const lattice *const l = s->from;
    for (int64_t v = 0; v < l->count[s->v]; v++) {
        const int64_t start = s->slice * l->stride[s->axis] + v * l->stride[s->v];
        const float *const b = s->before + v * s->pitch, *const low = b - s->pitch,
                           *const high = b + s->pitch;
        for (int64_t u = 0; u < l->count[s->u]; u++) {
            const int64_t node = start + u * l->stride[s->u];
            const float left = low[u - 1] + 2.0f * b[u - 1] + high[u - 1];
            const float middle = low[u] + 2.0f * b[u] + high[u];
            const float right = low[u + 1] + 2.0f * b[u + 1] + high[u + 1];
            const float seen = (left + 2.0f * middle + right) * (1.0f / 16.0f);
            const float half = vti_decay(-0.5f * s->depth * l->value[node]);
            s->to[node] += s->gain * (seen * half);
            s->now[v * s->pitch + u] = seen * half * half;
        }
    }
}

/* ---- the two lights ---- */

typedef struct lighting {
    vt_bricks *bricks;
    const vt_stage *stage;
    const vt_preview_def *def;
    lattice half, quarter; /* half: density, then optical depth towards the key light */
    float *sides;          /* ambient light from 6 sides on the quarter lattice, one by one */
    f4 *ambient;           /* and their sum in colour */
    float *memory;         /* slices: of the key sweep, then of each side */
    int64_t key_memory, side_memory;
    float key_direction[3], eye[3];        /* eye in cells */
    float key_node_depth, side_node_depth; /* optical depth per unit of density between nodes */
} lighting;

/* In place: density becomes optical depth towards the light. */
static void sweep_key(const lighting *lit)
{
    const float *const d = lit->key_direction;
    int axis = 2;
    for (int other = 0; other < 2; other++)
        if (__builtin_fabsf(d[other]) > __builtin_fabsf(d[axis]))
            axis = other;
    sweep s = {.from = &lit->half, .to = lit->half.value, .memory = lit->memory, .axis = axis};
    s.depth = lit->key_node_depth / __builtin_fabsf(d[axis]);
    s.shift[0] = d[axis == 0 ? 1 : 0] / __builtin_fabsf(d[axis]);
    s.shift[1] = d[axis == 2 ? 1 : 2] / __builtin_fabsf(d[axis]);
    sweep_slices(&s, d[axis] < 0.0f, 0.0f, key_slice);
}

/* Side 2 axis: from below that axis; 2 axis + 1: from above. The octaves are those of the key. */
static void sweep_side(const lighting *lit, int64_t side)
{
    sweep s = {.from = &lit->quarter, .axis = (int)side / 2, .gain = 1.0f};
    s.to = lit->sides + side * lit->quarter.nodes;
    s.memory = lit->memory + lit->key_memory + side * lit->side_memory;
    s.depth = lit->side_node_depth;
    for (int octave = 0; octave < OCTAVES; octave++) {
        sweep_slices(&s, side % 2 == 0, 1.0f, ambient_slice);
        s.gain *= OCTAVE_GAIN;
        s.depth *= OCTAVE_DEPTH;
    }
}

static void sweep_light(void *context, int64_t task)
{
    const lighting *const lit = context;
    if (task == 0)
        sweep_key(lit);
    else
        sweep_side(lit, task - 1);
}

/* What comes from each side. */
static void color_ambient(void *context, int64_t begin, int64_t end)
{
    const lighting *const lit = context;
    const int64_t nodes = lit->quarter.nodes;
    f4 color[6];
    for (int side = 0; side < 6; side++) {
        double outwards[3] = {0, 0, 0};
        outwards[side / 2] = side % 2 ? 1 : -1;
        color[side] =
            f4_set(1.0f / 6.0f) * vti_surrounding_light(&lit->stage->surroundings, outwards);
    }
    for (int64_t i = begin; i < end; i++) {
        f4 sum = f4_set(0.0f);
        for (int side = 0; side < 6; side++)
            sum += f4_set(lit->sides[side * nodes + i]) * color[side];
        lit->ambient[i] = sum;
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
        sum += gain * phase(g, cosine) * vti_decay(-reach * depth);
        gain *= OCTAVE_GAIN;
        reach *= OCTAVE_DEPTH;
        g *= 0.5f;
    }
    return sum;
}

/* The ambient light at a half node: the mean of the quarter nodes around it. */
static f4 ambient_at(const lighting *lit, int64_t i, int64_t j, int64_t k)
{
    const int64_t *const stride = lit->quarter.stride;
    f4 sum = f4_set(0.0f);
    for (int corner = 0; corner < 8; corner++)
        sum +=
            lit->ambient[((k + (corner >> 2)) >> 1) * stride[2] +
                         ((j + ((corner >> 1) & 1)) >> 1) * stride[1] + ((i + (corner & 1)) >> 1)];
    return sum * f4_set(0.125f);
}

/* Whether no body shades a node, in cells. */
static _Bool key_comes_to(const lighting *lit, const float node[3])
{
    const vt_bricks *const bricks = lit->bricks;
    double point[3];
    if (lit->stage->count == 0)
        return 1;
    for (int axis = 0; axis < 3; axis++)
        point[axis] = bricks->origin[axis] + bricks->cell * (double)node[axis];
    return vti_key_comes_to(lit->stage, point, OFF_WALLS * bricks->cell);
}

static void light_brick(void *context, int64_t b)
{
    const lighting *const lit = context;
    const f4 key = vti_color(lit->def->key_color, 1.0);
    const int64_t *const stride = lit->half.stride;
    const int32_t *const place = lit->bricks->place + 3 * b;
    f4 *light = lit->bricks->light + b * LIGHT_NODES;
    for (int64_t k = 4 * place[2]; k <= 4 * place[2] + 4; k++)
        for (int64_t j = 4 * place[1]; j <= 4 * place[1] + 4; j++)
            for (int64_t i = 4 * place[0]; i <= 4 * place[0] + 4; i++) {
                const float node[3] = {2.0f * (float)i, 2.0f * (float)j, 2.0f * (float)k};
                const float depth = lit->half.value[k * stride[2] + j * stride[1] + i];
                *light = ambient_at(lit, i, j, k);
                if (key_comes_to(lit, node))
                    *light += f4_set(scattered_key(lit, node, depth)) * key;
                light++;
            }
}

static void light_all(lighting *lit, int threads)
{
    coarsening c = {lit->bricks, lit->bricks->density, &lit->half, &lit->quarter};
    coarsen(&c, threads);
    vti_parallel_each(threads, 7, 1, sweep_light, lit);
    vti_parallel_for(threads, lit->quarter.nodes, 4096, color_ambient, lit);
}

/* ---- fire ---- */

/* Adds the light of the fire to the ambient light. */
static _Bool add_fire(lighting *lit, const vt_fire *fire, int threads)
{
    const int64_t nodes = lit->quarter.nodes;
    lattice half = lit->half, glow = lit->quarter, warmth = lit->quarter;
    f4 *const source = vti_allocate_lines((size_t)nodes * sizeof *source);
    half.value = vti_allocate_zeroed((size_t)half.nodes, sizeof(float));
    glow.value = vti_allocate_zeroed((size_t)nodes, sizeof(float));
    warmth.value = vti_allocate_zeroed((size_t)nodes, sizeof(float));
    _Bool enough = source && half.value && glow.value && warmth.value;
    if (enough) {
        coarsening c = {lit->bricks, lit->bricks->glow, &half, &glow};
        coarsen(&c, threads);
        c = (coarsening){lit->bricks, lit->bricks->warmth, &half, &warmth};
        coarsen(&c, threads);
        for (int64_t i = 0; i < nodes; i++) {
            const float kelvin = glow.value[i] > 0.0f ? warmth.value[i] / glow.value[i] : 0.0f;
            const float power = glow.value[i] * vti_black_body_power(kelvin);
            source[i] =
                f4_set((float)fire->emission * power) * vti_black_body_color(&fire->body, kelvin);
        }
        const double spacing = 4.0 * lit->bricks->cell;
        enough = vti_add_fire_light(lit->quarter.count, spacing, source, lit->ambient, threads);
    }
    vti_free(source);
    vti_free(half.value);
    vti_free(glow.value);
    vti_free(warmth.value);
    return enough;
}

/* ---- memory ---- */

/* Values of the two largest slices of a lattice, with their rims. */
static int64_t two_slices(const lattice *l)
{
    const int64_t x = l->count[0] + 2, y = l->count[1] + 2, z = l->count[2] + 2;
    const int64_t xy = x * y, xz = x * z, yz = y * z;
    return 2 * (xy > xz ? (xy > yz ? xy : yz) : (xz > yz ? xz : yz));
}

static _Bool allocate_light(lighting *lit)
{
    lit->key_memory = two_slices(&lit->half);
    lit->side_memory = two_slices(&lit->quarter);
    lit->memory = vti_allocate((size_t)(lit->key_memory + 6 * lit->side_memory) * sizeof(float));
    lit->half.value = vti_allocate_zeroed((size_t)lit->half.nodes, sizeof(float));
    lit->quarter.value = vti_allocate_zeroed((size_t)lit->quarter.nodes, sizeof(float));
    lit->sides = vti_allocate_zeroed((size_t)lit->quarter.nodes, 6 * sizeof(float));
    lit->ambient = vti_allocate_lines((size_t)lit->quarter.nodes * sizeof(f4));
    lit->bricks->light = vti_allocate_lines((size_t)lit->bricks->stored * LIGHT_NODES * sizeof(f4));
    return lit->memory && lit->half.value && lit->quarter.value && lit->sides && lit->ambient &&
           lit->bricks->light;
}

vt_status vti_light_bricks(vt_bricks *bricks, const vt_stage *stage, const vt_preview_def *def,
                           double extinction, const vt_fire *fire, int threads)
{
    if (bricks->stored == 0)
        return VT_OK;
    lighting lit = {.bricks = bricks, .stage = stage, .def = def};
    for (int axis = 0; axis < 3; axis++) {
        lit.key_direction[axis] = (float)stage->surroundings.key_direction[axis];
        lit.eye[axis] = (float)((def->eye[axis] - bricks->origin[axis]) / bricks->cell);
    }
    lit.key_node_depth = (float)(2.0 * bricks->cell * extinction);
    lit.side_node_depth = (float)(4.0 * bricks->cell * extinction);
    shape_lattice(&lit.half, bricks, 4);
    shape_lattice(&lit.quarter, bricks, 2);
    _Bool enough = allocate_light(&lit);
    if (enough)
        light_all(&lit, threads);
    if (enough && fire->emission > 0.0)
        enough = add_fire(&lit, fire, threads);
    if (enough)
        vti_parallel_each(threads, bricks->stored, 16, light_brick, &lit);
    vti_free(lit.memory);
    bricks->shade = lit.half.value;
    vti_free(lit.quarter.value);
    vti_free(lit.sides);
    vti_free(lit.ambient);
    return enough ? VT_OK : vti_fail(VT_OUT_OF_MEMORY, "no memory for the light of a preview");
}
