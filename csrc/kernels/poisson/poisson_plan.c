#include "kernels/poisson/poisson_plan.h"

#include <stdlib.h>

#include "base/math_double.h"
#include "base/parallel.h"
#include "base/reserve.h"
#include "kernels/grid/filter_taps.h"
#include "model/grid.h"

enum { LEAST_CELLS = 6, ALIGNMENT = 64 };
enum { HUGE_FROM = 1 << 22 /* bytes that are worth huge pages */ };

static size_t rounded(size_t n, size_t multiple)
{
    return (n + multiple - 1) / multiple * multiple;
}

int vti_poisson_likes(int64_t cells)
{
    if (cells < LEAST_CELLS || cells > VT_MOST_CELLS || cells % 2 != 0)
        return 0;
    for (int factor = 2; factor <= 5; factor++)
        while (cells % factor == 0)
            cells /= factor;
    return cells == 1;
}

/* ---- memory ---- */

/* Bytes of the tables of one axis, at most: 3 floats a point on each level, each level half as long
 * as the one before. */
static size_t sine_bytes(size_t cells)
{
    return sizeof(float) * 6 * cells + VT_SINE_LEVELS * 4 * ALIGNMENT;
}

int vti_poisson_plan_create(vt_poisson_plan *plan, int64_t most_nodes)
{
    const size_t pivots = rounded(2 * sizeof(float) * (size_t)most_nodes, ALIGNMENT);
    *plan = (vt_poisson_plan){.capacity = pivots + 2 * sine_bytes(VT_MOST_CELLS)};
    plan->memory = vti_reserve(plan->capacity);
    if (!plan->memory)
        return -1;
    if (pivots > HUGE_FROM)
        vti_reserve_huge(plan->memory, plan->capacity);
    return 0;
}

void vti_poisson_plan_destroy(vt_poisson_plan *plan)
{
    vti_release(plan->memory, plan->capacity);
    *plan = (vt_poisson_plan){0};
}

size_t vti_poisson_scratch(const int32_t cells[3], int threads)
{
    enum { PUSHES = 64, OF_THREAD = 16 }; /* each a little longer than what it is for */
    const size_t x = rounded((size_t)cells[0] + 1, VT_LANES);
    const size_t y = rounded((size_t)cells[1] + 1, VT_LANES);
    const size_t z = rounded((size_t)cells[2] + 1, VT_LANES) + VT_LANES;
    const size_t line = VT_LANES * (x > y ? x : y), column = VT_LANES * (z + 2 * VT_FILTER_REACH);
    const size_t faces = 3 * (4 * (x + y) * z + 2 * x * y) + (10 + VT_MOST_FILTERS) * (x + y);
    const size_t own = sizeof(float) * (3 * x * y + 4 * line + 3 * column);
    return sizeof(float) * faces + PUSHES * ALIGNMENT +
           (size_t)threads * (own + VT_STREAMS_APART + OF_THREAD * ALIGNMENT);
}

/* ---- tables of the sine transforms ---- */

static void *take(char **free, size_t bytes)
{
    void *const block = *free;
    *free += rounded(bytes, ALIGNMENT);
    return block;
}

/* After a pass of radix r over blocks of L points, frequency k of a block is frequency k / r of its
 * (k mod r)-th part. */
static int32_t place_of(int frequency, int points)
{
    int32_t place = 0;
    for (int block = points; block > 1;) {
        const int radix = vti_next_radix(block);
        block /= radix;
        place += frequency % radix * block;
        frequency /= radix;
    }
    return place;
}

static void make_twiddles(float *twiddle, int points)
{
    for (int block = points; block > 1;) {
        const int radix = vti_next_radix(block);
        for (int j = 1; j < block / radix; j++)
            for (int q = 1; q < radix; q++) {
                const double turn = 2.0 * j * q / block;
                *twiddle++ = (float)vti_cos_pi(turn);
                *twiddle++ = (float)-vti_sin_pi(turn);
            }
        block /= radix;
    }
}

/* cos and sin of pi x, times scale. */
static void put_turn(float **out, double scale, double x)
{
    *(*out)++ = (float)(scale * vti_cos_pi(x));
    *(*out)++ = (float)(scale * vti_sin_pi(x));
}

static vt_sine_tables make_level(char **free, int32_t n)
{
    const int splits = vti_sine_splits(n), points = splits ? n / 4 : n / 2;
    const size_t bytes = sizeof(float) * (size_t)n;
    const vt_sine_tables t = {.cells = n,
                              .place = take(free, bytes / 2),
                              .twiddle = take(free, bytes),
                              .rotation = take(free, bytes),
                              .weight = take(free, bytes / 2)};
    float *rotation = t.rotation;
    for (int k = 0; k < points; k++)
        t.place[k] = place_of(k, points);
    make_twiddles(t.twiddle, points);
    for (int k = 1; 2 * k <= points; k++) {
        put_turn(&rotation, 1.0, -(double)k / points);
        if (splits) {
            put_turn(&rotation, 2.0, (double)k / n);
            put_turn(&rotation, 2.0, (double)(points - k) / n);
        }
    }
    for (int j = 0; !splits && j < points; j++)
        t.weight[j] = (float)(2.0 * vti_sin_pi((double)j / n));
    return t;
}

static void make_sine_tables(char **free, vt_sine_tables level[VT_SINE_LEVELS], int32_t n)
{
    *level = make_level(free, n);
    while (vti_sine_splits(n)) {
        n /= 2;
        *++level = make_level(free, n);
    }
}

/* ---- pivots ---- */

typedef struct pivot_job {
    float *pivot;
    int32_t cells[3];
    int width, rows; /* modes along x, padding included, and along y */
    int even;        /* of the component that is even along z */
    int fourth;
    int lanes;
    double eigenvalue[2][VT_MOST_CELLS + VT_LANES]; /* 4 sin^2(pi k / 2 n) along x and y */
} pivot_job;

/* What a mode adds to the diagonal 2: minus its differences along x and y, of second order, or, of
 * fourth together with the right side that poisson_direct.c tells, from those. */
static double add_eigenvalues(double x, double y, int fourth)
{
    return x + y + (fourth ? (x * x + y * y + x * y) / 6 : 0);
}

/* Pivots of one block of modes along x and some of those along y, for all depths. */
static void make_pivot_column(const pivot_job *job, int x, int y, int y_end)
{
    enum { MOST = 32 * VT_LANES };
    double diagonal[MOST], pivot[MOST] = {0};
    const int lanes = job->lanes, count = (y_end - y) * lanes, half = job->cells[2] / 2;
    const size_t width = (size_t)job->width, height = (size_t)job->rows;
    for (int i = 0; i < count; i++)
        diagonal[i] = 2.0 + add_eigenvalues(job->eigenvalue[0][x + i % lanes],
                                            job->eigenvalue[1][y + i / lanes], job->fourth);
    float *out = job->pivot + (size_t)x * height + (size_t)(y * lanes);
    for (int depth = !job->even; depth <= half; depth++, out += width * height) {
        const double neighbours = depth < half && !(job->even && depth == 1) ? 1.0 : 2.0;
        for (int i = 0; i < count; i++) {
            const double left = diagonal[i] - neighbours * pivot[i];
            pivot[i] = left > 0 ? 1.0 / left : 0; /* 0: of the mean alone */
            out[i] = (float)pivot[i];
        }
    }
}

static void make_pivot_block(void *context, int64_t block)
{
    const pivot_job *const job = context;
    for (int y = 0; y < job->rows; y += 32) {
        const int y_end = y + 32 < job->rows ? y + 32 : job->rows;
        make_pivot_column(job, (int)block * job->lanes, y, y_end);
    }
}

void vti_poisson_plan_make(vt_poisson_plan *plan, const vt_grid *grid, int lanes, int threads)
{
    char *free = plan->memory;
    const int32_t *const cells = grid->cells, walled = grid->walled;
    const int width = (int)rounded((size_t)(cells[0] + walled), VT_LANES);
    pivot_job job = {
        .lanes = lanes, .width = width, .rows = cells[1] + walled, .fourth = grid->fourth};
    for (int axis = 0; axis < 2; axis++) {
        make_sine_tables(&free, plan->sine[axis], cells[axis]);
        /* Modes beyond the last along x are padding; they get pivots like all others. */
        for (int k = 0; k < (axis == 0 ? width : job.rows); k++) {
            const double sine = vti_sin_pi((double)k / (2.0 * cells[axis]));
            job.eigenvalue[axis][k] = 4.0 * sine * sine;
        }
    }
    for (int axis = 0; axis < 3; axis++)
        plan->cells[axis] = job.cells[axis] = cells[axis];
    plan->walled = walled;
    plan->fourth = grid->fourth;
    plan->pivot = job.pivot = (float *)free;
    vti_parallel_each(threads, width / lanes, 1, make_pivot_block, &job);
    if (!walled)
        return;
    plan->even_pivot = job.pivot += (int64_t)width * job.rows * (cells[2] / 2);
    job.even = 1;
    vti_parallel_each(threads, width / lanes, 1, make_pivot_block, &job);
}
