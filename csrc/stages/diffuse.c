/* Diffusion of what particles carry, by particle strength exchange (parts 3, 9 and 10; Degond and
 * Mas-Gallic, Math. Comp. 53 (1989)): new values from old values,
 *
 *   d alpha_i / dt = nu sum_j (V_i alpha_j - V_j alpha_i) eta(d_ij),   int eta(d) d^2 = 6,
 *
 * symmetric, so that the sum is kept. In place of the Gaussian 4 / (pi^{3/2} e^5) exp(-d^2 / e^2)
 * with e the spacing of the particles stands its like of compact support,
 *
 *   eta(d) = C / R^5 (1 - d^2 / R^2)^4 (c_i + c_j) / 2,   R^2 = 4.5 e^2,   C = 56.00885,
 *
 * where 1 / c_i = sum_j V_j eta(d_ij) d_ij^2 / 6 is what the particles around i make of the second
 * moment: with it the rate is right for any arrangement of them, not only for a dense one.
 *
 * The articles' exchange knows no distance: d alpha_i / dt = 2 nu / h^2 sum_j V_i V_j / h^3
 * (w_j - w_i), w = alpha / V, over the particles of the same cell of side h and of the six that
 * share a face with it (the articles visit each pair once, from the cells "forward", and change it
 * at once; here as elsewhere new values come from old ones). Their diffusivity has no length: h,
 * the spacing of the particles, makes a rate of it. With one particle a cell that is twice too
 * fast.
 *
 * Where a step is longer than the explicit scheme bears, dt sum_j nu V_j eta <= 1/2, it is cut. */
#include "stages/diffuse.h"

#include "core/parallel.h"
#include "stages/stages.h"

enum {
    CHUNK = 1024,     /* sources that targets meet at a time: they stay in the nearest cache */
    ROW_BLOCK = 4,    /* rows of buckets per block */
    PARTICLES = 4096, /* per block of elementwise work */
    GROUP = 4,        /* components that go together */
    MOST_PARTS = 256  /* of a step; where that is too few, less diffuses */
};
enum { PARTS = VT_LANES / VL };

/* Arrays in the order of the partition; lengths in sides of a cell, volumes in cells. */
typedef struct job {
    const vt_partition *cells;
    const vt_diffused *diffused;
    int kind;
    int32_t first, components; /* of the group */
    const float *source_volume;
    const float *position;
    float *at[3], *volume, *factor; /* factor: c_i / 2 */
    float *density[GROUP], *change[GROUP], *rate[GROUP];
    float *weight; /* second moment; then sum of V_j eta, the particle's own share included */
    float step[GROUP];
} job;

/* Sources of one cell and its neighbours, side by side. */
typedef struct sources {
    int32_t count;
    float at[3][CHUNK + VT_LANES], volume[CHUNK + VT_LANES], factor[CHUNK + VT_LANES];
    float density[GROUP][CHUNK + VT_LANES];
} sources;

/* ---- pairs ---- */

/* The sum of 16 lanes, always in the same order. */
VT_INLINE float fold(const vf part[PARTS])
{
    float lane[VT_LANES];
    for (int p = 0; p < PARTS; p++)
        vf_store(lane + p * VL, part[p]);
    const f8 eight = f8_load(lane) + f8_load(lane + 8);
    const f4 four = f8_low(eight) + f8_high(eight);
    return (four[0] + four[2]) + (four[1] + four[3]);
}

VT_INLINE vf length2(const vf d[3])
{
    return vf_fma(d[2], d[2], vf_fma(d[1], d[1], d[0] * d[0]));
}

/* eta without its factors c; of the exchange, whose positions are the numbers of cells. */
VT_INLINE vf kernel(int kind, const vf d[3])
{
    const vf zero = {0};
    if (kind == VT_DIFFUSION_EXCHANGE)
        return vf_select(length2(d) < vf_set(1.5f), vf_set(2.0f), zero);
    const vf near = vf_max(vf_set(1.0f) - length2(d), zero), square = near * near;
    return vf_set(56.00885f) * (square * square);
}

/* Adds the sources to the second moments of the targets. */
VT_INLINE void add_moments(const job *j, const sources *s, uint32_t begin, uint32_t end)
{
    for (uint32_t t = begin; t < end; t++) {
        const vf x[3] = {vf_set(j->at[0][t]), vf_set(j->at[1][t]), vf_set(j->at[2][t])};
        vf moment[PARTS] = {{0}};
        for (int32_t n = 0; n < s->count; n += VT_LANES)
            for (int p = 0; p < PARTS; p++) {
                const int32_t i = n + p * VL;
                const vf d[3] = {vf_load(s->at[0] + i) - x[0], vf_load(s->at[1] + i) - x[1],
                                 vf_load(s->at[2] + i) - x[2]};
                const vf eta = vf_load(s->volume + i) * kernel(VT_DIFFUSION_PSE, d);
                moment[p] = vf_fma(eta, length2(d), moment[p]);
            }
        j->weight[t] += fold(moment);
    }
}

VT_INLINE void add_rates(const job *j, int kind, int components, const sources *s, uint32_t begin,
                         uint32_t end)
{
    for (uint32_t t = begin; t < end; t++) {
        const vf x[3] = {vf_set(j->at[0][t]), vf_set(j->at[1][t]), vf_set(j->at[2][t])};
        const vf factor = vf_set(j->factor[t]);
        vf density[GROUP], rate[GROUP][PARTS] = {{{0}}}, weight[PARTS] = {{0}};
        for (int c = 0; c < components; c++)
            density[c] = vf_set(j->density[c][t]);
        for (int32_t n = 0; n < s->count; n += VT_LANES)
            for (int p = 0; p < PARTS; p++) {
                const int32_t i = n + p * VL;
                const vf d[3] = {vf_load(s->at[0] + i) - x[0], vf_load(s->at[1] + i) - x[1],
                                 vf_load(s->at[2] + i) - x[2]};
                const vf eta =
                    vf_load(s->volume + i) * kernel(kind, d) * (factor + vf_load(s->factor + i));
                weight[p] += eta;
                for (int c = 0; c < components; c++)
                    rate[c][p] = vf_fma(eta, vf_load(s->density[c] + i) - density[c], rate[c][p]);
            }
        j->weight[t] += fold(weight);
        for (int c = 0; c < components; c++)
            j->rate[c][t] += fold(rate[c]);
    }
}

static void meet_moments(const job *j, const sources *s, uint32_t begin, uint32_t end)
{
    add_moments(j, s, begin, end);
}

#define MEET(name, kind, components)                                                               \
    static void name(const job *j, const sources *s, uint32_t begin, uint32_t end)                 \
    {                                                                                              \
        add_rates(j, kind, components, s, begin, end);                                             \
    }
MEET(meet_pse_1, VT_DIFFUSION_PSE, 1)
MEET(meet_pse_2, VT_DIFFUSION_PSE, 2)
MEET(meet_pse_3, VT_DIFFUSION_PSE, 3)
MEET(meet_pse_4, VT_DIFFUSION_PSE, 4)
MEET(meet_exchange_1, VT_DIFFUSION_EXCHANGE, 1)
MEET(meet_exchange_2, VT_DIFFUSION_EXCHANGE, 2)
MEET(meet_exchange_3, VT_DIFFUSION_EXCHANGE, 3)
MEET(meet_exchange_4, VT_DIFFUSION_EXCHANGE, 4)
#undef MEET

typedef void meeting(const job *j, const sources *s, uint32_t begin, uint32_t end);
static meeting *const rate_loops[2][GROUP] = {
    {meet_pse_1, meet_pse_2, meet_pse_3, meet_pse_4},
    {meet_exchange_1, meet_exchange_2, meet_exchange_3, meet_exchange_4}};

/* ---- the cells ---- */

typedef struct sweep {
    const job *j;
    meeting *meet;
} sweep;

/* The particles that a chunk lacks to whole vectors carry no volume. */
static void meet_chunk(const sweep *w, sources *s, uint32_t begin, uint32_t end)
{
    const size_t bytes = VT_LANES * sizeof(float);
    if (s->count == 0)
        return;
    memset(s->volume + s->count, 0, bytes);
    memset(s->factor + s->count, 0, bytes);
    for (int a = 0; a < 3; a++)
        memset(s->at[a] + s->count, 0, bytes);
    for (int c = 0; c < w->j->components; c++)
        memset(s->density[c] + s->count, 0, bytes);
    w->meet(w->j, s, begin, end);
    s->count = 0;
}

static void take_run(const sweep *w, sources *s, uint32_t begin, uint32_t end, uint32_t from,
                     uint32_t to)
{
    const job *const j = w->j;
    while (from < to) {
        const uint32_t room = (uint32_t)(CHUNK - s->count), left = to - from;
        const uint32_t taken = left < room ? left : room;
        const size_t bytes = taken * sizeof(float);
        for (int a = 0; a < 3; a++)
            memcpy(s->at[a] + s->count, j->at[a] + from, bytes);
        memcpy(s->volume + s->count, j->volume + from, bytes);
        memcpy(s->factor + s->count, j->factor + from, bytes);
        for (int c = 0; c < j->components; c++)
            memcpy(s->density[c] + s->count, j->density[c] + from, bytes);
        s->count += (int32_t)taken;
        from += taken;
        if (s->count == CHUNK)
            meet_chunk(w, s, begin, end);
    }
}

/* Everything in the 27 cells around cell (i, row) meets what the cell holds. */
static void meet_around(const sweep *w, int64_t i, int64_t row, sources *s)
{
    const vt_partition *const p = w->j->cells;
    const int64_t nx = p->cells[0], ny = p->cells[1], nz = p->cells[2];
    const uint32_t begin = p->start[row * nx + i], end = p->start[row * nx + i + 1];
    if (begin == end)
        return;
    s->count = 0;
    for (int64_t dk = -1; dk <= 1; dk++)
        for (int64_t dj = -1; dj <= 1; dj++) {
            const int64_t k = (row / ny + dk + nz) % nz, l = (row % ny + dj + ny) % ny;
            const uint32_t *const start = p->start + (k * ny + l) * nx;
            const int64_t low = i > 0 ? i - 1 : 0, high = i + 2 < nx ? i + 2 : nx;
            take_run(w, s, begin, end, start[low], start[high]);
            if (i == 0)
                take_run(w, s, begin, end, start[nx - 1], start[nx]);
            if (i == nx - 1)
                take_run(w, s, begin, end, start[0], start[1]);
        }
    meet_chunk(w, s, begin, end);
}

static void sweep_rows(void *data, int64_t begin, int64_t end, int thread)
{
    (void)thread;
    const sweep *const w = data;
    sources s;
    for (int64_t row = begin; row < end; row++)
        for (int64_t i = 0; i < w->j->cells->cells[0]; i++)
            meet_around(w, i, row, &s);
}

static void sweep_cells(const job *j, meeting *meet, int threads)
{
    sweep w = {j, meet};
    vt_parallel_for(threads, (int64_t)j->cells->cells[1] * j->cells->cells[2], ROW_BLOCK,
                    sweep_rows, &w);
}

/* ---- particles one by one ---- */

static void gather_particles(void *data, int64_t begin, int64_t end, int thread)
{
    (void)thread;
    const job *const j = data;
    const vt_partition *const p = j->cells;
    const double scale = 1.0 / (p->side * p->side * p->side);
    for (int64_t t = begin; t < end; t++) {
        const uint32_t home = p->order[t];
        for (int a = 0; a < 3; a++) {
            const double x = j->position[3 * (int64_t)home + a];
            j->at[a][t] = j->kind == VT_DIFFUSION_PSE ? (float)((x - p->origin[a]) / p->side)
                                                      : (float)vt_partition_index(p, a, x);
        }
        j->volume[t] = (float)((double)j->source_volume[home] * scale);
        j->factor[t] = 0.5f;
        j->weight[t] = 0;
    }
}

/* Few or far neighbours: no more than twice the plain kernel. */
static void normalise(void *data, int64_t begin, int64_t end, int thread)
{
    (void)thread;
    const job *const j = data;
    for (int64_t t = begin; t < end; t++) {
        const float moment = j->weight[t] * (1.0f / 6.0f);
        j->factor[t] = 0.5f / (moment > 0.5f ? moment : 0.5f);
    }
}

static void gather_densities(void *data, int64_t begin, int64_t end, int thread)
{
    (void)thread;
    const job *const j = data;
    for (int64_t t = begin; t < end; t++) {
        const int64_t home = j->cells->order[t];
        for (int32_t c = 0; c < j->components; c++) {
            const float *const value = j->diffused->value[j->first + c];
            const int64_t row = home * j->diffused->stride[j->first + c];
            j->density[c][t] = value[row] / j->source_volume[home];
            j->change[c][t] = 0;
        }
    }
}

static void clear_rates(const job *j)
{
    const size_t bytes = sizeof(float) * (size_t)j->cells->count;
    memset(j->weight, 0, bytes);
    for (int32_t c = 0; c < j->components; c++)
        memset(j->rate[c], 0, bytes);
}

static void advance_densities(void *data, int64_t begin, int64_t end, int thread)
{
    (void)thread;
    const job *const j = data;
    for (int32_t c = 0; c < j->components; c++)
        for (int64_t t = begin; t < end; t++) {
            const float by = j->step[c] * j->rate[c][t];
            j->density[c][t] += by;
            j->change[c][t] += by;
        }
}

static void scatter_changes(void *data, int64_t begin, int64_t end, int thread)
{
    (void)thread;
    const job *const j = data;
    for (int64_t t = begin; t < end; t++) {
        const int64_t home = j->cells->order[t];
        for (int32_t c = 0; c < j->components; c++) {
            float *const value = j->diffused->value[j->first + c];
            value[home * j->diffused->stride[j->first + c]] +=
                j->source_volume[home] * j->change[c][t];
        }
    }
}

/* ---- the step ---- */

/* Largest sum over the neighbours of V eta, the particle itself left out: it gives itself nothing.
 */
static double largest_weight(const job *j)
{
    const vf none[3] = {{0}, {0}, {0}};
    const float own = kernel(j->kind, none)[0];
    float most = 0;
    for (int64_t t = 0; t < j->cells->count; t++) {
        const float weight = j->weight[t] - j->volume[t] * own * (2 * j->factor[t]);
        most = weight > most ? weight : most;
    }
    return (double)most;
}

static int32_t count_parts(job *j)
{
    const double side2 = j->cells->side * j->cells->side, weight = largest_weight(j);
    double most = 0;
    for (int32_t c = 0; c < j->components; c++)
        most = most > j->diffused->reach2[j->first + c] ? most : j->diffused->reach2[j->first + c];
    const double parts = 2 * most * weight / side2;
    const int32_t count = parts < MOST_PARTS ? 1 + (int32_t)parts : MOST_PARTS;
    const double share = parts < count ? 1.0 / count : 1.0 / parts;
    for (int32_t c = 0; c < j->components; c++)
        j->step[c] = (float)(share * j->diffused->reach2[j->first + c] / side2);
    return count;
}

static void diffuse_group(job *j, int threads)
{
    const int64_t count = j->cells->count;
    meeting *const meet = rate_loops[j->kind == VT_DIFFUSION_EXCHANGE][j->components - 1];
    vt_parallel_for(threads, count, PARTICLES, gather_densities, j);
    for (int32_t part = 0, parts = 1; part < parts; part++) {
        clear_rates(j);
        sweep_cells(j, meet, threads);
        if (part == 0)
            parts = count_parts(j);
        vt_parallel_for(threads, count, PARTICLES, advance_densities, j);
    }
    vt_parallel_for(threads, count, PARTICLES, scatter_changes, j);
}

void VT_NAME(diffuse)(const vt_partition *cells, int kind, const float *position,
                      const float *volume, const vt_diffused *diffused, vt_arena *arena,
                      int threads)
{
    const int64_t count = cells->count;
    const size_t mark = vt_arena_mark(arena), bytes = sizeof(float) * (size_t)(count + VT_LANES);
    job j = {.cells = cells,
             .diffused = diffused,
             .kind = kind,
             .source_volume = volume,
             .position = position};
    for (int a = 0; a < 3; a++)
        j.at[a] = vt_arena_push(arena, bytes);
    j.volume = vt_arena_push(arena, bytes);
    j.factor = vt_arena_push(arena, bytes);
    j.weight = vt_arena_push(arena, bytes);
    for (int c = 0; c < GROUP; c++) {
        j.density[c] = vt_arena_push(arena, bytes);
        j.change[c] = vt_arena_push(arena, bytes);
        j.rate[c] = vt_arena_push(arena, bytes);
    }
    vt_parallel_for(threads, count, PARTICLES, gather_particles, &j);
    if (kind == VT_DIFFUSION_PSE) {
        sweep_cells(&j, meet_moments, threads);
        vt_parallel_for(threads, count, PARTICLES, normalise, &j);
    }
    for (j.first = 0; j.first < diffused->components; j.first += GROUP) {
        const int32_t left = diffused->components - j.first;
        j.components = left < GROUP ? left : GROUP;
        diffuse_group(&j, threads);
    }
    vt_arena_pop(arena, mark);
}
