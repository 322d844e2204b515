#include "kernels/poisson/poisson_multigrid.h"

#include "base/parallel.h"
#include "base/simd_rearrange.h"
#include "kernels/poisson/multigrid_levels.h"

enum {
    COMPONENTS = 3,
    SLAB = 4,        /* planes relaxed together: at least 3, see relax_slab */
    GROUP = 4,       /* planes that a level is passed on by */
    SMALL = 1 << 16, /* floats: levels with less are one block of work */
    BEFORE = 1,      /* relaxations before going to the coarser level, and after */
    AFTER = 1,
    LAST = 12 /* relaxations that solve the last level */
};

/* Over-relaxation of the smoother: in three dimensions a little of it damps best (Yavneh 1996). */
static const float smoother_rate = 1.15f;

typedef struct solver {
    const vt_grid *grid;
    vt_levels levels;
    int threads;
    float *scratch; /* scratch_floats for each thread: three planes and a row */
    int64_t scratch_floats;
} solver;

typedef struct level_job level_job;

/* Part `part` of component c. */
typedef void part_function(const level_job *job, int c, int part, float *scratch);

/* Work on a level, or from one level to the next. */
struct level_job {
    const solver *s;
    const vt_level *fine, *coarse;
    float rate;   /* of the relaxation */
    int phase;    /* which slabs */
    int residual; /* what is averaged: the residual, else the source */
    int add;      /* whether the coarse potential is added */
    int parts;    /* of each component */
    part_function *body;
};

static float *rows_of(float *const array[3], const vt_level *l, int c, int64_t k, int64_t j)
{
    return array[c] + k * l->plane + j * l->row;
}

static void run_parts(void *context, int64_t begin, int64_t end, int thread)
{
    const level_job *const job = context;
    float *const scratch = job->s->scratch + thread * job->s->scratch_floats;
    for (int unit = (int)begin; unit < end; unit++)
        job->body(job, unit / job->parts, unit % job->parts, scratch);
}

/* Runs body over `parts` parts of each component of a level. */
static void work(level_job job, const vt_level *level, int parts, part_function *body)
{
    const int64_t floats = COMPONENTS * level->plane * (level->cells[2] + 1);
    const int64_t units = COMPONENTS * (int64_t)parts, whole = units > 0 ? units : 1;
    job.parts = parts;
    job.body = body;
    vti_parallel_for_numbered(job.s->threads, units, floats < SMALL ? whole : 1, run_parts, &job);
}

/* ---- relaxation ---- */

/* The nodes of a row at which `inner` is set. */
VT_INLINE void relax_row(const vt_level *l, float *a, const float *f, const int32_t *inner,
                         float rate)
{
    const vf x = vf_set(l->coupling[0]), y = vf_set(l->coupling[1]), z = vf_set(l->coupling[2]);
    const float diagonal = 2.0f * (l->coupling[0] + l->coupling[1] + l->coupling[2]);
    const vf scale = vf_set(rate / diagonal), kept = vf_set(1.0f - rate);
    const int64_t row = l->row, plane = l->plane, cells = l->cells[0];
    vf before = {0}, here = vf_load(a);
    for (int64_t i = 0; i < cells; i += VL) {
        const vf after = vf_load(a + i + VL);
        vf sum = vf_load(f + i);
        sum = vf_fma(x, vf_behind(before, here) + vf_ahead(here, after), sum);
        sum = vf_fma(y, vf_load(a + i - row) + vf_load(a + i + row), sum);
        sum = vf_fma(z, vf_load(a + i - plane) + vf_load(a + i + plane), sum);
        const vf relaxed = vf_fma(here, kept, sum * scale);
        vf_store(a + i, vf_select(vi_load(inner + i), relaxed, here));
        before = here;
        here = after;
    }
}

static void relax_plane(const vt_level *l, int c, int k, int colour, float rate)
{
    float *const a = rows_of(l->potential, l, c, k, 0);
    const float *const f = rows_of(l->source, l, c, k, 0);
    for (int64_t j = 1; j < l->cells[1]; j++)
        relax_row(l, a + j * l->row, f + j * l->row, l->inner[(j + k + colour) & 1], rate);
}

/* Red nodes of a slab and, one plane behind, those black ones whose neighbours are all done. Even
 * slabs come first; odd ones then also do the black planes on either side of them. Slabs at work at
 * the same time are so far apart that none reads what another writes. */
static void relax_slab(const level_job *job, int c, int part, float *scratch)
{
    const vt_level *const l = job->fine;
    const int slab = 2 * part + job->phase, end = l->cells[2] - 1, first = 1 + slab * SLAB;
    const int last = first + SLAB - 1 < end ? first + SLAB - 1 : end;
    int black = first, black_last = last;
    (void)scratch;
    if (job->phase == 0) {
        black += slab > 0;
        black_last -= last < end;
    } else {
        black -= 1;
        black_last += last < end;
    }
    for (int k = first; k <= last || k <= black_last + 1; k++) {
        if (k <= last)
            relax_plane(l, c, k, 0, job->rate);
        if (k - 1 >= black && k - 1 <= black_last)
            relax_plane(l, c, k - 1, 1, job->rate);
    }
}

static int slabs_of(const vt_level *l)
{
    return (l->cells[2] - 1 + SLAB - 1) / SLAB;
}

static void relax(const solver *s, int level, int times, float rate)
{
    const vt_level *const l = &s->levels.level[level];
    level_job job = {.s = s, .fine = l, .rate = rate};
    for (int n = 0; n < times; n++)
        for (job.phase = 0; job.phase < 2; job.phase++)
            work(job, l, (slabs_of(l) + 1 - job.phase) / 2, relax_slab);
}

/* ---- from a level to the coarser one ---- */

/* f - sum of c (2 A - A[-] - A[+]) at the inner nodes of a row, else 0. */
VT_INLINE void residual_row(const vt_level *l, const float *a, const float *f, float *out)
{
    const vf x = vf_set(l->coupling[0]), y = vf_set(l->coupling[1]), z = vf_set(l->coupling[2]);
    const vf diagonal = vf_set(-2.0f * (l->coupling[0] + l->coupling[1] + l->coupling[2]));
    const int64_t row = l->row, plane = l->plane, cells = l->cells[0];
    const int32_t *const inner = l->inner[VT_ALL];
    vf before = {0}, here = vf_load(a);
    for (int64_t i = 0; i < cells; i += VL) {
        const vf after = vf_load(a + i + VL);
        vf sum = vf_fma(diagonal, here, vf_load(f + i));
        sum = vf_fma(x, vf_behind(before, here) + vf_ahead(here, after), sum);
        sum = vf_fma(y, vf_load(a + i - row) + vf_load(a + i + row), sum);
        sum = vf_fma(z, vf_load(a + i - plane) + vf_load(a + i + plane), sum);
        vf_store(out + i, vf_select(vi_load(inner + i), sum, (vf){0}));
        before = here;
        here = after;
    }
}

/* A row averaged along x: inner nodes of the coarse level. */
static void shrink_row(const level_job *job, const float *line, float *out)
{
    const vt_transfer *const x = &job->fine->coarser[0];
    const int64_t cells = job->coarse->cells[0];
    vf odd_before = {0};
    for (int64_t i = 0; i < cells; i += VL) {
        vf sum = {0};
        if (job->fine->cells[0] == 2 * cells) {
            vf even, odd;
            vf_unzip(vf_load(line + 2 * i), vf_load(line + 2 * i + VL), &even, &odd);
            sum = 0.5f * even + 0.25f * (vf_behind(odd_before, odd) + odd);
            odd_before = odd;
        } else {
            for (int a = 0; a < VT_TAPS; a++)
                sum =
                    vf_fma(vf_gather(line, vi_load(x->tap[a] + i)), vf_load(x->share[a] + i), sum);
        }
        vf_store(out + i, sum);
    }
}

/* Plane k of what is averaged, along x: rows of the coarse level, as many as the fine one has. */
static void fill_plane(const level_job *job, int c, int64_t k, float *line, float *out)
{
    const vt_level *const l = job->fine;
    for (int64_t j = 1; j < l->cells[1]; j++) {
        const float *const f = rows_of(l->source, l, c, k, j);
        if (job->residual)
            residual_row(l, rows_of(l->potential, l, c, k, j), f, line);
        shrink_row(job, job->residual ? line : f, out + j * job->coarse->row);
    }
}

/* Row J of the coarse source from three rows in each of three planes. */
static void average_row(const level_job *job, const float *const planes[VT_TAPS],
                        const float plane_share[VT_TAPS], int J, float *out)
{
    const vt_transfer *const y = &job->fine->coarser[1];
    const int64_t cells = job->coarse->cells[0], row = job->coarse->row;
    const float *rows[VT_TAPS * VT_TAPS];
    vf share[VT_TAPS * VT_TAPS];
    for (int n = 0; n < VT_TAPS * VT_TAPS; n++) {
        rows[n] = planes[n / VT_TAPS] + y->tap[n % VT_TAPS][J] * row;
        share[n] = vf_set(plane_share[n / VT_TAPS] * y->share[n % VT_TAPS][J]);
    }
    for (int64_t i = 0; i < cells; i += VL) {
        vf sum = {0};
#pragma GCC unroll 9
        for (int n = 0; n < VT_TAPS * VT_TAPS; n++)
            sum = vf_fma(vf_load(rows[n] + i), share[n], sum);
        vf_store(out + i, sum);
    }
}

/* GROUP coarse planes of one component, each fine plane made once. */
static void average_group(const level_job *job, int c, int group, float *scratch)
{
    const vt_level *const l = job->fine, *const m = job->coarse;
    const vt_transfer *const z = &l->coarser[2];
    int K = 1 + group * GROUP;
    const int end = K + GROUP < m->cells[2] ? K + GROUP : m->cells[2];
    float *const line = scratch + VT_TAPS * l->plane;
    for (int64_t next = z->tap[0][K]; K < end; K++) {
        const float *planes[VT_TAPS];
        float share[VT_TAPS];
        for (int a = 0; a < VT_TAPS; a++) {
            for (; next <= z->tap[a][K]; next++)
                fill_plane(job, c, next, line, scratch + next % VT_TAPS * l->plane);
            planes[a] = scratch + z->tap[a][K] % VT_TAPS * l->plane;
            share[a] = z->share[a][K];
        }
        for (int J = 1; J < m->cells[1]; J++)
            average_row(job, planes, share, J, rows_of(m->source, m, c, K, J));
    }
}

/* The source of the next level: averages of the residual, or of the source. */
static void average(const solver *s, int level, int residual)
{
    const vt_level *const l = &s->levels.level[level];
    const level_job job = {.s = s, .fine = l, .coarse = l + 1, .residual = residual};
    work(job, l, (l[1].cells[2] - 1 + GROUP - 1) / GROUP, average_group);
}

static void sample_rows(const level_job *job, float *const from[3], float *const to[3], int c,
                        int K)
{
    const vt_level *const l = job->fine, *const m = job->coarse;
    const int32_t *const x = l->coarser[0].nearest;
    for (int J = 0; J <= m->cells[1]; J++) {
        const float *const in =
            rows_of(from, l, c, l->coarser[2].nearest[K], l->coarser[1].nearest[J]);
        float *const out = rows_of(to, m, c, K, J);
        for (int64_t I = 0; I <= m->cells[0]; I += VL)
            vf_store(out + I, vf_gather(in, vi_load(x + I)));
    }
}

static void sample_potential(const level_job *job, int c, int K, float *scratch)
{
    (void)scratch;
    sample_rows(job, job->fine->potential, job->coarse->potential, c, K);
}

static void sample_source(const level_job *job, int c, int K, float *scratch)
{
    (void)scratch;
    sample_rows(job, job->fine->source, job->coarse->source, c, K);
}

/* Potential (boundary values too) or source of the next level: the nearest values. */
static void sample(const solver *s, int level, part_function *which)
{
    const vt_level *const l = &s->levels.level[level];
    const level_job job = {.s = s, .fine = l, .coarse = l + 1};
    work(job, l + 1, l[1].cells[2] + 1, which);
}

static void clear_plane(const level_job *job, int c, int K, float *scratch)
{
    const vt_level *const m = job->coarse;
    (void)scratch;
    memset(rows_of(m->potential, m, c, K, 0), 0, sizeof(float) * (size_t)m->plane);
}

/* ---- from a level to the finer one ---- */

/* low + t (high - low) in `out`; low itself where t is 0. */
static const float *blend(const float *low, const float *high, float t, int64_t floats, float *out)
{
    if (t == 0)
        return low;
    for (int64_t i = 0; i < floats; i += VL) {
        const vf here = vf_load(low + i);
        vf_store(out + i, vf_fma(vf_load(high + i) - here, vf_set(t), here));
    }
    return out;
}

/* Where inner is set: in place of what is there, or added. */
VT_INLINE void put(float *a, vf value, const int32_t *inner, int add)
{
    const vf here = vf_load(a);
    vf_store(a, vf_select(vi_load(inner), add ? here + value : value, here));
}

/* A fine row from a row of coarse nodes, interpolated along x. */
VT_INLINE void stretch_row(const level_job *job, const float *in, float *a, int add)
{
    const vt_transfer *const x = &job->fine->coarser[0];
    const int64_t cells = job->fine->cells[0];
    const int32_t *const inner = job->fine->inner[VT_ALL], *const base = x->base;
    const float *const fraction = x->fraction;
    if (cells == 2 * job->coarse->cells[0]) {
        for (int64_t i = 0; i < cells; i += 2 * VL) {
            const vf here = vf_load(in + i / 2), after = vf_load(in + i / 2 + 1);
            vf low, high;
            vf_zip(here, 0.5f * (here + after), &low, &high);
            put(a + i, low, inner + i, add);
            if (i + VL < cells)
                put(a + i + VL, high, inner + i + VL, add);
        }
        return;
    }
    for (int64_t i = 0; i < cells; i += VL) {
        const vf low = vf_gather(in, vi_load(base + i)),
                 high = vf_gather(in + 1, vi_load(base + i));
        put(a + i, vf_fma(high - low, vf_load(fraction + i), low), inner + i, add);
    }
}

static void pass_plane(const level_job *job, int c, int part, float *scratch)
{
    const int k = 1 + part;
    const vt_level *const l = job->fine, *const m = job->coarse;
    const vt_transfer *const y = &l->coarser[1], *const z = &l->coarser[2];
    const float *const low = rows_of(m->potential, m, c, z->base[k], 0);
    const float *const plane = blend(low, low + m->plane, z->fraction[k], m->plane, scratch);
    float *const line = scratch + l->plane;
    for (int j = 1; j < l->cells[1]; j++) {
        const float *row = plane + y->base[j] * m->row;
        float *const a = rows_of(l->potential, l, c, k, j);
        row = blend(row, row + m->row, y->fraction[j], m->row, line);
        if (job->add)
            stretch_row(job, row, a, 1);
        else
            stretch_row(job, row, a, 0);
    }
}

/* The potential of the next level, interpolated linearly to the inner nodes of this one: in place
 * of its potential, or added. */
static void pass_up(const solver *s, int level, int add)
{
    const vt_level *const l = &s->levels.level[level];
    const level_job job = {.s = s, .fine = l, .coarse = l + 1, .add = add};
    work(job, l, l->cells[2] - 1, pass_plane);
}

/* ---- the solvers ---- */

static void copy_row(float *to, const float *from, int64_t floats)
{
    memcpy(to, from, sizeof *to * (size_t)floats);
}

/* The field becomes the source; in its place, boundary values and zero inside. */
static void start_plane(const level_job *job, int c, int k, float *scratch)
{
    const vt_grid *const g = job->s->grid;
    const vt_level *const l = job->fine;
    const int64_t nx = g->cells[0], ny = g->cells[1], nz = g->cells[2];
    (void)scratch;
    for (int64_t j = 0; j <= ny; j++) {
        float *const a = rows_of(l->potential, l, c, k, j);
        const int outer_z = k == 0 || k == nz, outer = outer_z || j == 0 || j == ny;
        const int face = outer_z ? 4 + (k == nz) : 2 + (j == ny);
        const float *const values = g->face[face] + c * g->face_plane;
        copy_row(rows_of(l->source, l, c, k, j), a, nx + 1);
        if (outer) {
            copy_row(a, values + (outer_z ? j : k) * g->face_row, nx + 1);
            continue;
        }
        memset(a, 0, sizeof *a * (size_t)l->row);
        a[0] = g->face[0][c * g->face_plane + k * g->face_row + j];
        a[nx] = g->face[1][c * g->face_plane + k * g->face_row + j];
    }
}

static void start(solver *s, vt_grid *grid, vt_arena *arena, int threads)
{
    *s = (solver){.grid = grid, .threads = threads};
    vti_make_levels(&s->levels, grid, arena);
    s->scratch_floats =
        VT_TAPS * grid->plane + grid->row + VT_STREAMS_APART / (int64_t)sizeof(float);
    s->scratch = vti_arena_push(arena, sizeof(float) * (size_t)s->scratch_floats * (size_t)threads);
    const level_job job = {.s = s, .fine = &s->levels.level[0]};
    work(job, job.fine, grid->cells[2] + 1, start_plane);
}

/* One V-cycle from this level: its residual goes down, corrections come back. */
static void correct(const solver *s, int level)
{
    const int last = s->levels.count - 1;
    for (int n = level; n < last; n++) {
        const vt_level *const l = &s->levels.level[n];
        const level_job job = {.s = s, .coarse = l + 1};
        relax(s, n, BEFORE, smoother_rate);
        average(s, n, 1);
        work(job, l + 1, l[1].cells[2] + 1, clear_plane);
    }
    relax(s, last, LAST, 1.0f);
    for (int n = last - 1; n >= level; n--) {
        pass_up(s, n, 1);
        relax(s, n, AFTER, smoother_rate);
    }
}

void VT_NAME(multigrid)(vt_grid *grid, int cycles, vt_arena *arena, int threads)
{
    const size_t mark = vti_arena_mark(arena);
    solver s;
    start(&s, grid, arena, threads);
    const int last = s.levels.count - 1;
    for (int level = 0; level < last; level++) {
        average(&s, level, 0);
        sample(&s, level, sample_potential);
    }
    relax(&s, last, LAST, 1.0f);
    for (int level = last - 1; level >= 0; level--) {
        pass_up(&s, level, 0);
        for (int n = 0; n < (level == 0 ? cycles : 1); n++)
            correct(&s, level);
    }
    vti_arena_pop(arena, mark);
}

void VT_NAME(nested)(vt_grid *grid, int steps, int downsampling, vt_arena *arena, int threads)
{
    const size_t mark = vti_arena_mark(arena);
    solver s;
    start(&s, grid, arena, threads);
    const int last = s.levels.count - 1;
    for (int level = 0; level < last; level++) {
        sample(&s, level, sample_potential);
        if (downsampling == VT_DOWNSAMPLING_NEAREST)
            sample(&s, level, sample_source);
        else
            average(&s, level, 0);
        relax(&s, level + 1, steps, 1.0f);
    }
    for (int level = last - 1; level >= 0; level--) {
        pass_up(&s, level, 0);
        relax(&s, level, steps, 1.0f);
    }
    vti_arena_pop(arena, mark);
}
