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
#include "stages/diffuse_pairs.h"
#include "stages/stages.h"

enum {
    BLOCK_ROWS = 8,    /* rows of targets per block */
    PARTICLES = 1024,  /* per block of elementwise work */
    MOST_PARTS = 256,  /* of a step; where that is too few, less diffuses */
    STRIP_BYTES = 128, /* of all threads, for each particle */
};

/* ---- strips ---- */

typedef struct sweep {
    const vt_diffusion *j;
    meet_function *meet;
    int32_t values; /* of the sources, that it needs */
    int64_t chunks; /* blocks of a plane of rows */
} sweep;

/* Copies up to 7 floats too many: there is room, and what comes next is written later. */
VT_INLINE void copy_run(const sweep *w, const vt_strip *s, uint32_t at, uint32_t begin,
                        uint32_t end)
{
    for (uint32_t i = begin; i < end; i += 8, at += 8)
        for (int32_t n = 0; n < w->values; n++)
            f8_store(s->values[n] + at, f8_load(w->j->values[n] + i));
}

static void clear_end(const sweep *w, const vt_strip *s, uint32_t at)
{
    for (int32_t n = 0; n < w->values; n++)
        memset(s->values[n] + at, 0, VT_LANES * sizeof(float));
}

/* Row j of plane k, or NULL where there is none. */
static const uint32_t *find_row(const vt_partition *p, int64_t j, int64_t k)
{
    const int64_t nx = p->cells[0], ny = p->cells[1], nz = p->cells[2];
    if ((!p->folded[1] && (j < 0 || j >= ny)) || (!p->folded[2] && (k < 0 || k >= nz)))
        return NULL;
    return p->start + ((k + nz) % nz * ny + (j + ny) % ny) * nx;
}

static int has_any(const uint32_t *row, int64_t nx, int64_t low, int64_t high)
{
    return row && row[high < nx ? high : nx] != row[low > 0 ? low : 0];
}

/* Pile j of plane k, for the targets in rows j - 1 to j + 1. */
static void fill_pile(const sweep *of, int64_t j, int64_t k, const vt_strip *into, vt_pile *to)
{
    const sweep w = *of; /* copies: stores cannot change them */
    const vt_strip s = *into;
    const vt_partition *const p = w.j->cells;
    const int64_t nx = p->cells[0], reach = p->slices, more = p->folded[0] ? reach : 0;
    const uint32_t whole = p->folded[0] ? VT_LANES : 1, *source[3], *target[3];
    uint32_t count = to->first;
    for (int n = 0; n < 3; n++) {
        source[n] = find_row(p, j, k + n - 1);
        target[n] = find_row(p, j + n - 1, k);
    }
    for (int64_t i = -reach; i < nx + reach; i++) {
        const int64_t cell = i < 0 ? i + nx : i < nx ? i : i - nx;
        int met = 0;
        to->begin[i] = count;
        for (int n = 0; n < 3; n++)
            met |= has_any(target[n], nx, i - reach, i + reach + 1);
        if (!met || i < -more || i >= nx + more)
            continue;
        for (int n = 0; n < 3; n++) {
            if (!source[n])
                continue;
            const uint32_t begin = source[n][cell], end = source[n][cell + 1];
            copy_run(&w, &s, count, begin, end);
            count += end - begin;
        }
        if (p->folded[0])
            clear_end(&w, &s, count);
        count = (count + whole - 1) / whole * whole;
    }
    to->begin[nx + reach] = count;
    clear_end(&w, &s, count);
}

static size_t strip_floats(const vt_diffusion *j)
{
    return PILES * (j->buckets + (size_t)(DENSITY + j->diffused->components) * j->strip);
}

static vt_strip strip_of_thread(const vt_diffusion *j, int thread)
{
    float *const first = j->strips + (size_t)thread * strip_floats(j);
    vt_strip s;
    for (int n = 0; n < PILES; n++)
        s.piles[n] = (vt_pile){(uint32_t *)first + (size_t)n * j->buckets + j->cells->slices,
                               (uint32_t)((size_t)n * j->strip)};
    for (int n = 0; n < DENSITY + j->diffused->components; n++)
        s.values[n] = first + PILES * (j->buckets + (size_t)n * j->strip);
    return s;
}

static void sweep_row(const sweep *w, const uint32_t *own, const vt_strip *s, int thread)
{
    const int64_t nx = w->j->cells->cells[0], reach = w->j->cells->slices;
    for (int64_t i = 0; i < nx; i++) {
        vt_meeting m = {.begin = own[i], .end = own[i + 1], .weight = w->j->weight + thread * OWN};
        if (m.begin == m.end)
            continue;
        for (int n = 0; n < PILES; n++) {
            m.from[n] = s->piles[n].begin[i - reach] / VT_LANES * VT_LANES;
            m.to[n] = s->piles[n].begin[i + reach + 1];
        }
        w->meet(w->j, s, &m);
    }
}

static void sweep_rows(void *data, int64_t begin, int64_t end, int thread)
{
    const sweep *const w = data;
    const vt_partition *const p = w->j->cells;
    for (int64_t b = begin; b < end; b++) {
        const int64_t k = b / w->chunks, low = b % w->chunks * BLOCK_ROWS;
        const int64_t high = low + BLOCK_ROWS < p->cells[1] ? low + BLOCK_ROWS : p->cells[1];
        vt_strip s = strip_of_thread(w->j, thread);
        const int64_t buckets = (high - low) * p->cells[0];
        if (!has_any(find_row(p, low, k), buckets, 0, buckets))
            continue;
        for (int64_t j = low - 1; j <= high; j++) {
            const vt_pile oldest = s.piles[0];
            s.piles[0] = s.piles[1];
            s.piles[1] = s.piles[2];
            s.piles[2] = oldest;
            fill_pile(w, j, k, &s, &s.piles[2]);
            if (j > low)
                sweep_row(w, find_row(p, j - 1, k), &s, thread);
        }
    }
}

static void sweep_cells(const vt_diffusion *j, meet_function *meet, int32_t values, int threads)
{
    sweep w = {j, meet, values, (j->cells->cells[1] + BLOCK_ROWS - 1) / BLOCK_ROWS};
    vt_parallel_for(threads, w.chunks * j->cells->cells[2], 1, sweep_rows, &w);
}

/* Floats of the longest pile. */
static size_t longest_pile(const vt_partition *p)
{
    const int64_t nx = p->cells[0], more = p->folded[0] ? p->slices : 0;
    size_t longest = 0;
    for (int64_t k = 0; k < p->cells[2]; k++)
        for (int64_t j = 0; j < p->cells[1]; j++) {
            size_t count = 0;
            for (int n = 0; n < 3; n++) {
                const uint32_t *const r = find_row(p, j, k + n - 1);
                count += r ? (r[nx] - r[0]) + (r[more] - r[0]) + (r[nx] - r[nx - more]) : 0;
            }
            longest = count > longest ? count : longest;
        }
    const size_t buckets = (size_t)(nx + 2 * more), most = 9 * (size_t)p->count;
    return longest + (more ? VT_LANES * (buckets < most ? buckets : most) : 0);
}

/* Room for the strips, of fewer threads where they are very long. */
static void make_strips(vt_diffusion *j, vt_arena *arena, int *threads)
{
    const size_t buckets = (size_t)(j->cells->cells[0] + 2 * j->cells->slices + 1);
    j->buckets = (buckets + VT_LANES - 1) / VT_LANES * VT_LANES;
    j->strip = (longest_pile(j->cells) + 3 * VT_LANES - 1) / VT_LANES * VT_LANES;
    const size_t bytes = sizeof(float) * strip_floats(j);
    const size_t most = STRIP_BYTES * (size_t)j->cells->count + ((size_t)1 << 20);
    while (*threads > 1 && bytes * (size_t)*threads > most)
        --*threads;
    j->strips = vt_arena_push(arena, bytes * (size_t)*threads);
}

/* ---- particles one by one ---- */

static void gather_particles(void *data, int64_t begin, int64_t end, int thread)
{
    (void)thread;
    const vt_diffusion own = *(const vt_diffusion *)data;
    const vt_partition *const p = own.cells;
    const int32_t components = own.diffused->components;
    const double kernel = own.kind == VT_DIFFUSION_PSE ? 56.00885 : 2;
    const double scale = kernel / (p->side * p->side * p->side), narrow = 1 / p->side;
    for (int64_t t = begin; t < end; t++) {
        const int64_t home = p->order[t];
        const float volume = own.source_volume[home], one_over = 1 / volume;
        for (int a = 0; a < 3; a++) {
            const double x = (double)own.position[3 * home + a];
            own.values[AT + a][t] = own.kind == VT_DIFFUSION_PSE
                                        ? (float)((x - p->origin[a]) * narrow)
                                        : (float)vt_partition_index(p, a, x);
        }
        own.values[VOLUME][t] = (float)((double)volume * scale);
        own.factor[t] = 0.5f;
        own.values[SHARE][t] = 0.5f * own.values[VOLUME][t];
        for (int32_t c = 0; c < components; c++)
            own.values[DENSITY + c][t] =
                own.diffused->value[c][home * own.diffused->stride[c]] * one_over;
    }
}

/* Few or far neighbours: no more than twice the plain kernel. */
static void normalise(void *data, int64_t begin, int64_t end, int thread)
{
    (void)thread;
    const vt_diffusion *const j = data;
    float *const factor = j->factor, *const share = j->values[SHARE];
    for (int64_t t = begin; t < end; t++) {
        const float moment = j->moment[t] * (1.0f / 6.0f);
        factor[t] = 0.5f / (moment > 0.5f ? moment : 0.5f);
        share[t] = factor[t] * j->values[VOLUME][t];
    }
}

static void begin_changes(void *data, int64_t begin, int64_t end, int thread)
{
    (void)thread;
    const vt_diffusion *const j = data;
    for (int32_t c = 0; c < j->diffused->components; c++)
        memset(j->change[c] + begin, 0, sizeof(float) * (size_t)(end - begin));
}

static void advance(void *data, int64_t begin, int64_t end, int thread)
{
    (void)thread;
    const vt_diffusion *const j = data;
    for (int32_t c = 0; c < j->diffused->components; c++) {
        float *const density = j->values[DENSITY + c], *const change = j->change[c];
        for (int64_t t = begin; t < end; t++) {
            const float by = j->step[c] * j->rate[c][t];
            density[t] += by;
            change[t] += by;
        }
    }
}

/* What the last part of the step changes, and all before it. */
static void scatter(void *data, int64_t begin, int64_t end, int thread)
{
    (void)thread;
    const vt_diffusion own = *(const vt_diffusion *)data;
    for (int64_t t = begin; t < end; t++) {
        const int64_t home = own.cells->order[t];
        const float volume = own.source_volume[home];
        for (int32_t c = 0; c < own.diffused->components; c++) {
            const float by = own.step[c] * own.rate[c][t];
            const float change = own.change[c] ? own.change[c][t] + by : by;
            own.diffused->value[c][home * own.diffused->stride[c]] += volume * change;
        }
    }
}

/* ---- the step ---- */

static double largest_weight(const vt_diffusion *j, int threads)
{
    float most = 0;
    for (int thread = 0; thread < threads; thread++) {
        const float weight = j->weight[(size_t)thread * OWN];
        most = weight > most ? weight : most;
    }
    return (double)most;
}

static int32_t count_parts(vt_diffusion *j, int threads)
{
    const double side2 = j->cells->side * j->cells->side, weight = largest_weight(j, threads);
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

static void make_room(vt_diffusion *j, vt_arena *arena, int threads)
{
    const size_t bytes = sizeof(float) * (size_t)(j->cells->count + VT_LANES);
    for (int n = 0; n < DENSITY + j->diffused->components; n++)
        j->values[n] = vt_arena_push(arena, bytes);
    j->factor = vt_arena_push(arena, bytes);
    for (int c = 0; c < j->diffused->components; c++)
        j->rate[c] = vt_arena_push(arena, bytes);
    j->moment = j->rate[0]; /* first this, then that */
    j->weight = vt_arena_push(arena, APART * (size_t)threads);
    memset(j->weight, 0, APART * (size_t)threads);
}

static void make_changes(vt_diffusion *j, vt_arena *arena, int threads)
{
    for (int c = 0; c < j->diffused->components; c++)
        j->change[c] = vt_arena_push(arena, sizeof(float) * (size_t)j->cells->count);
    vt_parallel_for(threads, j->cells->count, PARTICLES, begin_changes, j);
}

void VT_NAME(diffuse)(const vt_partition *cells, int kind, const float *position,
                      const float *volume, const vt_diffused *diffused, vt_arena *arena,
                      int threads)
{
    const int64_t count = cells->count;
    const int32_t components = diffused->components;
    const size_t mark = vt_arena_mark(arena);
    vt_diffusion j = {.cells = cells,
                      .diffused = diffused,
                      .kind = kind,
                      .source_volume = volume,
                      .position = position};
    int sweepers = threads;
    make_room(&j, arena, threads);
    make_strips(&j, arena, &sweepers);
    vt_parallel_for(threads, count, PARTICLES, gather_particles, &j);
    if (kind == VT_DIFFUSION_PSE) {
        sweep_cells(&j, meet_moments, SHARE, sweepers);
        vt_parallel_for(threads, count, PARTICLES, normalise, &j);
    }
    meet_function *const meet = rate_loops[kind == VT_DIFFUSION_EXCHANGE][components - 1];
    sweep_cells(&j, meet, DENSITY + components, sweepers);
    const int32_t parts = count_parts(&j, threads);
    if (parts > 1)
        make_changes(&j, arena, threads);
    for (int32_t part = 1; part < parts; part++) {
        vt_parallel_for(threads, count, PARTICLES, advance, &j);
        sweep_cells(&j, meet, DENSITY + components, sweepers);
    }
    vt_parallel_for(threads, count, PARTICLES, scatter, &j);
    vt_arena_pop(arena, mark);
}
