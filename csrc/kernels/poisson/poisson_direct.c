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
 * Collatz.
 *
 * The filter that gives the nodes their cores is a product along x and y in the modes, where each
 * filter leaves w[0] + 2 sum w[r] cos(pi r k / n) of one, and taps along z, whatever the number of
 * filters: a third of the time of four filters from node to node (kernels/grid/gaussian_filter.h).
 *
 * Planes are transformed first, then columns of modes are filtered and solved, then planes are
 * transformed back, all in place. Modes of a plane lie in blocks of VL along kx, block after block:
 * mode (kx, ky) at (kx / VL * rows + ky) * VL + kx % VL.
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
 * nodes beyond the last cell are set to zero. */
#include "kernels/poisson/poisson_direct.h"

#include "base/math_double.h"
#include "kernels/poisson/mode_columns.h"

enum {
    BLOCK_NODES = 2048, /* nodes that a block of planes should have at least: 5 us */
    COLUMNS = 8         /* columns of modes solved one after the other, beside each other */
};

/* ---- planes from nodes to modes ---- */

/* First of the lines (lanes along y) of the rows from y on, after the transform along x. */
static vf *half_transformed(const solver *s, const scratch *m, int component, int y)
{
    return m->half[component] + (int64_t)(y / VL) * s->width;
}

/* VL rows of plane z from row y on, VL nodes of each from x on, by components: what was deposited.
 */
VT_INLINE void load_nodes(const solver *s, int z, int y, int x, vf r[MOST_COMPONENTS][VL])
{
    const vt_grid *const g = s->grid;
    for (int i = 0; i < VL; i++) {
        vf quarter[4] = {{0}};
        if (vti_is_filled(g, y + i, z)) {
            const f4 *const row = g->nodes + z * g->node_plane + (y + i) * g->node_row + x;
            for (int q = 0; q < 4; q++)
                quarter[q] = vf_load((const float *)row + q * VL);
            vf_deinterleave(quarter);
        }
        for (int c = 0; c < s->components; c++)
            r[c][i] = quarter[c];
    }
}

/* The same of what is in the field. */
VT_INLINE void load_field(const solver *s, int z, int y, int x, vf r[MOST_COMPONENTS][VL])
{
    for (int c = 0; c < s->components; c++)
        for (int i = 0; i < VL; i++) {
            const int64_t row = y + i < s->ny ? y + i : s->ny;
            r[c][i] = vf_load(plane_of(s, c, z) + row * s->grid->row + x);
        }
}

/* The same of a face across z: plane 0 or nz. */
VT_INLINE void load_face(const solver *s, int z, int y, int x, vf r[MOST_COMPONENTS][VL])
{
    for (int c = 0; c < s->components; c++)
        for (int i = 0; i < VL; i++)
            r[c][i] = vf_load(face_row(s, c, z ? 5 : 4, y + i < s->ny ? y + i : s->ny) + x);
}

/* Whether plane z is a face that is no wall. */
static int is_face(const solver *s, int z)
{
    return !s->grid->walled && (z == 0 || z == s->nz);
}

/* Lines along x of plane z, VL rows at a time. */
static void transform_rows(const solver *s, const scratch *m, int z)
{
    const int walled = s->grid->walled;
    for (int y = 0; y < s->ny + walled; y += VL) {
        for (int x = 0; x < s->nx + walled; x += VL) {
            vf r[MOST_COMPONENTS][VL];
            if (is_face(s, z))
                load_face(s, z, y, x, r);
            else if (s->filters)
                load_nodes(s, z, y, x, r);
            else
                load_field(s, z, y, x, r);
            for (int c = 0; c < s->components; c++) {
                vf_transpose(r[c]);
                memcpy(m->line[c] + x, r[c], sizeof r[c]);
            }
        }
        for (int c = 0; c < s->components; c++) {
            const line_span span = span_of(s, c, 0);
            vf *const out = half_transformed(s, m, c, y);
            transform_line(s, 0, span, m->line[c], out, m->transform);
            clear_rest(out, span);
        }
    }
}

/* Lines along y of one component, for VL modes kx at a time, to a plane of modes. */
static void transform_columns(const solver *s, const scratch *m, int component, float *modes)
{
    const int end = span_of(s, component, 0).end;
    const line_span span = span_of(s, component, 1);
    vf *const line = m->line[0];
    for (int kx = 0; kx < end; kx += VL) {
        for (int y = 0; y < span.end; y += VL) {
            vf r[VL];
            memcpy(r, half_transformed(s, m, component, y) + kx, sizeof r);
            vf_transpose(r);
            memcpy(line + y, r, sizeof r);
        }
        transform_line(s, 1, span, line, line, m->transform);
        memcpy(modes + (int64_t)kx * s->rows + VL * span.first, line + span.first,
               sizeof(vf) * (size_t)(span.end - span.first));
    }
}

/* Whether anything was deposited in a plane, or may be in it. */
static int is_empty(const solver *s, int z)
{
    int filled = !s->filters || is_face(s, z);
    for (int y = 0; y <= s->ny && !filled; y++)
        filled = vti_is_filled(s->grid, y, z);
    return !filled;
}

static void transform_plane(const solver *s, const scratch *m, int z)
{
    const int face = is_face(s, z), empty = is_empty(s, z);
    if (face && !s->faces)
        return;
    if (!empty)
        transform_rows(s, m, z);
    for (int c = 0; c < s->components; c++) {
        float *const modes = face ? s->given[c][z ? 5 : 4] : plane_of(s, c, z);
        if (empty)
            memset(modes, 0, sizeof *modes * (size_t)s->modes);
        else
            transform_columns(s, m, c, modes);
    }
}

/* All planes, those of the faces across z too; then, without walls, the sides. */
static void transform_planes(void *context, int64_t begin, int64_t end, int thread)
{
    const solver *const s = context;
    for (int64_t n = begin; n < end; n++)
        if (n <= s->nz)
            transform_plane(s, &s->scratch[thread], (int)n);
        else
            transform_side(s, &s->scratch[thread], (int)n - s->nz - 1);
}

/* ---- columns ---- */

/* A group of columns has one kx and COLUMNS of ky. */
static int groups_along_y(const solver *s)
{
    return (s->rows + COLUMNS - 1) / COLUMNS;
}

static void solve_columns(void *context, int64_t begin, int64_t end, int thread)
{
    const solver *const s = context;
    const int along_y = groups_along_y(s);
    for (int64_t group = begin; group < end; group++) {
        const int component = (int)(group % s->components);
        const int64_t number = group / s->components;
        const int kx = (int)(number / along_y) * VL, first = (int)(number % along_y) * COLUMNS;
        const line_span x = span_of(s, component, 0), y = span_of(s, component, 1);
        for (int ky = first; ky < first + COLUMNS && ky < y.end && kx < x.end; ky++) {
            const column c = column_of(s, component, kx, ky);
            if (ky >= y.first)
                solve_column(s, &s->scratch[thread], &c);
        }
    }
}

/* ---- planes from modes to nodes ---- */

static void copy_row(float *row, const float *values, int count)
{
    memcpy(row, values, sizeof(float) * (size_t)count);
}

/* Zeros at those walls across y and z at which the component is odd, and at faces of which nothing
 * is given. */
static void clear_walls(const solver *s, int component, int z)
{
    const size_t row = (size_t)s->grid->row, nodes_of_plane = row * (size_t)(s->ny + 1);
    float *const a = plane_of(s, component, z);
    if (!is_even(s, component, 1)) {
        memset(a, 0, row * sizeof *a);
        memset(a + (size_t)s->ny * row, 0, row * sizeof *a);
    }
    if (!is_even(s, component, 2) && (z == 1 || z == s->nz - 1))
        memset(plane_of(s, component, z == 1 ? 0 : s->nz), 0, nodes_of_plane * sizeof *a);
}

/* Writes the values at the y faces, and beyond an end the whole z face. */
static void write_faces(const solver *s, int component, int z)
{
    const int64_t row = s->grid->row;
    float *const a = plane_of(s, component, z);
    copy_row(a, face_row(s, component, 2, z), s->nx + 1);
    copy_row(a + s->ny * row, face_row(s, component, 3, z), s->nx + 1);
    if (z != 1 && z != s->nz - 1)
        return;
    float *const outer = plane_of(s, component, z == 1 ? 0 : s->nz);
    for (int y = 0; y <= s->ny; y++)
        copy_row(outer + y * row, face_row(s, component, z == 1 ? 4 : 5, y), s->nx + 1);
}

/* Lines along y, for VL modes kx at a time. */
static void restore_columns(const solver *s, const scratch *m, int component, int z)
{
    const int end = span_of(s, component, 0).end;
    const line_span span = span_of(s, component, 1);
    const float *const modes = plane_of(s, component, z);
    vf *const line = m->line[0];
    for (int kx = 0; kx < end; kx += VL) {
        memcpy(line, modes + (int64_t)kx * s->rows, sizeof(vf) * (size_t)span.end);
        transform_line(s, 1, span, line, line, m->transform);
        clear_rest(line, span);
        for (int y = 0; y < span.end; y += VL) {
            vf r[VL];
            memcpy(r, line + y, sizeof r);
            vf_transpose(r);
            memcpy(half_transformed(s, m, component, y) + kx, r, sizeof r);
        }
    }
}

/* How many of VL rows from row y on are in the plane, where y + VL may be behind its padding. */
VT_INLINE int existing_rows(const solver *s, int y)
{
    return s->grid->walled && y == s->ny ? 1 : VL;
}

/* Lines along x, VL rows at a time, with the values at the x faces at both ends. */
static void restore_rows(const solver *s, const scratch *m, int component, int z)
{
    const line_span along = span_of(s, component, 0), across = span_of(s, component, 1);
    const float *const low = s->faces ? face_row(s, component, 0, z) : NULL;
    const float *const high = s->faces ? face_row(s, component, 1, z) : NULL;
    const int64_t row = s->grid->row;
    vf *const line = m->line[0];
    for (int y = 0; y < across.end; y += VL) {
        float *const a = plane_of(s, component, z) + y * row;
        const int most = existing_rows(s, y);
        transform_line(s, 0, along, half_transformed(s, m, component, y), line, m->transform);
        clear_rest(line, along);
        if (s->faces)
            line[0] = vf_load(low + y);
        for (int x = 0; x < along.end; x += VL) {
            vf r[VL];
            memcpy(r, line + x, sizeof r);
            vf_transpose(r);
            for (int i = 0; i < most; i++)
                vf_store(a + i * row + x, r[i]);
        }
        for (int i = 0; i < VL && y + i < across.end && !along.even; i++)
            a[i * row + s->nx] = s->faces ? high[y + i] : 0.0f;
    }
}

static void restore_planes(void *context, int64_t begin, int64_t end, int thread)
{
    const solver *const s = context;
    const scratch *const m = &s->scratch[thread];
    for (int64_t n = begin; n < end; n++) {
        const int component = (int)(n % s->components), z = (int)(n / s->components);
        if ((z == 0 || z == s->nz) && !is_even(s, component, 2))
            continue; /* written with the planes beside them */
        restore_columns(s, m, component, z);
        restore_rows(s, m, component, z);
        if (s->faces)
            write_faces(s, component, z);
        else
            clear_walls(s, component, z);
    }
}

/* ---- tables and scratch ---- */

/* Weights of the values at the two faces across an axis of so many cells; 0 of modes beyond. */
static void weigh_faces(const solver *s, int axis, int cells)
{
    for (int k = 0; k < (axis == 0 ? s->width : s->rows); k++) {
        const double turn = (double)k / cells, sine = k < cells ? 4 * vti_sin_pi(turn) : 0;
        const double own = s->grid->fourth ? 1 - vti_cos_pi(turn) / 3 : 1;
        for (int high = 0; high < ENDS; high++) {
            const double once = high && k % 2 == 0 ? -sine : sine;
            s->weight[2 * axis + high].first[k] = (float)((double)s->scale * own * once);
            s->weight[2 * axis + high].beside[k] = (float)((double)s->scale * once);
            if (axis == 0)
                s->edge[high][k] = (float)once;
        }
    }
}

/* cos(pi j / cells), j = 0 .. 2 cells - 1. */
static const double *make_cosines(vt_arena *arena, int cells)
{
    double *const cosine = vti_arena_push(arena, sizeof(double) * 2 * (size_t)cells);
    for (int j = 0; j < 2 * cells; j++)
        cosine[j] = vti_cos_pi((double)j / cells);
    return cosine;
}

/* What a filter leaves of modes along an axis. */
static void weigh_modes(const double *weight, int reach, int modes, int cells, const double *cosine,
                        float *left)
{
    for (int k = 0; k < modes; k++) {
        double sum = weight[0];
        for (int r = 1; r <= reach; r++)
            sum += 2 * weight[r] * cosine[r * k % (2 * cells)];
        left[k] = (float)sum;
    }
}

static void make_filters(solver *s, vt_arena *arena)
{
    const int reach = s->filters->reach;
    const double *const along_x = make_cosines(arena, s->nx);
    const double *const along_y = make_cosines(arena, s->ny);
    for (int n = 0; n < s->filters->count; n++) {
        const vt_filter_taps *const taps = &s->filters->taps[n];
        s->left[n][0] = vti_arena_push(arena, sizeof(float) * (size_t)s->width);
        s->left[n][1] = vti_arena_push(arena, sizeof(float) * (size_t)s->rows);
        weigh_modes(taps->weight[0], reach, s->width, s->nx, along_x, s->left[n][0]);
        weigh_modes(taps->weight[1], reach, s->rows, s->ny, along_y, s->left[n][1]);
        for (int r = 0; r <= reach; r++)
            s->along_z[n][r] =
                (float)((double)s->scale * s->filters->share[n] * taps->weight[2][r]);
    }
}

static void make_faces(solver *s, vt_arena *arena)
{
    for (int axis = 0; axis < 2; axis++) {
        const size_t modes = (size_t)(axis == 0 ? s->width : s->rows);
        for (int high = 0; high < ENDS; high++) {
            s->weight[2 * axis + high].first = vti_arena_push(arena, sizeof(float) * modes);
            s->weight[2 * axis + high].beside = vti_arena_push(arena, sizeof(float) * modes);
            if (axis == 0)
                s->edge[high] = vti_arena_push(arena, sizeof(float) * modes);
        }
    }
    weigh_faces(s, 0, s->nx);
    weigh_faces(s, 1, s->ny);
    const size_t x_face = (size_t)s->rows * (size_t)s->levels;
    const size_t y_face = (size_t)s->width * (size_t)(s->nz + 1);
    for (int c = 0; c < s->components; c++)
        for (int face = 0; face < 6; face++) {
            const size_t count = face < 2 ? x_face : face < SIDES ? y_face : (size_t)s->modes;
            s->given[c][face] = vti_arena_push(arena, sizeof(float) * count);
            if (face < SIDES)
                s->beside[c][face] = vti_arena_push(arena, sizeof(float) * count);
        }
}

static void make_scratch(solver *s, vt_arena *arena, int threads)
{
    const int height = (s->rows + VT_LANES - 1) / VT_LANES * VT_LANES;
    const size_t longest = (size_t)(s->width > height ? s->width : height);
    const size_t column = (size_t)s->nz + 1;
    for (int thread = 0; thread < threads; thread++) {
        scratch *const m = &s->scratch[thread];
        (void)vti_arena_push(arena, VT_STREAMS_APART);
        for (int c = 0; c < s->components; c++) {
            m->half[c] = vti_arena_push(arena, sizeof(float) * (size_t)s->width * (size_t)height);
            m->line[c] = vti_arena_push(arena, sizeof(vf) * longest);
        }
        m->transform = vti_arena_push(arena, sizeof(vf) * longest);
        m->column = vti_arena_push(arena, sizeof(vf) * (column + 2 * VT_FILTER_REACH));
        m->solved = vti_arena_push(arena, sizeof(vf) * column);
        m->pivot = vti_arena_push(arena, sizeof(vf) * column);
    }
}

static solver make_solver(const vt_grid *grid, const vt_poisson_plan *plan,
                          const vt_filter_sum *filters, int solves, vt_arena *arena, int threads)
{
    solver s = {.grid = grid, .plan = plan, .filters = filters, .solves = solves};
    s.faces = solves && !grid->walled;
    s.components = vti_grid_components(grid);
    s.nx = grid->cells[0];
    s.ny = grid->cells[1];
    s.nz = grid->cells[2];
    s.width = (s.nx + grid->walled + VT_LANES - 1) / VT_LANES * VT_LANES;
    s.rows = s.ny + grid->walled;
    s.modes = (int64_t)s.width * s.rows;
    s.levels = (s.nz + 1 + VT_LANES - 1) / VT_LANES * VT_LANES + VT_LANES;
    /* Twice sum sin^2 = n / 2 along x and y, twice the factors 4 of two transforms. */
    s.scale = (float)(4.0 / ((double)s.nx * s.ny) / 256.0);
    if (filters)
        make_filters(&s, arena);
    if (s.faces)
        make_faces(&s, arena);
    make_scratch(&s, arena, threads);
    return s;
}

static void run(vt_grid *grid, vt_poisson_plan *plan, const vt_filter_sum *filters, int solves,
                vt_arena *arena, int threads)
{
    if (memcmp(plan->cells, grid->cells, sizeof plan->cells) != 0 || plan->walled != grid->walled ||
        plan->fourth != grid->fourth)
        vti_poisson_plan_make(plan, grid, VL, threads);
    const size_t mark = vti_arena_mark(arena);
    solver s = make_solver(grid, plan, filters, solves, arena, threads);
    const int64_t planes = s.nz + 1, block = 1 + BLOCK_NODES / s.modes;
    const int64_t columns = (int64_t)s.width / VL * groups_along_y(&s) * s.components;
    vti_parallel_for_numbered(threads, planes + (s.faces ? SIDES : 0), block, transform_planes, &s);
    vti_parallel_for_numbered(threads, columns, 1 + BLOCK_NODES / (VL * COLUMNS * planes),
                              solve_columns, &s);
    vti_parallel_for_numbered(threads, planes * s.components, block, restore_planes, &s);
    vti_arena_pop(arena, mark);
}

void VT_NAME(poisson)(vt_grid *grid, vt_poisson_plan *plan, const vt_filter_sum *filters,
                      vt_arena *arena, int threads)
{
    run(grid, plan, filters, 1, arena, threads);
}

void VT_NAME(filter_modes)(vt_grid *grid, vt_poisson_plan *plan, const vt_filter_sum *filters,
                           vt_arena *arena, int threads)
{
    run(grid, plan, filters, 0, arena, threads);
}
