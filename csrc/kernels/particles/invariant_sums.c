/* Sums over the vortons that a flow keeps, and the strengths that give them back.
 *
 * The least change of the strengths, sum |change|^2 / w, that gives the sums what they lack is
 *
 *   change_j = w (a_j + x_i b_ij + (c cross x) cross x),   w = min(|alpha|^2, cap)
 *
 * with the 15 numbers a, b, c from the normal equations, whose matrix needs the moments of w to
 * degree four. By |alpha|^2 alone the strongest vortons would grow by the largest share, and ever
 * faster; in proportion to |alpha| still as fast as they have grown. */
#include "kernels/particles/invariant_sums.h"

#include "base/vec3.h"

enum { PARTS = VT_LANES / VL, DOUBLES = 8 };

typedef struct context {
    const float *position;
    float *strength;
    const vt_frame *frame;
    vt_invariants *block;
    const float *share;
} context;

/* VL vortons: x in the frame, alpha. */
typedef struct sample {
    vf x[3], a[3];
} sample;

/* The last rows of an array, and zeros. */
typedef struct padded {
    float position[3 * VT_LANES], strength[3 * VT_LANES];
} padded;

static void pad(padded *p, const float *position, const float *strength, int64_t left)
{
    memset(p, 0, sizeof *p);
    memcpy(p->position, position, 12 * (size_t)left);
    memcpy(p->strength, strength, 12 * (size_t)left);
}

VT_INLINE void load(const vt_frame *frame, const float *position, const float *strength, sample *s)
{
    const vf inverse = vf_set(1 / frame->length);
    vti_load_rows(position, s->x);
    vti_load_rows(strength, s->a);
    for (int c = 0; c < 3; c++)
        s->x[c] = (s->x[c] - vf_set(frame->center[c])) * inverse;
}

/* Lanes in a fixed order. */
static double fold(const vf lanes[PARTS])
{
    float v[VT_LANES];
    double sum = 0;
    memcpy(v, lanes, sizeof v);
    for (int l = 0; l < VT_LANES; l++)
        sum += (double)v[l];
    return sum;
}

VT_INLINE void add_sums(const sample *s, int part, vf sum[VT_INVARIANTS][PARTS])
{
    vf linear[3], angular[3];
    vf_cross(s->x, s->a, linear);
    vf_cross(s->x, linear, angular);
    for (int c = 0; c < 3; c++) {
        sum[c][part] += s->a[c];
        for (int i = 0; i < 3; i++)
            sum[3 + 3 * i + c][part] = vf_fma(s->x[i], s->a[c], sum[3 + 3 * i + c][part]);
        sum[c + 12][part] += angular[c];
    }
}

VT_INLINE vf find_weight(const vt_frame *frame, const sample *s)
{
    return vf_min(vf_dot(s->a, s->a), vf_set(frame->cap));
}

/* Each degree from the last one: by x, then by y what has no x, then by z what has neither. */
VT_INLINE void add_moments(const sample *s, vf weight, int part, int most,
                           vf moment[VT_MONOMIALS][PARTS])
{
    vf m[VT_MONOMIALS];
    m[0] = weight;
    int from = 0, to = 1;
#pragma GCC unroll 5
    for (int degree = 1; degree <= most; degree++) {
        const int count = degree * (degree + 1) / 2;
#pragma GCC unroll 10
        for (int n = 0; n < count; n++)
            m[to + n] = m[from + n] * s->x[0];
#pragma GCC unroll 4
        for (int n = 0; n < degree; n++)
            m[to + count + n] = m[to - degree + n] * s->x[1];
        m[to + count + degree] = m[to - 1] * s->x[2];
        from = to;
        to += count + degree + 1;
    }
#pragma GCC unroll 35
    for (int n = 0; n < to; n++)
        moment[n][part] += m[n];
}

VT_INLINE void sum_rows(const context *c, int64_t begin, int64_t end, int degree)
{
    vf sum[VT_INVARIANTS][PARTS], moment[VT_MONOMIALS][PARTS];
    memset(sum, 0, sizeof sum);
    memset(moment, 0, sizeof moment);
    for (int64_t i = begin; i < end; i += VT_LANES) {
        const float *position = c->position + 3 * i, *strength = c->strength + 3 * i;
        padded rest;
        if (end - i < VT_LANES) {
            pad(&rest, position, strength, end - i);
            position = rest.position;
            strength = rest.strength;
        }
        for (int p = 0; p < PARTS; p++) {
            sample s;
            load(c->frame, position + 3 * VL * p, strength + 3 * VL * p, &s);
            add_sums(&s, p, sum);
            if (degree > 0)
                add_moments(&s, find_weight(c->frame, &s), p, degree, moment);
        }
    }
    vt_invariants *const block = c->block + begin / VT_INVARIANT_BLOCK;
    for (int n = 0; n < VT_INVARIANTS; n++)
        block->sum[n] = fold(sum[n]);
    for (int n = 0; n < VT_MONOMIALS && degree > 0; n++)
        block->moment[n] = fold(moment[n]);
}

static void sum_block(void *data, int64_t begin, int64_t end)
{
    sum_rows(data, begin, end, 0);
}

static void sum_block_to_one(void *data, int64_t begin, int64_t end)
{
    sum_rows(data, begin, end, 1);
}

static void sum_block_to_four(void *data, int64_t begin, int64_t end)
{
    sum_rows(data, begin, end, 4);
}

void VT_NAME(sum_invariants)(int64_t count, const float *position, const float *strength,
                             const vt_frame *frame, int degree, vt_invariants *block, int threads)
{
    context c = {position, (float *)strength, frame, block, NULL};
    vti_parallel_for(threads, count, VT_INVARIANT_BLOCK,
                     degree > 1   ? sum_block_to_four
                     : degree > 0 ? sum_block_to_one
                                  : sum_block,
                     &c);
}

/* ---- what is missing is shared out ---- */

VT_INLINE void share_lanes(const context *c, const float *position, float *strength)
{
    sample s;
    vf axis[3], around[3], turned[3];
    load(c->frame, position, strength, &s);
    for (int k = 0; k < 3; k++)
        axis[k] = vf_set(c->share[k + 12]);
    vf_cross(axis, s.x, around);
    vf_cross(around, s.x, turned);
    const vf weight = find_weight(c->frame, &s);
    for (int j = 0; j < 3; j++) {
        vf share = vf_set(c->share[j]) + turned[j];
        for (int i = 0; i < 3; i++)
            share = vf_fma(s.x[i], vf_set(c->share[3 + 3 * i + j]), share);
        s.a[j] = vf_fma(weight, share, s.a[j]);
    }
    vti_store_rows(strength, s.a);
}

static void share_block(void *data, int64_t begin, int64_t end)
{
    const context *const c = data;
    for (int64_t i = begin; i < end; i += VL) {
        if (end - i >= VL) {
            share_lanes(c, c->position + 3 * i, c->strength + 3 * i);
            continue;
        }
        padded rest;
        pad(&rest, c->position + 3 * i, c->strength + 3 * i, end - i);
        share_lanes(c, rest.position, rest.strength);
        memcpy(c->strength + 3 * i, rest.strength, 12 * (size_t)(end - i));
    }
}

void VT_NAME(share_invariants)(int64_t count, const float *position, float *strength,
                               const vt_frame *frame, const float share[VT_INVARIANTS], int threads)
{
    context c = {position, strength, frame, NULL, share};
    vti_parallel_for(threads, count, VT_INVARIANT_BLOCK, share_block, &c);
}

/* ---- weight ---- */

typedef struct weight_context {
    const vt_weight_rows *rows;
    const vt_fluid *fluid;
    const vt_frame *frame;
    double dt;
    vt_weights *block;
} weight_context;

/* The last rows, the very last of them repeated without a volume. */
typedef struct padded_rows {
    float position[3 * VT_LANES], velocity[3 * VT_LANES];
    float volume[VT_LANES], density[VT_LANES], temperature[VT_LANES], age[VT_LANES];
} padded_rows;

static vt_weight_rows pad_rows(const vt_weight_rows *rows, int64_t i, int64_t end, padded_rows *p)
{
    for (int64_t l = 0; l < VT_LANES; l++) {
        const int64_t row = i + l < end ? i + l : end - 1;
        memcpy(p->position + 3 * l, rows->position + 3 * row, 12);
        memcpy(p->velocity + 3 * l, rows->velocity + 3 * row, 12);
        p->volume[l] = i + l < end ? rows->volume[row] : 0;
        p->density[l] = rows->density ? rows->density[row] : 0;
        p->temperature[l] = rows->temperature ? rows->temperature[row] : 0;
        p->age[l] = rows->age[row];
    }
    return (vt_weight_rows){p->position,
                            p->velocity,
                            p->volume,
                            rows->density ? p->density : NULL,
                            rows->temperature ? p->temperature : NULL,
                            p->age,
                            {rows->wind[0], rows->wind[1], rows->wind[2]}};
}

/* VL rows from i on: V rho' / rho0 times the share of the substep that the vorton was there, and
 * that times where it was halfway, as seen from what moves with the wind. */
VT_INLINE void add_weights(const weight_context *c, const vt_weight_rows *rows, int64_t i, int part,
                           vf sum[4][PARTS])
{
    const vf dt = vf_set((float)c->dt), step = vf_min(vf_load(rows->age + i), dt);
    vf position[3], velocity[3];
    vti_load_rows(rows->position + 3 * i, position);
    vti_load_rows(rows->velocity + 3 * i, velocity);
    const vf ambient = vti_ambient_of_lanes(c->fluid, position);
    const vf own = rows->density ? vf_load(rows->density + i) : (vf){0};
    const vf temperature = rows->temperature ? vf_load(rows->temperature + i) : ambient;
    const vf f = vf_load(rows->volume + i) * (step / dt) / vf_set(c->fluid->density) *
                 vti_deviation_of_lanes(c->fluid, ambient, temperature, own);
    sum[0][part] += f;
    for (int k = 0; k < 3; k++) {
        const vf way = vf_fma(velocity[k], step, vf_set(rows->wind[k]) * dt);
        const vf x = vf_fma(way, vf_set(-0.5f), position[k]);
        const vf along = (x - vf_set(c->frame->center[k])) / vf_set(c->frame->length);
        sum[k + 1][part] = vf_fma(f, along, sum[k + 1][part]);
    }
}

static void weigh_block(void *data, int64_t begin, int64_t end)
{
    const weight_context *const c = data;
    vf sum[4][PARTS];
    memset(sum, 0, sizeof sum);
    for (int64_t i = begin; i < end; i += VT_LANES) {
        const int whole = end - i >= VT_LANES;
        padded_rows rest;
        const vt_weight_rows rows = whole ? *c->rows : pad_rows(c->rows, i, end, &rest);
        for (int p = 0; p < PARTS; p++)
            add_weights(c, &rows, VL * p + (whole ? i : 0), p, sum);
    }
    for (int n = 0; n < 4; n++)
        c->block[begin / VT_INVARIANT_BLOCK].sum[n] = fold(sum[n]);
}

void VT_NAME(sum_weights)(int64_t count, const vt_weight_rows *rows, const vt_fluid *fluid,
                          const vt_frame *frame, double dt, vt_weights *block, int threads)
{
    weight_context c = {rows, fluid, frame, dt, block};
    vti_parallel_for(threads, count, VT_INVARIANT_BLOCK, weigh_block, &c);
}

typedef struct plane_context {
    const vt_grid *grid;
    double density;
    vt_weights *plane;
} plane_context;

/* Nodes [from, to) of a row are those that differ from the ambient fluid, or lie between them. */
static void find_range(const f4 *row, int64_t *from, int64_t *to)
{
    while (*from < *to && row[*from][3] == 0)
        ++*from;
    while (*from < *to && row[*to - 1][3] == 0)
        --*to;
}

/* ln(1 + q) - q of nodes from .. to of a row, as light as vti_add_baroclinic lets them be; zeros as
 * far as whole vectors go. */
VT_INLINE void bend_row(const f4 *row, int64_t from, int64_t to, double density, double *bend)
{
    for (int64_t i = from; i < to; i++) {
        const double q = (double)row[i][3] / density;
        bend[i - from] = vti_log_of_normal(1 + (q > -0.95 ? q : -0.95)) - q;
    }
    for (int64_t i = to; (i - from) % DOUBLES; i++)
        bend[i - from] = 0;
}

/* Their sum, and that times their number in the row; `first` is that of the first. */
VT_INLINE void sum_row(const double *bend, int64_t count, int64_t first, double sum[2])
{
    double all[DOUBLES] = {0}, moment[DOUBLES] = {0};
    for (int64_t i = 0; i < count; i += DOUBLES)
        for (int n = 0; n < DOUBLES; n++) {
            all[n] += bend[i + n];
            moment[n] += bend[i + n] * (double)(first + i + n);
        }
    sum[0] = sum[1] = 0;
    for (int n = 0; n < DOUBLES; n++) {
        sum[0] += all[n];
        sum[1] += moment[n];
    }
}

static void bend_plane(void *data, int64_t begin, int64_t end)
{
    const plane_context *const c = data;
    const vt_grid *const g = c->grid;
    double bend[VT_MOST_CELLS + 1 + DOUBLES];
    for (int64_t k = begin; k < end; k++) {
        double sum[4] = {0};
        for (int64_t j = 0; j <= g->cells[1]; j++) {
            const f4 *const row = g->scalars + k * g->node_plane + j * g->node_row;
            int64_t from = 0, to = g->cells[0] + 1;
            double own[2];
            find_range(row, &from, &to);
            bend_row(row, from, to, c->density, bend);
            sum_row(bend, to - from, from, own);
            sum[0] += own[0];
            sum[1] += own[1];
            sum[2] += own[0] * (double)j;
        }
        sum[3] = sum[0] * (double)k;
        memcpy(c->plane[k].sum, sum, sizeof sum);
    }
}

void VT_NAME(sum_bend)(const vt_grid *grid, double density, vt_weights *plane, int threads)
{
    plane_context c = {grid, density, plane};
    vti_parallel_for(threads, grid->cells[2] + 1, 1, bend_plane, &c);
}

/* ---- what density differences give ---- */

typedef struct generation_context {
    const vt_velocity_source *field;
    const vt_record *records;
    const float *age;
    vt_apart_rows apart;
    float dt;
    vt_generation *block;
} generation_context;

/* Of `left` vortons, one by one: few are of wakes. */
static void add_apart(const vt_apart_rows *apart, int64_t left, vi home, const vf x[3],
                      const vf given[3], double sum[3])
{
    for (int64_t l = 0; l < left && apart->row; l++) {
        const vt_apart own = apart->row[(uint32_t)home[l]];
        double r[3], alpha[3], turn[3];
        if (!(own.share > 0))
            continue;
        for (int a = 0; a < 3; a++) {
            r[a] = (double)x[a][l] - apart->middle[own.body][a];
            alpha[a] = (double)given[a][l];
        }
        vti_cross(r, alpha, turn);
        vti_add_scaled(sum, (double)own.share, turn);
    }
}

/* VL vortons: x cross what each gets in the substep, and x cross that; and of wakes apart. */
VT_INLINE void add_generation(const generation_context *c, int64_t i, int64_t left, int part,
                              vf sum[6][PARTS], double apart[3])
{
    const vt_grid *const grid = c->field->grid;
    vf position[4], own[4], x[3], pull, turn[3], twist[3], given[3] = {{0}};
    vti_load_records(c->records + i, left, 0, position);
    vti_load_records(c->records + i, left, 1, own);
    const vi home = (vi)own[3];
    vti_add_baroclinic(c->field->buoyancy, grid, position, i, home, given, &pull);
    /* a vorton born inside the substep (negative age) is there for the rest of it only */
    const vf dt = vf_set(c->dt), age = vf_gather(c->age, home) + dt;
    const vf step = vf_max(vf_min(age, dt), (vf){0});
    for (int a = 0; a < 3; a++) {
        x[a] = position[a] - vf_set(0.5f * (float)grid->cells[a]);
        given[a] = vf_first(given[a] * step, left);
    }
    vf_cross(x, given, turn);
    vf_cross(x, turn, twist);
    for (int a = 0; a < 3; a++) {
        sum[a][part] += turn[a];
        sum[a + 3][part] += twist[a];
    }
    add_apart(&c->apart, left, home, x, given, apart);
}

static void sum_generation_block(void *data, int64_t begin, int64_t end)
{
    const generation_context *const c = data;
    vt_generation *const block = &c->block[begin / VT_INVARIANT_BLOCK];
    vf sum[6][PARTS];
    memset(sum, 0, sizeof sum);
    memset(block, 0, sizeof *block);
    for (int64_t i = begin; i < end; i += VT_LANES)
        for (int p = 0; p < PARTS && i + VL * p < end; p++) {
            const int64_t left = end - i - VL * p;
            add_generation(c, i + VL * p, left < VL ? left : VL, p, sum, block->apart);
        }
    for (int n = 0; n < 6; n++)
        block->sum[n] = fold(sum[n]);
}

void VT_NAME(sum_generation)(const vt_velocity_source *field, int64_t count,
                             const vt_record *records, const float *age, const vt_apart_rows *apart,
                             double dt, vt_generation *block, int threads)
{
    generation_context c = {field, records, age, *apart, (float)dt, block};
    vti_parallel_for(threads, count, VT_INVARIANT_BLOCK, sum_generation_block, &c);
}
