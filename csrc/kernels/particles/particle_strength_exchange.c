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
#include "kernels/particles/particle_strength_exchange.h"

#include "kernels/particles/particle_strength_exchange_pairs.h"

enum {
    BLOCK_ROWS = 16,   /* rows of targets per block */
    PARTICLES = 1024,  /* per block of elementwise work */
    MOST_PARTS = 256,  /* of a step; where that is too few, less diffuses */
    STRIP_BYTES = 128, /* of all threads, for each particle */
};

/* ---- sweeps over the cells ---- */

typedef struct sweep {
    const vt_diffusion *j;
    meet_function *meet;
    int32_t values; /* of the sources, that it needs */
    int64_t chunks; /* blocks of a plane of rows */
} sweep;

/* Rows [low, high) of plane k. */
static void sweep_rows(const sweep *w, int64_t k, int64_t low, int64_t high, int thread)
{
    vt_strip s = strip_of_thread(w->j, thread);
    for (int64_t j = low - 1; j <= high; j++) {
        const vt_pile oldest = s.piles[0];
        s.piles[0] = s.piles[1];
        s.piles[1] = s.piles[2];
        s.piles[2] = oldest;
        if (is_asked_for(w->j, j, k))
            fill_pile(w->j, w->values, j, k, &s, &s.piles[2]);
        if (j > low)
            w->meet(w->j, &s, find_row(w->j, j - 1, k), w->j->weight + thread * OWN);
    }
}

static void sweep_block(void *data, int64_t begin, int64_t end, int thread)
{
    const sweep *const w = data;
    const int64_t rows = w->j->cells->cells[1];
    for (int64_t b = begin; b < end; b++) {
        const int64_t low = b % w->chunks * BLOCK_ROWS;
        sweep_rows(w, b / w->chunks, low, low + BLOCK_ROWS < rows ? low + BLOCK_ROWS : rows,
                   thread);
    }
}

static void sweep_cells(const vt_diffusion *j, meet_function *meet, int32_t values, int threads)
{
    sweep w = {j, meet, values, (j->cells->cells[1] + BLOCK_ROWS - 1) / BLOCK_ROWS};
    vti_parallel_for_numbered(threads, w.chunks * j->cells->cells[2], 1, sweep_block, &w);
}

/* ---- particles one by one ---- */

static void gather_particles(void *data, int64_t begin, int64_t end)
{
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
                                        : (float)vti_partition_index(p, a, x);
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
static void normalise(void *data, int64_t begin, int64_t end)
{
    const vt_diffusion *const j = data;
    float *const factor = j->factor, *const share = j->values[SHARE];
    for (int64_t t = begin; t < end; t++) {
        const float moment = j->sum[t] * (1.0f / 6.0f);
        factor[t] = 0.5f / (moment > 0.5f ? moment : 0.5f);
        share[t] = factor[t] * j->values[VOLUME][t];
    }
}

static void begin_changes(void *data, int64_t begin, int64_t end)
{
    const vt_diffusion *const j = data;
    for (int32_t c = 0; c < j->diffused->components; c++)
        memset(j->change[c] + begin, 0, sizeof(float) * (size_t)(end - begin));
}

/* How much component c of particle t changes. */
VT_INLINE float change_of(const vt_diffusion *j, int32_t c, int64_t t)
{
    const float *const received = j->received + t * j->width;
    return j->step[c] * (received[c] - j->sum[t] * j->values[DENSITY + c][t]);
}

static void advance(void *data, int64_t begin, int64_t end)
{
    const vt_diffusion *const j = data;
    for (int32_t c = 0; c < j->diffused->components; c++) {
        float *const density = j->values[DENSITY + c], *const change = j->change[c];
        for (int64_t t = begin; t < end; t++) {
            const float by = change_of(j, c, t);
            density[t] += by;
            change[t] += by;
        }
    }
}

/* What the last part of the step changes, and all before it. */
static void scatter(void *data, int64_t begin, int64_t end)
{
    const vt_diffusion own = *(const vt_diffusion *)data; /* copies: stores cannot change them */
    const vt_diffused diffused = *own.diffused;
    for (int64_t t = begin; t < end; t++) {
        const int64_t home = own.cells->order[t];
        const float volume = own.source_volume[home];
        for (int32_t c = 0; c < diffused.components; c++) {
            const float by = change_of(&own, c, t);
            const float change = own.change[c] ? own.change[c][t] + by : by;
            diffused.value[c][home * diffused.stride[c]] += volume * change;
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
    const size_t count = (size_t)j->cells->count, bytes = sizeof(float) * count;
    for (int n = 0; n < DENSITY + j->diffused->components; n++) {
        j->values[n] = vti_arena_push(arena, bytes + sizeof(float) * VT_LANES);
        memset(j->values[n] + count, 0, sizeof(float) * VT_LANES);
    }
    j->factor = vti_arena_push(arena, bytes);
    j->sum = vti_arena_push(arena, bytes);
    j->width = (j->diffused->components + MET - 1) / MET * MET;
    j->received = vti_arena_push(arena, (size_t)j->width * bytes);
    j->marks = vti_arena_push(arena, sizeof *j->marks * PARTS * count);
    j->weight = vti_arena_push(arena, VT_APART * (size_t)threads);
    memset(j->weight, 0, VT_APART * (size_t)threads);
}

static void make_changes(vt_diffusion *j, vt_arena *arena, int threads)
{
    for (int c = 0; c < j->diffused->components; c++)
        j->change[c] = vti_arena_push(arena, sizeof(float) * (size_t)j->cells->count);
    vti_parallel_for(threads, j->cells->count, PARTICLES, begin_changes, j);
}

void VT_NAME(diffuse)(const vt_partition *cells, int kind, const float *position,
                      const float *volume, const vt_diffused *diffused, vt_arena *arena,
                      int threads)
{
    const int64_t count = cells->count;
    const int32_t components = diffused->components;
    const size_t mark = vti_arena_mark(arena);
    vt_diffusion j = {.cells = cells,
                      .diffused = diffused,
                      .kind = kind,
                      .source_volume = volume,
                      .position = position};
    int sweepers = threads;
    make_room(&j, arena, threads);
    make_strips(&j, arena, STRIP_BYTES * (size_t)count + ((size_t)1 << 20), &sweepers);
    vti_parallel_for(threads, count, PARTICLES, gather_particles, &j);
    if (kind == VT_DIFFUSION_PSE) {
        sweep_cells(&j, meet_moments, SHARE, sweepers);
        vti_parallel_for(threads, count, PARTICLES, normalise, &j);
    }
    meet_function *const meet = rate_loops[kind == VT_DIFFUSION_EXCHANGE][components - 1];
    sweep_cells(&j, meet, DENSITY + components, sweepers);
    const int32_t parts = count_parts(&j, threads);
    if (parts > 1)
        make_changes(&j, arena, threads);
    for (int32_t part = 1; part < parts; part++) {
        vti_parallel_for(threads, count, PARTICLES, advance, &j);
        sweep_cells(&j, meet, DENSITY + components, sweepers);
    }
    vti_parallel_for(threads, count, PARTICLES, scatter, &j);
    vti_arena_pop(arena, mark);
}
