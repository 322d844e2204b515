#include "kernels/grid/gaussian_filter.h"

#include "base/math_double.h"
#include "base/parallel.h"
#include "base/simd_rearrange.h"

enum {
    COMPONENTS = 3,
    REACH = VT_NEAR_REACH,   /* taps on either side of the centre */
    PLANES = 8,              /* planes filtered together, fixed: the unit of parallel work */
    ROWS = 8,                /* rows filtered together along y */
    RING = ROWS + 2 * REACH, /* rows that these need */
    BLOCK_NODES = 1024       /* nodes that a block should have at least: 1.3 us */
};

typedef struct filter_job {
    const vt_grid *grid;
    float weights[3][REACH + 1];  /* along x, y, z */
    int adds;                     /* 1: to the field, not in its place */
    int64_t end_rows, end_planes; /* inner rows and planes from 1 on are written */
    int64_t pitch;                /* of rows in scratch: REACH zeros at least between two of them */
    const float *zeros;           /* a row of nodes */
    float *scratch;               /* scratch_floats for each thread */
    int64_t scratch_floats;
} filter_job;

/* What a thread has while it works on planes k .. k + PLANES - 1. */
typedef struct filter_scratch {
    const filter_job *job;
    int64_t k, planes;    /* planes of the group that exist */
    float *ring;          /* [plane][component][row j modulo RING][pitch]: filtered along z */
    float *rows;          /* [ROWS][pitch], VT_LANES zeros before: filtered along z and y */
    uint8_t filled[RING]; /* whether a row of the ring is there; else it stands for zeros */
} filter_scratch;

VT_INLINE void broadcast(const float weights[REACH + 1], vf w[REACH + 1])
{
    for (int r = 0; r <= REACH; r++)
        w[r] = vf_set(weights[r]);
}

/* `count` neighbouring results, at `at` in their rows, from count + 2 REACH taps. */
VT_INLINE void filter_across(const float *const taps[], int64_t at, const vf w[REACH + 1],
                             int count, vf results[])
{
    vf window[RING > PLANES + 2 * REACH ? RING : PLANES + 2 * REACH];
    for (int t = 0; t < 2 * REACH; t++)
        window[t] = vf_load(taps[t] + at);
    for (int m = 0; m < count; m++) {
        const vf *const centre = window + REACH + m;
        window[m + 2 * REACH] = vf_load(taps[m + 2 * REACH] + at);
        vf sum = centre[0] * w[0];
        for (int r = 1; r <= REACH; r++)
            sum = vf_fma(centre[-r] + centre[r], w[r], sum);
        results[m] = sum;
    }
}

VT_INLINE void clear(vf v[PLANES])
{
    for (int p = 0; p < PLANES; p++)
        v[p] = vf_set(0.0f);
}

/* Whether filtering along z leaves anything but zeros in row j of the planes. */
static uint8_t is_reached(const filter_scratch *scratch, int64_t j)
{
    const vt_grid *const grid = scratch->job->grid;
    for (int64_t k = scratch->k - REACH; k < scratch->k + PLANES + REACH; k++)
        if (vti_is_filled(grid, j, k))
            return 1;
    return 0;
}

/* The taps of row j of the planes. */
static void plane_taps(const filter_scratch *scratch, int64_t j,
                       const float *taps[PLANES + 2 * REACH])
{
    for (int64_t t = 0; t < PLANES + 2 * REACH; t++)
        taps[t] =
            vti_filled_row(scratch->job->grid, j, scratch->k - REACH + t, scratch->job->zeros);
}

static int64_t place_in_ring(int64_t j)
{
    return (j + RING) % RING;
}

/* Row j of the planes, filtered along z, components apart, to its place in the ring. */
static void filter_z(const filter_scratch *scratch, int64_t j)
{
    const filter_job *const job = scratch->job;
    const vt_grid *const grid = job->grid;
    const int64_t nodes = grid->cells[0] + 1, component = RING * job->pitch;
    const float *taps[PLANES + 2 * REACH];
    plane_taps(scratch, j, taps);
    vf w[REACH + 1];
    broadcast(job->weights[2], w);
    float *const to = scratch->ring + place_in_ring(j) * job->pitch;
    for (int64_t i = 0; i < job->pitch; i += VL) {
        vf quarter[4][PLANES];
        for (int q = 0; q < 4; q++) {
            if (i + q * VL / 4 < nodes)
                filter_across(taps, 4 * i + q * VL, w, PLANES, quarter[q]);
            else
                clear(quarter[q]);
        }
        for (int p = 0; p < PLANES; p++) {
            vf r[4] = {quarter[0][p], quarter[1][p], quarter[2][p], quarter[3][p]};
            vf_deinterleave(r);
            for (int c = 0; c < COMPONENTS; c++)
                vf_store(to + (COMPONENTS * p + c) * component + i, vf_first(r[c], nodes - i));
        }
    }
}

/* The taps of rows j .. j + ROWS - 1 in the first plane and component of the ring, and the step of
 * each from there to the next component. Returns whether any holds more than zeros. */
static int ring_taps(const filter_scratch *scratch, int64_t j, const float *taps[RING],
                     int64_t steps[RING])
{
    const filter_job *const job = scratch->job;
    int any = 0;
    for (int64_t t = 0; t < RING; t++) {
        const int64_t from = j - REACH + t;
        const int inside = from >= 0 && from <= job->grid->cells[1];
        const int filled = inside && scratch->filled[place_in_ring(from)];
        taps[t] = filled ? scratch->ring + place_in_ring(from) * job->pitch : job->zeros;
        steps[t] = filled ? RING * job->pitch : 0;
        any |= filled;
    }
    return any;
}

/* Where a load that crosses a cache line costs more than a shuffle, taps come from whole vectors.
 */
#if VL == 16
#define LEFT(r) (vf) _mm512_alignr_epi32((__m512i)here, (__m512i)vf_load(row + i - VL), VL - (r))
#define RIGHT(r) (vf) _mm512_alignr_epi32((__m512i)vf_load(row + i + VL), (__m512i)here, r)
#else
#define LEFT(r) vf_load(row + i - (r))
#define RIGHT(r) vf_load(row + i + (r))
#endif
#define ADD_PAIR(r) sum = vf_fma(LEFT(r) + RIGHT(r), w[r], sum)

/* One row along x to the field: zero at the faces and beyond. */
VT_INLINE void filter_x(const filter_job *job, const vf w[REACH + 1], const float *row,
                        float *field)
{
    const int64_t end = job->grid->cells[0];
    int64_t i = 0;
    for (; i < end; i += VL) {
        const vf here = vf_load(row + i);
        vf sum = here * w[0];
        ADD_PAIR(1);
        ADD_PAIR(2);
        ADD_PAIR(3);
        ADD_PAIR(4);
        ADD_PAIR(5);
        ADD_PAIR(6);
        if (job->adds)
            sum += vf_load(field + i);
        vf_store(field + i, vf_first(sum, end - i));
    }
    field[0] = 0.0f;
    for (; i < job->grid->row; i += VL)
        vf_store(field + i, vf_set(0.0f));
}

/* Row j of one of the planes and components of the group, all components of a plane in turn. */
static float *field_row(const filter_scratch *scratch, int64_t number, int64_t j)
{
    const vt_grid *const grid = scratch->job->grid;
    return grid->field[number % COMPONENTS] + (scratch->k + number / COMPONENTS) * grid->plane +
           j * grid->row;
}

/* Writing short runs of rows in many planes is too irregular for the hardware to foresee. */
static void prefetch(const float *rows, int64_t floats)
{
    for (int64_t i = 0; i < floats; i += VT_LANES)
        __builtin_prefetch(rows + i, 1);
}

/* From the ring to the field: ROWS rows from row j on of every plane of the group. */
static void filter_yx(const filter_scratch *scratch, int64_t j)
{
    const filter_job *const job = scratch->job;
    const vt_grid *const grid = job->grid;
    const int64_t left = job->end_rows - j, rows = left < ROWS ? left : ROWS, pitch = job->pitch;
    const int64_t numbers = COMPONENTS * scratch->planes;
    const float *taps[RING];
    int64_t steps[RING];
    if (!ring_taps(scratch, j, taps, steps)) {
        for (int64_t number = 0; number < numbers && !job->adds; number++)
            memset(field_row(scratch, number, j), 0, (size_t)(rows * grid->row) * sizeof(float));
        return;
    }
    vf x[REACH + 1], y[REACH + 1];
    broadcast(job->weights[0], x);
    broadcast(job->weights[1], y);
    for (int64_t number = 0; number < numbers; number++) {
        if (number + 1 < numbers)
            prefetch(field_row(scratch, number + 1, j), rows * grid->row);
        for (int64_t i = 0; i < pitch; i += VL) {
            vf results[ROWS];
            filter_across(taps, i, y, ROWS, results);
            for (int m = 0; m < ROWS; m++)
                vf_store(scratch->rows + m * pitch + i, results[m]);
        }
        for (int t = 0; t < RING; t++)
            taps[t] += steps[t];
        float *const field = field_row(scratch, number, j);
        for (int64_t m = 0; m < rows; m++) {
            filter_x(job, x, scratch->rows + m * pitch, field + m * grid->row);
        }
    }
}

static void clear_outer_rows(const filter_job *job, int64_t k)
{
    const vt_grid *const grid = job->grid;
    const int64_t beyond = job->end_rows * grid->row;
    for (int c = 0; c < COMPONENTS; c++) {
        float *const plane = grid->field[c] + k * grid->plane;
        memset(plane, 0, (size_t)grid->row * sizeof *plane);
        memset(plane + beyond, 0, (size_t)(grid->plane - beyond) * sizeof *plane);
    }
}

/* Rows go through z just before y needs them. */
static void filter_group(filter_scratch *scratch)
{
    const filter_job *const job = scratch->job;
    int64_t ready = 0;
    for (int64_t j = 1; j < job->end_rows; j += ROWS) {
        for (; ready < j + ROWS + REACH && ready <= job->grid->cells[1]; ready++)
            if ((scratch->filled[place_in_ring(ready)] = is_reached(scratch, ready)))
                filter_z(scratch, ready);
        filter_yx(scratch, j);
    }
    for (int64_t p = 0; p < scratch->planes; p++)
        clear_outer_rows(job, scratch->k + p);
}

static void filter_groups(void *context, int64_t begin, int64_t end, int thread)
{
    const filter_job *const job = context;
    float *const memory = job->scratch + thread * job->scratch_floats;
    const int64_t row_floats = ROWS * job->pitch;
    filter_scratch scratch = {.job = job, .rows = memory + VT_LANES};
    scratch.ring = scratch.rows + row_floats + VT_LANES;
    memset(memory, 0, VT_LANES * sizeof *memory);
    memset(scratch.rows + row_floats, 0, VT_LANES * sizeof *memory);
    for (int64_t group = begin; group < end; group++) {
        const int64_t left = job->end_planes - 1 - group * PLANES;
        scratch.k = 1 + group * PLANES;
        scratch.planes = left < PLANES ? left : PLANES;
        filter_group(&scratch);
    }
}

void VT_NAME(filter)(vt_grid *grid, const vt_filter_taps *taps, double weight, int adds,
                     vt_arena *arena, int threads)
{
    filter_job job = {
        .grid = grid, .adds = adds, .end_rows = grid->cells[1], .end_planes = grid->cells[2]};
    const double share = weight < 0 ? -vti_cbrt(-weight) : vti_cbrt(weight);
    for (int a = 0; a < 3; a++)
        for (int r = 0; r <= REACH; r++)
            job.weights[a][r] = (float)(share * taps->weight[a][r]);
    job.pitch = (grid->cells[0] + 1 + REACH + VT_LANES - 1) / VT_LANES * VT_LANES;
    job.scratch_floats = 2 * VT_LANES + (ROWS + PLANES * COMPONENTS * RING) * job.pitch +
                         VT_STREAMS_APART / (int64_t)sizeof(float);

    const size_t mark = vti_arena_mark(arena), row_bytes = (size_t)grid->node_row * sizeof(f4);
    job.scratch = vti_arena_push(arena, (size_t)(threads * job.scratch_floats) * sizeof(float));
    job.zeros = memset(vti_arena_push(arena, row_bytes), 0, row_bytes);
    const int64_t groups = (job.end_planes - 1 + PLANES - 1) / PLANES;
    const int64_t group_nodes = PLANES * grid->row * (grid->cells[1] + 1);
    vti_parallel_for_numbered(threads, groups, 1 + BLOCK_NODES / group_nodes, filter_groups, &job);
    vti_arena_pop(arena, mark);
}
