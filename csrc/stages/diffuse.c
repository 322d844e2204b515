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
    ROW_BLOCK = 2,     /* rows of buckets per block */
    PARTICLES = 4096,  /* per block of elementwise work */
    MOST_PARTS = 256,  /* of a step; where that is too few, less diffuses */
    STRIP_BYTES = 128, /* of all threads, for each particle */
    FOLDED = 4         /* sums that are folded together */
};
enum { PARTS = VT_LANES / VL, SUMS = (VT_DIFFUSED_MOST + FOLDED) / FOLDED * FOLDED };

/* Arrays in the order of the partition; lengths in sides of a cell, volumes in cells. */
typedef struct job {
    const vt_partition *cells;
    const vt_diffused *diffused;
    int kind;
    const float *source_volume;
    const float *position;
    float *at[3], *volume; /* volume: times the kernel at distance 0 */
    float *factor, *share; /* c_i / 2; volume x factor */
    float *density[VT_DIFFUSED_MOST], *change[VT_DIFFUSED_MOST], *rate[VT_DIFFUSED_MOST];
    float *weight; /* second moment; then sum of V_j eta, the particle's own share included */
    float step[VT_DIFFUSED_MOST];
    float *strips; /* memory of the threads */
    size_t strip;  /* floats of one array of a strip, a multiple of VT_LANES */
} job;

/* What sources bring along: places in `values`, then one for each component. */
enum { AT, VOLUME = AT + 3, SHARE, DENSITY, VALUES = DENSITY + VT_DIFFUSED_MOST };

/* The particles of a row of cells and of the eight rows around it, cell by cell, so that all that a
 * target may meet lies together; what fills the last vector of each cell carries no volume. The
 * cells at the ends are there twice: rows are rings. */
typedef struct strip {
    uint32_t *begin; /* of cell i, i = -1 ... */
    float *values[VALUES];
} strip;

/* Targets, and the sources that they meet, in whole vectors. */
typedef struct meeting {
    uint32_t begin, end;
    uint32_t from, to;
} meeting;

/* ---- pairs ---- */

VT_INLINE void turn_four(f4 r[4])
{
    const f4 a = __builtin_shufflevector(r[0], r[1], 0, 4, 1, 5);
    const f4 b = __builtin_shufflevector(r[0], r[1], 2, 6, 3, 7);
    const f4 c = __builtin_shufflevector(r[2], r[3], 0, 4, 1, 5);
    const f4 d = __builtin_shufflevector(r[2], r[3], 2, 6, 3, 7);
    r[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5);
    r[1] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
    r[2] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
    r[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
}

/* The sums of 16 lanes each, always in the same order. */
VT_INLINE f4 fold(const vf sum[FOLDED][PARTS])
{
    f4 four[FOLDED];
    for (int n = 0; n < FOLDED; n++) {
#if VL == 16
        const vf all = sum[n][0];
        const f8 eight = __builtin_shufflevector(all, all, 0, 1, 2, 3, 4, 5, 6, 7) +
                         __builtin_shufflevector(all, all, 8, 9, 10, 11, 12, 13, 14, 15);
        four[n] = f8_low(eight) + f8_high(eight);
#elif VL == 8
        const f8 eight = sum[n][0] + sum[n][1];
        four[n] = f8_low(eight) + f8_high(eight);
#else
        four[n] = (sum[n][0] + sum[n][2]) + (sum[n][1] + sum[n][3]);
#endif
    }
    turn_four(four);
    return (four[0] + four[2]) + (four[1] + four[3]);
}

/* The square of the distance of VL sources. */
VT_INLINE vf length2(const strip *s, uint32_t i, const vf x[3])
{
    const vf dx = vf_load(s->values[AT] + i) - x[0], dy = vf_load(s->values[AT + 1] + i) - x[1];
    const vf dz = vf_load(s->values[AT + 2] + i) - x[2];
    return vf_fma(dz, dz, vf_fma(dy, dy, dx * dx));
}

/* eta without its factors c and its value at distance 0; of the exchange, whose positions are the
 * numbers of cells. */
VT_INLINE vf kernel(int kind, vf d2)
{
    const vf zero = {0}, one = vf_set(1.0f);
    if (kind == VT_DIFFUSION_EXCHANGE)
        return vf_select(d2 < vf_set(1.5f), one, zero);
    const vf near = vf_max(one - d2, zero), square = near * near;
    return square * square;
}

/* The second moments of the targets. */
VT_INLINE void find_moments(const job *j, const strip *s, const meeting *m)
{
    for (uint32_t t = m->begin; t < m->end; t++) {
        const vf x[3] = {vf_set(j->at[0][t]), vf_set(j->at[1][t]), vf_set(j->at[2][t])};
        vf sum[FOLDED][PARTS] = {{{0}}};
        for (int p = 0; p < PARTS; p++)
            for (uint32_t i = m->from + (uint32_t)(p * VL); i < m->to; i += VT_LANES) {
                const vf d2 = length2(s, i, x);
                const vf eta = vf_load(s->values[VOLUME] + i) * kernel(VT_DIFFUSION_PSE, d2);
                sum[0][p] = vf_fma(eta, d2, sum[0][p]);
            }
        j->weight[t] = fold((const vf(*)[PARTS])sum)[0];
    }
}

/* Rates and weights of the targets. */
VT_INLINE void find_rates(const job *j, int kind, int components, const strip *s, const meeting *m)
{
    for (uint32_t t = m->begin; t < m->end; t++) {
        const vf x[3] = {vf_set(j->at[0][t]), vf_set(j->at[1][t]), vf_set(j->at[2][t])};
        const vf factor = vf_set(j->factor[t]);
        vf density[VT_DIFFUSED_MOST], sum[SUMS][PARTS] = {{{0}}};
        for (int c = 0; c < components; c++)
            density[c] = vf_set(j->density[c][t]);
        for (int p = 0; p < PARTS; p++)
            for (uint32_t i = m->from + (uint32_t)(p * VL); i < m->to; i += VT_LANES) {
                const vf volume =
                    vf_fma(vf_load(s->values[VOLUME] + i), factor, vf_load(s->values[SHARE] + i));
                const vf eta = volume * kernel(kind, length2(s, i, x));
                sum[components][p] += eta;
                for (int c = 0; c < components; c++)
                    sum[c][p] =
                        vf_fma(eta, vf_load(s->values[DENSITY + c] + i) - density[c], sum[c][p]);
            }
        float found[SUMS];
        for (int c = 0; c <= components; c += FOLDED)
            f4_store(found + c, fold((const vf(*)[PARTS])(sum + c)));
        j->weight[t] = found[components];
        for (int c = 0; c < components; c++)
            j->rate[c][t] = found[c];
    }
}

typedef void meet_function(const job *j, const strip *s, const meeting *m);

static void meet_moments(const job *j, const strip *s, const meeting *m)
{
    find_moments(j, s, m);
}

#define MEET(name, kind, components)                                                               \
    static void name(const job *j, const strip *s, const meeting *m)                               \
    {                                                                                              \
        find_rates(j, kind, components, s, m);                                                     \
    }
#define MEET_BOTH(components)                                                                      \
    MEET(meet_pse_##components, VT_DIFFUSION_PSE, components)                                      \
    MEET(meet_exchange_##components, VT_DIFFUSION_EXCHANGE, components)
MEET_BOTH(1)
MEET_BOTH(2)
MEET_BOTH(3)
MEET_BOTH(4)
MEET_BOTH(5)
MEET_BOTH(6)
MEET_BOTH(7)
MEET_BOTH(8)
#undef MEET_BOTH
#undef MEET

static meet_function *const rate_loops[2][VT_DIFFUSED_MOST] = {
    {meet_pse_1, meet_pse_2, meet_pse_3, meet_pse_4, meet_pse_5, meet_pse_6, meet_pse_7,
     meet_pse_8},
    {meet_exchange_1, meet_exchange_2, meet_exchange_3, meet_exchange_4, meet_exchange_5,
     meet_exchange_6, meet_exchange_7, meet_exchange_8}};

/* ---- strips ---- */

typedef struct sweep {
    const job *j;
    meet_function *meet;
    int32_t values; /* of the sources, that it needs */
    const float *from[VALUES];
} sweep;

/* Copies up to 7 floats too many: there is room, and what comes next is written later. */
VT_INLINE void add_run(const sweep *w, const strip *s, uint32_t at, uint32_t begin, uint32_t count)
{
    for (uint32_t i = 0; i < count; i += 8)
        for (int32_t n = 0; n < w->values; n++)
            f8_store(s->values[n] + at + i, f8_load(w->from[n] + begin + i));
}

/* Whether row `own` has targets from cell `low` to before cell `high`. */
static int has_targets(const uint32_t *own, int64_t cells, int64_t low, int64_t high)
{
    return own[high < cells ? high : cells] != own[low > 0 ? low : 0];
}

/* The first bucket of a row and of those around it. */
static void find_rows(const vt_partition *p, int64_t row, const uint32_t *rows[9])
{
    const int64_t nx = p->cells[0], ny = p->cells[1], nz = p->cells[2];
    for (int64_t n = 0; n < 9; n++) {
        const int64_t k = (row / ny + n / 3 - 1 + nz) % nz, l = (row % ny + n % 3 - 1 + ny) % ny;
        rows[n] = p->start + (k * ny + l) * nx;
    }
}

static void fill_strip(const sweep *of, int64_t row, const strip *to)
{
    const sweep w = *of; /* copies: stores cannot change them */
    const strip s = *to;
    const int64_t nx = w.j->cells->cells[0];
    const uint32_t *rows[9], *const own = w.j->cells->start + row * nx;
    uint32_t count = 0;
    find_rows(w.j->cells, row, rows);
    for (int64_t i = -1; i <= nx; i++) {
        const int64_t cell = i < 0 ? nx - 1 : i < nx ? i : 0;
        s.begin[i] = count;
        if (!has_targets(own, nx, i - 1, i + 2))
            continue;
        for (int n = 0; n < 9; n++) {
            const uint32_t begin = rows[n][cell], found = rows[n][cell + 1] - begin;
            add_run(&w, &s, count, begin, found);
            count += found;
        }
        for (int32_t n = 0; n < w.values; n++)
            memset(s.values[n] + count, 0, VT_LANES * sizeof(float));
        count = (count + VT_LANES - 1) / VT_LANES * VT_LANES;
    }
    s.begin[nx + 1] = count;
}

static strip strip_of_thread(const job *j, int thread)
{
    const size_t arrays = 1 + DENSITY + (size_t)j->diffused->components;
    float *const first = j->strips + (size_t)thread * arrays * j->strip;
    strip s = {.begin = (uint32_t *)first + 1};
    for (size_t n = 1; n < arrays; n++)
        s.values[n - 1] = first + n * j->strip;
    return s;
}

static void sweep_rows(void *data, int64_t begin, int64_t end, int thread)
{
    const sweep *const w = data;
    const int64_t nx = w->j->cells->cells[0];
    const strip s = strip_of_thread(w->j, thread);
    for (int64_t row = begin; row < end; row++) {
        const uint32_t *const own = w->j->cells->start + row * nx;
        if (own[0] == own[nx])
            continue;
        fill_strip(w, row, &s);
        for (int64_t i = 0; i < nx; i++) {
            const meeting m = {own[i], own[i + 1], s.begin[i - 1], s.begin[i + 2]};
            if (m.begin < m.end)
                w->meet(w->j, &s, &m);
        }
    }
}

static void sweep_cells(const job *j, meet_function *meet, int32_t values, int threads)
{
    sweep w = {j, meet, values, {j->at[0], j->at[1], j->at[2], j->volume, j->share}};
    for (int32_t c = 0; c < j->diffused->components; c++)
        w.from[DENSITY + c] = j->density[c];
    vt_parallel_for(threads, (int64_t)j->cells->cells[1] * j->cells->cells[2], ROW_BLOCK,
                    sweep_rows, &w);
}

/* Floats of the longest strip. */
static size_t longest_strip(const job *j)
{
    const int64_t nx = j->cells->cells[0], rows = (int64_t)j->cells->cells[1] * j->cells->cells[2];
    size_t longest = 0;
    for (int64_t row = 0; row < rows; row++) {
        const uint32_t *around[9];
        size_t count = 0;
        find_rows(j->cells, row, around);
        for (int n = 0; n < 9; n++) {
            const uint32_t *const r = around[n];
            count += (r[nx] - r[0]) + (r[1] - r[0]) + (r[nx] - r[nx - 1]);
        }
        longest = count > longest ? count : longest;
    }
    /* the beginnings of the cells are such an array, too */
    const size_t cells = (size_t)nx + 3, targets = (size_t)j->cells->count;
    return longest + VT_LANES * (cells < 3 * targets ? cells : 3 * targets) + cells + VT_LANES;
}

/* Room for the strips, of fewer threads where rows are very long. */
static void make_strips(job *j, vt_arena *arena, int *threads)
{
    const size_t arrays = 1 + DENSITY + (size_t)j->diffused->components;
    j->strip = (longest_strip(j) + VT_LANES - 1) / VT_LANES * VT_LANES;
    const size_t bytes = sizeof(float) * arrays * j->strip;
    const size_t most = STRIP_BYTES * (size_t)j->cells->count + ((size_t)1 << 20);
    while (*threads > 1 && bytes * (size_t)*threads > most)
        --*threads;
    j->strips = vt_arena_push(arena, bytes * (size_t)*threads);
}

/* ---- particles one by one ---- */

static void gather_particles(void *data, int64_t begin, int64_t end, int thread)
{
    (void)thread;
    const job *const j = data;
    const vt_partition *const p = j->cells;
    const double kernel = j->kind == VT_DIFFUSION_PSE ? 56.00885 : 2;
    const double scale = kernel / (p->side * p->side * p->side);
    for (int64_t t = begin; t < end; t++) {
        const uint32_t home = j->cells->order[t];
        for (int a = 0; a < 3; a++) {
            const double x = (double)j->position[3 * (int64_t)home + a];
            j->at[a][t] = j->kind == VT_DIFFUSION_PSE ? (float)((x - p->origin[a]) / p->side)
                                                      : (float)vt_partition_index(p, a, x);
        }
        j->volume[t] = (float)((double)j->source_volume[home] * scale);
        j->factor[t] = 0.5f;
        j->share[t] = 0.5f * j->volume[t];
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
        j->share[t] = j->factor[t] * j->volume[t];
    }
}

static void gather_densities(void *data, int64_t begin, int64_t end, int thread)
{
    (void)thread;
    const job *const j = data;
    for (int64_t t = begin; t < end; t++) {
        const int64_t home = j->cells->order[t];
        const float one_over = 1 / j->source_volume[home];
        for (int32_t c = 0; c < j->diffused->components; c++) {
            const float *const value = j->diffused->value[c];
            j->density[c][t] = value[home * j->diffused->stride[c]] * one_over;
            j->change[c][t] = 0;
        }
    }
}

static void advance_densities(void *data, int64_t begin, int64_t end, int thread)
{
    (void)thread;
    const job *const j = data;
    for (int32_t c = 0; c < j->diffused->components; c++)
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
        for (int32_t c = 0; c < j->diffused->components; c++) {
            float *const value = j->diffused->value[c];
            value[home * j->diffused->stride[c]] += j->source_volume[home] * j->change[c][t];
        }
    }
}

/* ---- the step ---- */

/* Largest sum over the neighbours of V eta, the particle itself left out: it gives itself nothing.
 */
static double largest_weight(const job *j)
{
    float most = 0;
    for (int64_t t = 0; t < j->cells->count; t++) {
        const float weight = j->weight[t] - 2 * j->share[t];
        most = weight > most ? weight : most;
    }
    return (double)most;
}

static int32_t count_parts(job *j)
{
    const double side2 = j->cells->side * j->cells->side, weight = largest_weight(j);
    double most = 0;
    for (int32_t c = 0; c < j->diffused->components; c++)
        most = most > j->diffused->reach2[c] ? most : j->diffused->reach2[c];
    const double parts = 2 * most * weight / side2;
    const int32_t count = parts < MOST_PARTS ? 1 + (int32_t)parts : MOST_PARTS;
    const double share = parts < count ? 1.0 / count : 1.0 / parts;
    for (int32_t c = 0; c < j->diffused->components; c++)
        j->step[c] = (float)(share * j->diffused->reach2[c] / side2);
    return count;
}

static void make_room(job *j, vt_arena *arena)
{
    const size_t bytes = sizeof(float) * (size_t)(j->cells->count + VT_LANES);
    for (int a = 0; a < 3; a++)
        j->at[a] = vt_arena_push(arena, bytes);
    j->volume = vt_arena_push(arena, bytes);
    j->factor = vt_arena_push(arena, bytes);
    j->share = vt_arena_push(arena, bytes);
    j->weight = vt_arena_push(arena, bytes);
    for (int c = 0; c < j->diffused->components; c++) {
        j->density[c] = vt_arena_push(arena, bytes);
        j->change[c] = vt_arena_push(arena, bytes);
        j->rate[c] = vt_arena_push(arena, bytes);
    }
}

void VT_NAME(diffuse)(const vt_partition *cells, int kind, const float *position,
                      const float *volume, const vt_diffused *diffused, vt_arena *arena,
                      int threads)
{
    const int64_t count = cells->count;
    const int32_t components = diffused->components;
    const size_t mark = vt_arena_mark(arena);
    job j = {.cells = cells,
             .diffused = diffused,
             .kind = kind,
             .source_volume = volume,
             .position = position};
    make_room(&j, arena);
    vt_parallel_for(threads, count, PARTICLES, gather_particles, &j);
    int strips = threads;
    make_strips(&j, arena, &strips);
    if (kind == VT_DIFFUSION_PSE) {
        sweep_cells(&j, meet_moments, SHARE, strips);
        vt_parallel_for(threads, count, PARTICLES, normalise, &j);
    }
    meet_function *const meet = rate_loops[kind == VT_DIFFUSION_EXCHANGE][components - 1];
    vt_parallel_for(threads, count, PARTICLES, gather_densities, &j);
    for (int32_t part = 0, parts = 1; part < parts; part++) {
        sweep_cells(&j, meet, DENSITY + components, strips);
        if (part == 0)
            parts = count_parts(&j);
        vt_parallel_for(threads, count, PARTICLES, advance_densities, &j);
    }
    vt_parallel_for(threads, count, PARTICLES, scatter_changes, &j);
    vt_arena_pop(arena, mark);
}
