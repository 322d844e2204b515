/* The cores of the vortons: a separable Gaussian, 13 taps along each axis, from the deposited nodes
 * to the right side of the Poisson equation. Together with the trilinear weights of deposit and
 * sampling, the Laplacian and the curl (about 0.5 cells^2) it makes the effective core.
 *
 * One sweep: four planes at a time, rows pass through z, then y (from a ring of the last 16 rows),
 * then x while they are in the cache. A tap is a row; rows outside the box are a row of zeros. */
#include "core/mathd.h"
#include "core/parallel.h"
#include "stages/stages.h"

enum {
    REACH = 6,            /* taps on either side of the centre */
    OUT = 4,              /* planes, or rows, that are filtered together ... */
    IN = OUT + 2 * REACH, /* ... and those that they need: a power of two, the ring's length */
    BLOCK_NODES = 16384   /* nodes that a block should have: about 10 us */
};

typedef struct filter_job {
    const vt_grid *grid;
    float weights[REACH + 1];
    const float *zeros; /* a row of nodes */
    char *scratch;      /* filter_scratch, one per thread */
    size_t scratch_bytes;
} filter_job;

/* Rows have `pitch` floats. */
typedef struct filter_scratch {
    float *nodes; /* OUT rows of nodes, filtered along z */
    float *ring;  /* [plane OUT][component 3][row modulo IN]: filtered along z, components apart */
    float *rows;  /* [row OUT], VT_LANES zeros before and after each: filtered along z and y */
} filter_scratch;

static void gaussian_weights(double variance, double total, float weights[REACH + 1])
{
    double w[REACH + 1], sum = -1.0;
    for (int r = 0; r <= REACH; r++) {
        w[r] = vt_exp(-(double)(r * r) / (2.0 * variance));
        sum += 2.0 * w[r];
    }
    for (int r = 0; r <= REACH; r++)
        weights[r] = (float)(total * w[r] / sum);
}

/* OUT neighbouring results from IN neighbouring taps. */
VT_INLINE void filter_across(const vf taps[IN], const vf weights[REACH + 1], vf out[OUT])
{
    for (int m = 0; m < OUT; m++) {
        const vf *const centre = taps + REACH + m;
        vf sum = centre[0] * weights[0];
        for (int r = 1; r <= REACH; r++)
            sum = vf_fma(centre[-r] + centre[r], weights[r], sum);
        out[m] = sum;
    }
}

/* The same for whole rows of `count` floats; out rows follow each other by out_pitch. */
VT_INLINE void filter_rows(const float *const taps[IN], const float *weights, int64_t count,
                           float *out, int64_t out_pitch)
{
    vf w[REACH + 1];
    for (int r = 0; r <= REACH; r++)
        w[r] = vf_set(weights[r]);
    for (int64_t i = 0; i < count; i += VL) {
        vf in[IN], result[OUT];
        for (int t = 0; t < IN; t++)
            in[t] = vf_load(taps[t] + i);
        filter_across(in, w, result);
        for (int m = 0; m < OUT; m++)
            vf_store(out + m * out_pitch + i, result[m]);
    }
}

/* Row j of OUT planes from k on, filtered along z, to its place in the ring. */
static void filter_z(const filter_job *job, const filter_scratch *scratch, int64_t j, int64_t k)
{
    const vt_grid *const grid = job->grid;
    const int64_t pitch = grid->row, node_floats = 4 * grid->node_row;
    const float *taps[IN];
    for (int64_t t = 0; t < IN; t++) {
        const int64_t from = k - REACH + t;
        const int inside = from >= 0 && from <= grid->cells[2];
        taps[t] = inside
                      ? (const float *)(grid->nodes + from * grid->node_plane + j * grid->node_row)
                      : job->zeros;
    }
    filter_rows(taps, job->weights, 4 * (int64_t)(grid->cells[0] + 1), scratch->nodes, node_floats);
    for (int64_t p = 0; p < OUT; p++) {
        const float *const nodes = scratch->nodes + p * node_floats;
        float *const to = scratch->ring + (3 * p * IN + j % IN) * pitch;
        for (int64_t i = 0; i <= grid->cells[0]; i += VL) {
            vf r[4];
            for (int q = 0; q < 4; q++)
                r[q] = vf_load(nodes + 4 * i + q * VL);
            vf_deinterleave(r);
            for (int c = 0; c < 3; c++)
                vf_store(to + c * IN * pitch + i, r[c]);
        }
    }
}

/* Component c, plane p of the ring: OUT rows from j on, filtered along y. */
static void filter_y(const filter_job *job, const filter_scratch *scratch, int64_t plane_component,
                     int64_t j)
{
    const vt_grid *const grid = job->grid;
    const int64_t pitch = grid->row, nodes = grid->cells[0] + 1;
    const float *const ring = scratch->ring + plane_component * IN * pitch;
    const float *taps[IN];
    for (int64_t t = 0; t < IN; t++) {
        const int64_t from = j - REACH + t;
        const int inside = from >= 0 && from <= grid->cells[1];
        taps[t] = inside ? ring + from % IN * pitch : job->zeros;
    }
    const int64_t row_pitch = pitch + 2 * VT_LANES;
    filter_rows(taps, job->weights, nodes, scratch->rows + VT_LANES, row_pitch);
    for (int64_t m = 0; m < OUT; m++)
        memset(scratch->rows + m * row_pitch + VT_LANES + nodes, 0,
               (size_t)(row_pitch - VT_LANES - nodes) * sizeof(float));
}

/* One row along x to the field: zero at the faces and beyond. */
static void filter_x(const filter_job *job, const float *row, float *field)
{
    const int64_t cells = job->grid->cells[0], pitch = job->grid->row;
    vf w[REACH + 1];
    for (int r = 0; r <= REACH; r++)
        w[r] = vf_set(job->weights[r]);
    for (int64_t i = 0; i < cells; i += VL) {
        vf sum = vf_load(row + i) * w[0];
        for (int r = 1; r <= REACH; r++)
            sum = vf_fma(vf_load(row + i - r) + vf_load(row + i + r), w[r], sum);
        vf_store(field + i, sum);
    }
    field[0] = 0.0f;
    memset(field + cells, 0, (size_t)(pitch - cells) * sizeof *field);
}

/* Rows from y filter to field of OUT planes from k on, of which `planes` exist. */
static void filter_xy(const filter_job *job, const filter_scratch *scratch, int64_t j, int64_t k,
                      int64_t planes)
{
    const vt_grid *const grid = job->grid;
    const int64_t left = grid->cells[1] - j, rows = left < OUT ? left : OUT;
    for (int64_t p = 0; p < planes; p++)
        for (int64_t c = 0; c < 3; c++) {
            filter_y(job, scratch, 3 * p + c, j);
            float *const field = grid->field[c] + (k + p) * grid->plane + j * grid->row;
            for (int64_t m = 0; m < rows; m++)
                filter_x(job, scratch->rows + m * (grid->row + 2 * VT_LANES) + VT_LANES,
                         field + m * grid->row);
        }
}

static void clear_outer_rows(const vt_grid *grid, int64_t k)
{
    const int64_t beyond = grid->cells[1] * grid->row;
    for (int c = 0; c < 3; c++) {
        float *const plane = grid->field[c] + k * grid->plane;
        memset(plane, 0, (size_t)grid->row * sizeof *plane);
        memset(plane + beyond, 0, (size_t)(grid->plane - beyond) * sizeof *plane);
    }
}

/* OUT planes from inner plane k on: rows go through z as y needs them. */
static void filter_planes(const filter_job *job, const filter_scratch *scratch, int64_t k)
{
    const vt_grid *const grid = job->grid;
    const int64_t left = grid->cells[2] - k, planes = left < OUT ? left : OUT;
    int64_t ready = 0;
    for (int64_t j = 1; j < grid->cells[1]; j += OUT) {
        const int64_t need = j + OUT + REACH;
        for (; ready < need && ready <= grid->cells[1]; ready++)
            filter_z(job, scratch, ready, k);
        filter_xy(job, scratch, j, k, planes);
    }
    for (int64_t p = 0; p < planes; p++)
        clear_outer_rows(grid, k + p);
}

static void filter_blocks(void *context, int64_t begin, int64_t end, int thread)
{
    const filter_job *const job = context;
    const vt_grid *const grid = job->grid;
    float *const memory = (float *)(job->scratch + (size_t)thread * job->scratch_bytes);
    filter_scratch scratch = {.nodes = memory};
    scratch.ring = scratch.nodes + OUT * 4 * grid->node_row;
    scratch.rows = scratch.ring + OUT * 3 * IN * grid->row;
    memset(scratch.rows, 0, (size_t)(OUT * (grid->row + 2 * VT_LANES)) * sizeof(float));
    for (int64_t block = begin; block < end; block++)
        filter_planes(job, &scratch, 1 + block * OUT);
}

void VT_NAME(filter)(vt_grid *grid, double variance, double weight, vt_arena *arena, int threads)
{
    filter_job job = {.grid = grid};
    gaussian_weights(variance, vt_cbrt(weight), job.weights); /* a third of it along each axis */
    const size_t mark = vt_arena_mark(arena);
    const size_t row_bytes = (size_t)grid->node_row * sizeof(f4);
    float *const zeros = vt_arena_push(arena, row_bytes);
    memset(zeros, 0, row_bytes);
    job.zeros = zeros;
    job.scratch_bytes =
        OUT * row_bytes +
        (size_t)(OUT * 3 * IN * grid->row + OUT * (grid->row + 2 * VT_LANES)) * sizeof(float);
    job.scratch_bytes = (job.scratch_bytes + 63) / 64 * 64;
    job.scratch = vt_arena_push(arena, (size_t)threads * job.scratch_bytes);
    const int64_t blocks = (grid->cells[2] - 1 + OUT - 1) / OUT;
    const int64_t nodes = OUT * grid->row * (grid->cells[1] + 1);
    vt_parallel_for(threads, blocks, 1 + BLOCK_NODES / nodes, filter_blocks, &job);
    vt_arena_pop(arena, mark);
}
