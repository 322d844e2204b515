/* Vector potential at the nodes: minus Laplace A = field, 7-point stencil in units of the spacing,
 * values of A given on the faces (parts 6 and 20 of the articles iterate; this solves directly). A
 * scalar potential is the same with one component, at a third of the cost.
 *
 * Boundary values move to the right side of their inner neighbours. A sine transform along x and y
 * makes of each mode (kx, ky) a tridiagonal system along z with the diagonal
 * b = 2 + 4 sin^2(pi kx / 2 nx) + 4 sin^2(pi ky / 2 ny), eliminated from both ends at once. With
 * pivots p[1] = 1 / b, p[q] = 1 / (b - p[q-1]), p[h] = 1 / (b - 2 p[h-1]), q planes away from
 * either end and h = nz / 2 in the middle:
 *
 *   d[q] = (f[q] + d[q-1]) p[q],  a[h] = (f[h] + d[h-1] + d[h+1]) p[h],  a[q] = d[q] + p[q] a[q+1]
 *
 * Of fourth order (vt_grid.fourth): with s(k) = 4 sin^2(pi k / 2 n) along each axis, the diagonal
 *
 *   b = 2 + s(kx) + s(ky) + (s(kx)^2 + s(ky)^2 + s(kx) s(ky)) / 6
 *
 * solves s.A = f after a filter of the right side by (1 + s / 6) sinc^2 along x and y and sinc^2
 * along z, sinc^2 = s / k^2, which the core's filter contains (kernels/grid/filter_taps.h): the
 * system stays tridiagonal with ones beside the diagonal, as in the compact schemes of Numerov and
 * Collatz. Values at an x face count (1 + s(kx) / 6 - s(kz) / 6) times: those of the face beside
 * them along z a sixth, and in the second row less a sixth; likewise at y faces.
 *
 * Everything happens plane by plane: both transforms of a plane and its step of the elimination
 * while it is in the cache, d in place of f. Modes of a plane lie in blocks of VL along kx, block
 * after block: mode (kx, ky) at (kx / VL * ny + ky) * VL + kx % VL.
 *
 * Between walls (vt_grid.walled) no boundary value is given. Component c of A is even along its own
 * axis, where its transform is one of cosines over all nodes from wall to wall, and odd along the
 * two others. Along z the even one has an unknown at the wall itself, q = 0 with b a[0] - 2 a[1] =
 * f[0]:
 *
 *   p[0] = 1 / b,  p[1] = 1 / (b - 2 p[0]),  d[0] = f[0] p[0],  a[0] = d[0] + 2 p[0] a[1]
 *
 * A scalar potential is even along all axes: charges whose sum is 0 leave its mean open, which is
 * the mode (0, 0) with its last pivot 0.
 *
 * Padding: lanes that are no lines compute with whatever lies there and never meet the others;
 * modes beyond the last and nodes beyond the last cell are set to zero. */
#include "kernels/poisson/poisson_direct.h"

/* Not kernels/dispatch.h, which declares what is defined here: this file takes long to compile and
 * is not to be compiled anew whenever another kernel changes. */
#include "base/parallel.h"
#include "base/simd_rearrange.h"
#include "kernels/poisson/cosine_transform.h"

enum { MOST_COMPONENTS = 3, ENDS = 2, MOST_TASKS = MOST_COMPONENTS * ENDS };

/* Modes in a plane below which it is not worth to share the middle one, and planes at all: 5 us. */
enum { FEW_MODES = 256, FEWEST_MODES = 64 };

/* Scratch of one thread. */
typedef struct scratch {
    vf *half; /* a plane transformed along x only: [y / VL][kx], lanes along y */
    vf *line, *transform;
} scratch;

typedef struct solver {
    const vt_grid *grid;
    const vt_poisson_plan *plan;
    int components;
    int nx, ny, nz;
    int width;     /* modes along x, nx or, between walls, nx + 1, rounded up to 16 */
    int rows;      /* modes along y, ny or ny + 1 */
    int64_t modes; /* floats in a plane of modes */
    float scale;   /* what the four transforms of a value leave to be divided out */
    float
        *solved[ENDS][MOST_COMPONENTS]; /* modes of A, one plane, on the way back from the middle */
    scratch scratch[MOST_TASKS];
} solver;

/* A plane of one component, by its distance from an end of the grid (0 low, 1 high). */
typedef struct plane {
    int component, end, depth;
} plane;

static int layer(const solver *s, plane p)
{
    return p.end ? s->nz - p.depth : p.depth;
}

static float *nodes(const solver *s, plane p)
{
    return s->grid->field[p.component] + layer(s, p) * s->grid->plane;
}

/* Whether a component is even at the walls across an axis, so that its lines are of cosines. */
static int is_even(const solver *s, int component, int axis)
{
    return s->grid->walled && (s->grid->scalar || component == axis);
}

/* Nodes, and modes, of a line: [first, end), and what of it the vectors hold. */
typedef struct line_span {
    int even, first, end;
} line_span;

static line_span span_of(const solver *s, plane p, int axis)
{
    const int even = is_even(s, p.component, axis), cells = axis == 0 ? s->nx : s->ny;
    return (line_span){even, !even, cells + even};
}

static const float *pivots(const solver *s, plane p)
{
    return is_even(s, p.component, 2) ? s->plan->even_pivot + p.depth * s->modes
                                      : s->plan->pivot + (p.depth - 1) * s->modes;
}

/* Boundary values of row v of a face. */
static const float *face_row(const solver *s, plane p, int face, int v)
{
    const vt_grid *const g = s->grid;
    return g->face[face] + p.component * g->face_plane + v * g->face_row;
}

/* ---- boundary values ---- */

VT_INLINE void add_row(float *row, const float *values, float share, int count)
{
    for (int x = 0; x < count; x += VL)
        vf_store(row + x, vf_fma(vf_set(share), vf_load(values + x), vf_load(row + x)));
}

static const float sixth = 1.0f / 6;

/* What of fourth order the values at the y faces add besides: beside them along z, in the second
 * row, and at the edges along z, where two faces count one value twice. */
static void fold_fourth(const solver *s, plane p)
{
    const int64_t row = s->grid->row;
    for (int high = 0; high < ENDS; high++) {
        float *const first = nodes(s, p) + (high ? s->ny - 1 : 1) * row;
        const float *const edge = face_row(s, p, 2 + high, layer(s, p));
        add_row(first, face_row(s, p, 2 + high, layer(s, p) - 1), sixth, s->nx);
        add_row(first, face_row(s, p, 2 + high, layer(s, p) + 1), sixth, s->nx);
        add_row(first + (high ? -row : row), edge, -sixth, s->nx);
        first[1] += sixth * edge[0];
        first[s->nx - 1] += sixth * edge[s->nx];
    }
}

/* Adds the values at the y faces, and under an end those at the z face, to the right side. */
static void fold_faces(const solver *s, plane p)
{
    if (s->grid->walled)
        return;
    float *const f = nodes(s, p);
    const int64_t row = s->grid->row;
    add_row(f + row, face_row(s, p, 2, layer(s, p)), 1, s->nx);
    add_row(f + (s->ny - 1) * row, face_row(s, p, 3, layer(s, p)), 1, s->nx);
    if (s->grid->fourth)
        fold_fourth(s, p);
    if (p.depth == 1)
        for (int y = 1; y < s->ny; y++)
            add_row(f + y * row, face_row(s, p, 4 + p.end, y), 1, s->nx);
}

static void copy_row(float *row, const float *values, int count)
{
    memcpy(row, values, sizeof(float) * (size_t)count);
}

/* Zeros at those walls across y and z at which the component is odd. */
static void clear_walls(const solver *s, plane p)
{
    const size_t row = (size_t)s->grid->row, nodes_of_plane = row * (size_t)(s->ny + 1);
    float *const a = nodes(s, p);
    if (!is_even(s, p.component, 1)) {
        memset(a, 0, row * sizeof *a);
        memset(a + (size_t)s->ny * row, 0, row * sizeof *a);
    }
    if (p.depth == 1 && !is_even(s, p.component, 2))
        memset(nodes(s, (plane){p.component, p.end, 0}), 0, nodes_of_plane * sizeof *a);
}

/* Writes the values at the y faces, and beyond an end the whole z face. */
static void write_faces(const solver *s, plane p)
{
    if (s->grid->walled) {
        clear_walls(s, p);
        return;
    }
    float *const a = nodes(s, p);
    const int64_t row = s->grid->row;
    copy_row(a, face_row(s, p, 2, layer(s, p)), s->nx + 1);
    copy_row(a + s->ny * row, face_row(s, p, 3, layer(s, p)), s->nx + 1);
    if (p.depth == 1) {
        const plane outer = {p.component, p.end, 0};
        for (int y = 0; y <= s->ny; y++)
            copy_row(nodes(s, outer) + y * row, face_row(s, p, 4 + p.end, y), s->nx + 1);
    }
}

/* ---- a plane from nodes to modes ---- */

/* First of the lines (lanes along y) of the rows from y on, after the transform along x. */
static vf *half_transformed(const solver *s, const scratch *m, int y)
{
    return m->half + (int64_t)(y / VL) * s->width;
}

/* What is no part of a line, up to the next multiple of VL: padding. */
VT_INLINE void clear_rest(vf *line, line_span span)
{
    if (span.first)
        line[0] = (vf){0};
    for (int i = span.end; i % VL != 0; i++)
        line[i] = (vf){0};
}

static void transform_line(const solver *s, int axis, line_span span, const vf *in, vf *out, vf *z)
{
    if (span.even)
        vf_cosine_transform(s->plan->sine[axis], in, 1, out, z);
    else
        vf_sine_transform(s->plan->sine[axis], in, 1, out, z);
}

/* How many of VL rows from row y on are in the plane, where y + VL may be behind its padding. */
VT_INLINE int existing_rows(const solver *s, int y)
{
    return s->grid->walled && y == s->ny ? 1 : VL;
}

/* What of fourth order the values at the x faces add besides to VL lines from row y on. */
VT_INLINE void add_fourth(const solver *s, plane p, int y, vf *line)
{
    const int z = layer(s, p), last = s->nx - 1;
    const vf share = vf_set(sixth);
    for (int high = 0; high < ENDS; high++) {
        const vf beside =
            vf_load(face_row(s, p, high, z - 1) + y) + vf_load(face_row(s, p, high, z + 1) + y);
        vf *const first = line + (high ? last : 1), *const second = line + (high ? last - 1 : 2);
        *first = vf_fma(share, beside, *first);
        *second = vf_fma(-share, vf_load(face_row(s, p, high, z) + y), *second);
    }
}

/* Lines along x, VL rows at a time, with the values at the x faces added. The next rows are asked
 * for while these are transformed: strides of a row are more than the processor foresees. */
static void transform_rows(const solver *s, const scratch *m, plane p)
{
    const float *const low = face_row(s, p, 0, layer(s, p));
    const float *const high = face_row(s, p, 1, layer(s, p));
    const line_span along = span_of(s, p, 0), across = span_of(s, p, 1);
    const int64_t row = s->grid->row;
    vf *const line = m->line;
    for (int y = 0; y < across.end; y += VL) {
        const float *const f = nodes(s, p) + y * row;
        const int most = existing_rows(s, y);
        for (int x = 0; x < along.end; x += VL) {
            vf r[VL];
            for (int i = 0; i < VL; i++) {
                r[i] = vf_load(f + (i < most ? i : 0) * row + x);
                __builtin_prefetch(f + (VL + i) * row + x);
            }
            vf_transpose(r);
            memcpy(line + x, r, sizeof r);
        }
        if (!s->grid->walled) {
            line[1] += vf_load(low + y);
            line[s->nx - 1] += vf_load(high + y);
        }
        if (s->grid->fourth && !s->grid->walled)
            add_fourth(s, p, y, line);
        vf *const out = half_transformed(s, m, y);
        transform_line(s, 0, along, line, out, m->transform);
        clear_rest(out, along);
    }
}

/* Lines along y, for VL modes kx at a time, into m->line. */
static void transform_columns(const solver *s, const scratch *m, int kx, line_span span)
{
    for (int y = 0; y < span.end; y += VL) {
        vf r[VL];
        memcpy(r, half_transformed(s, m, y) + kx, sizeof r);
        vf_transpose(r);
        memcpy(m->line + y, r, sizeof r);
    }
    transform_line(s, 1, span, m->line, m->line, m->transform);
}

/* One step of the elimination towards the middle: d in place of the right side. */
static void forward_plane(const solver *s, const scratch *m, plane p)
{
    const plane outer = {p.component, p.end, p.depth - 1};
    const line_span x = span_of(s, p, 0), y = span_of(s, p, 1);
    const int has_outer = p.depth > !is_even(s, p.component, 2);
    fold_faces(s, p);
    transform_rows(s, m, p);
    for (int kx = 0; kx < x.end; kx += VL) {
        transform_columns(s, m, kx, y);
        const int64_t block = (int64_t)kx * s->rows;
        const float *const before = has_outer ? nodes(s, outer) + block : NULL;
        const float *const pivot = pivots(s, p) + block;
        float *const d = nodes(s, p) + block;
        for (int ky = y.first, i = VL * ky; ky < y.end; ky++, i += VL) {
            vf sum = m->line[ky] * s->scale;
            if (has_outer)
                sum += vf_load(before + i);
            vf_store(d + i, sum * vf_load(pivot + i));
        }
    }
}

/* The last step: modes of A in the middle from both sides, where both ways back start. */
static void middle_plane(const solver *s, const scratch *m, plane p)
{
    const plane low = {p.component, 0, p.depth - 1}, high = {p.component, 1, p.depth - 1};
    const line_span x = span_of(s, p, 0), y = span_of(s, p, 1);
    fold_faces(s, p);
    transform_rows(s, m, p);
    for (int kx = 0; kx < x.end; kx += VL) {
        transform_columns(s, m, kx, y);
        const int64_t block = (int64_t)kx * s->rows;
        const float *const below = nodes(s, low) + block, *const above = nodes(s, high) + block;
        const float *const pivot = pivots(s, p) + block;
        for (int ky = y.first, i = VL * ky; ky < y.end; ky++, i += VL) {
            const vf sum = m->line[ky] * s->scale + vf_load(below + i) + vf_load(above + i);
            const vf a = sum * vf_load(pivot + i);
            for (int end = 0; end < ENDS; end++)
                vf_store(s->solved[end][p.component] + block + i, a);
        }
    }
}

/* ---- a plane from modes to nodes ---- */

/* Lines along y, for VL modes kx at a time, from m->line. */
static void restore_columns(const solver *s, const scratch *m, int kx, line_span span)
{
    transform_line(s, 1, span, m->line, m->line, m->transform);
    clear_rest(m->line, span);
    for (int y = 0; y < span.end; y += VL) {
        vf r[VL];
        memcpy(r, m->line + y, sizeof r);
        vf_transpose(r);
        memcpy(half_transformed(s, m, y) + kx, r, sizeof r);
    }
}

/* Lines along x, VL rows at a time, with the values at the x faces at both ends. */
static void restore_rows(const solver *s, const scratch *m, plane p)
{
    const float *const low = face_row(s, p, 0, layer(s, p));
    const float *const high = face_row(s, p, 1, layer(s, p));
    const line_span along = span_of(s, p, 0), across = span_of(s, p, 1);
    const int walled = s->grid->walled;
    const int64_t row = s->grid->row;
    vf *const line = m->line;
    for (int y = 0; y < across.end; y += VL) {
        float *const a = nodes(s, p) + y * row;
        const int most = existing_rows(s, y);
        transform_line(s, 0, along, half_transformed(s, m, y), line, m->transform);
        clear_rest(line, along);
        if (!walled)
            line[0] = vf_load(low + y);
        for (int x = 0; x < along.end; x += VL) {
            vf r[VL];
            memcpy(r, line + x, sizeof r);
            vf_transpose(r);
            for (int i = 0; i < most; i++)
                vf_store(a + i * row + x, r[i]);
        }
        for (int i = 0; i < VL && y + i < across.end && !along.even; i++)
            a[i * row + s->nx] = walled ? 0.0f : high[y + i];
    }
}

/* One step back: a[q] = d[q] + p[q] a[q+1]; in the middle a is there already. */
static void substitute(const solver *s, const scratch *m, plane p, int kx)
{
    const int64_t block = (int64_t)kx * s->rows;
    const line_span span = span_of(s, p, 1);
    const float *const d = nodes(s, p) + block, *const pivot = pivots(s, p) + block;
    float *const solved = s->solved[p.end][p.component] + block;
    const vf twice = vf_set(p.depth == 0 ? 2.0f : 1.0f);
    if (2 * p.depth == s->nz) {
        memcpy(m->line, solved, sizeof(vf) * (size_t)span.end);
        return;
    }
    for (int ky = span.first, i = VL * ky; ky < span.end; ky++, i += VL) {
        const vf a = vf_fma(twice * vf_load(pivot + i), vf_load(solved + i), vf_load(d + i));
        __builtin_prefetch(d + VL * s->rows + i); /* of the next block, for after the transform */
        vf_store(solved + i, a);
        m->line[ky] = a;
    }
}

static void backward_plane(const solver *s, const scratch *m, plane p)
{
    const line_span x = span_of(s, p, 0), y = span_of(s, p, 1);
    for (int kx = 0; kx < x.end; kx += VL) {
        substitute(s, m, p, kx);
        restore_columns(s, m, kx, y);
    }
    restore_rows(s, m, p);
    write_faces(s, p);
}

/* ---- the sweeps: tasks are the ends times the components ---- */

static void sweep_to_middle(void *context, int64_t begin, int64_t end, int thread)
{
    const solver *const s = context;
    for (int depth = 0; 2 * depth < s->nz; depth++)
        for (int task = (int)begin; task < end; task++) {
            const plane p = {task % s->components, task / s->components, depth};
            if (depth > 0 || is_even(s, p.component, 2))
                forward_plane(s, &s->scratch[thread], p);
        }
}

static void solve_middle(void *context, int64_t begin, int64_t end, int thread)
{
    const solver *const s = context;
    for (int component = (int)begin; component < end; component++) {
        const plane p = {component, 0, s->nz / 2};
        middle_plane(s, &s->scratch[thread], p);
        backward_plane(s, &s->scratch[thread], p);
    }
}

static void sweep_from_middle(void *context, int64_t begin, int64_t end, int thread)
{
    const solver *const s = context;
    for (int depth = s->nz / 2 - 1; depth >= 0; depth--)
        for (int task = (int)begin; task < end; task++) {
            const plane p = {task % s->components, task / s->components, depth};
            if (depth > 0 || is_even(s, p.component, 2))
                backward_plane(s, &s->scratch[thread], p);
        }
}

static solver make_solver(const vt_grid *grid, const vt_poisson_plan *plan, vt_arena *arena,
                          int threads)
{
    solver s = {.grid = grid, .plan = plan, .components = vti_grid_components(grid)};
    s.nx = grid->cells[0];
    s.ny = grid->cells[1];
    s.nz = grid->cells[2];
    s.width = (s.nx + grid->walled + VT_LANES - 1) / VT_LANES * VT_LANES;
    s.rows = s.ny + grid->walled;
    s.modes = (int64_t)s.width * s.rows;
    /* Twice sum sin^2 = n / 2 along x and y, twice the factors 4 of two transforms. */
    s.scale = (float)(4.0 / ((double)s.nx * s.ny) / 256.0);

    const int height = (s.rows + VT_LANES - 1) / VT_LANES * VT_LANES;
    const int longest = s.width > height ? s.width : height;
    for (int task = 0; task < s.components * ENDS; task++)
        s.solved[task / s.components][task % s.components] =
            vti_arena_push(arena, sizeof(float) * (size_t)s.modes);
    for (int thread = 0; thread < threads; thread++) {
        (void)vti_arena_push(arena, VT_STREAMS_APART);
        s.scratch[thread] = (scratch){
            .half = vti_arena_push(arena, sizeof(float) * (size_t)s.width * (size_t)height),
            .line = vti_arena_push(arena, sizeof(vf) * (size_t)longest),
            .transform = vti_arena_push(arena, sizeof(vf) * (size_t)longest)};
    }
    return s;
}

void VT_NAME(poisson)(vt_grid *grid, vt_poisson_plan *plan, vt_arena *arena, int threads)
{
    if (memcmp(plan->cells, grid->cells, sizeof plan->cells) != 0 || plan->walled != grid->walled ||
        plan->fourth != grid->fourth)
        vti_poisson_plan_make(plan, grid, VL, threads);
    const size_t mark = vti_arena_mark(arena);
    const int tasks = vti_grid_components(grid) * ENDS, most = threads < tasks ? threads : tasks;
    const int64_t modes = (int64_t)grid->cells[0] * grid->cells[1];
    const int workers = modes < FEWEST_MODES ? 1 : most;
    solver s = make_solver(grid, plan, arena, workers);
    /* Tasks of one thread take turns plane by plane, so that they share the pivots. */
    const int share = tasks / workers;
    vti_parallel_for_numbered(workers, tasks, share, sweep_to_middle, &s);
    vti_parallel_for_numbered(workers, s.components, modes < FEW_MODES ? s.components : 1,
                              solve_middle, &s);
    vti_parallel_for_numbered(workers, tasks, share, sweep_from_middle, &s);
    vti_arena_pop(arena, mark);
}
