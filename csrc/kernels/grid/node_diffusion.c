#include "kernels/grid/node_diffusion.h"

#include "base/parallel.h"
#include "kernels/grid/trilinear.h"

enum { BLOCK = 512, BLOCK_NODES = 2048 };

/* A node of less volume than this share of a cell keeps what it has: of a vorton that is nearly a
 * cell away. */
static const float least_fill = 1e-3f;

/* Rows of floats, along x; what is not there is 0. */
typedef struct rows {
    float *value[VT_DIFFUSED_LANES];
    float *capacity;  /* cells */
    float *open;      /* 1, or 0: closed */
    float *mixing[3]; /* along each axis, cells^2 */
} rows;

typedef struct job {
    const vt_grid *grid;
    const vt_node_diffusion *diffusion;
    rows nodes;
    int64_t nodes_along[3], row, plane; /* pitches in floats: row is a multiple of VT_LANES */
    int axis;
    float reach, mixed; /* of a part, and of its mixing */
    float *scratch;     /* scratch_floats for each thread */
    size_t scratch_floats;
} job;

/* ---- between nodes of four floats and rows ---- */

static float *row_of(const job *j, float *array, int64_t y, int64_t z)
{
    return array + z * j->plane + y * j->row;
}

static void clear_rows(const job *j, int64_t y, int64_t z)
{
    const size_t bytes = sizeof(float) * (size_t)j->row;
    for (int c = 0; c < j->diffusion->components; c++)
        memset(row_of(j, j->nodes.value[c], y, z), 0, bytes);
    memset(row_of(j, j->nodes.capacity, y, z), 0, bytes);
    memset(row_of(j, j->nodes.open, y, z), 0, bytes);
    for (int a = 0; a < 3; a++)
        memset(row_of(j, j->nodes.mixing[a], y, z), 0, bytes);
}

VT_INLINE vf over(vf a, vf b)
{
    return vf_select(b > (vf){0}, a / b, (vf){0});
}

/* VL nodes of a row of nodes from x on, lanes apart; past its end 0. */
VT_INLINE void load_nodes(const f4 *row, int64_t x, int64_t count, vf lanes[4])
{
    f4 node[VL];
    for (int l = 0; l < VL; l++)
        node[l] = x + l < count ? row[x + l] : (f4){0};
    vti_nodes_to_lanes(node, lanes);
}

static void unpack_row(const job *j, int64_t y, int64_t z)
{
    const vt_grid *const g = j->grid;
    const vt_node_diffusion *const d = j->diffusion;
    const vf per_cell = vf_set((float)(1 / d->cell)), one = vf_set(1), none = {0};
    const int64_t node = z * g->node_plane + y * g->node_row;
    const int64_t at = z * j->plane + y * j->row;
    for (int64_t x = 0; x < j->row; x += VL) {
        vf lanes[4], mixing[4];
        load_nodes(g->nodes + node, x, j->nodes_along[0], lanes);
        load_nodes(d->mixing + node, x, j->nodes_along[0], mixing);
        const vf capacity = lanes[d->capacity_lane], fill = lanes[3] * per_cell;
        const vf density = over(capacity, lanes[3]);
        vf_store(j->nodes.capacity + at + x, capacity * per_cell);
        vf_store(j->nodes.open + at + x, vf_select(fill > vf_set(least_fill), one, none));
        for (int a = 0; a < 3; a++)
            vf_store(j->nodes.mixing[a] + at + x, density * over(mixing[a], mixing[3]));
        for (int c = 0; c < d->components; c++)
            vf_store(j->nodes.value[c] + at + x, over(lanes[c], capacity));
    }
}

static void pack_row(const job *j, int64_t y, int64_t z)
{
    const vt_grid *const g = j->grid;
    const vt_node_diffusion *const d = j->diffusion;
    const vf kept = vf_set((float)(1 - d->mixed));
    f4 *const to = g->nodes + z * g->node_plane + y * g->node_row;
    const int64_t at = z * j->plane + y * j->row;
    for (int64_t x = 0; x < j->nodes_along[0]; x += VL) {
        const int64_t left = j->nodes_along[0] - x;
        vf lanes[4];
        f4 node[VL];
        load_nodes(to, x, j->nodes_along[0], lanes);
        const vf capacity = lanes[d->capacity_lane];
        for (int c = 0; c < d->components; c++)
            lanes[c] = vf_load(j->nodes.value[c] + at + x) - kept * over(lanes[c], capacity);
        vti_lanes_to_nodes(lanes, node);
        memcpy(to + x, node, sizeof(f4) * (size_t)(left < VL ? left : VL));
    }
}

static void unpack_plane(void *data, int64_t z)
{
    const job *const j = data;
    for (int64_t y = 0; y < j->nodes_along[1]; y++)
        if (vti_is_filled(j->grid, y, z))
            unpack_row(j, y, z);
        else
            clear_rows(j, y, z);
}

static void pack_plane(void *data, int64_t z)
{
    const job *const j = data;
    for (int64_t y = 0; y < j->nodes_along[1]; y++)
        if (vti_is_filled(j->grid, y, z))
            pack_row(j, y, z);
}

/* ---- lines ---- */

/* Lines side by side: node n of line i is [n * stride + i]. */
typedef struct lines {
    float *value[VT_DIFFUSED_LANES];
    float *capacity, *open, *mixing; /* mixing: along the lines */
    int64_t stride, count, width;    /* width: a multiple of VL */
    float *slope;                    /* scratch: count x width */
    float *face, *rest;              /* scratch: width */
} lines;

/* What flows between node n of the lines and the next one. */
VT_INLINE vf flow_after(const lines *l, int64_t n, int64_t i, vf reach, vf less)
{
    const int64_t here = n * l->stride + i, next = here + l->stride;
    const vf both = vf_load(l->mixing + here) + vf_load(l->mixing + next);
    const vf open = vf_load(l->open + here) * vf_load(l->open + next);
    return open * vf_max(vf_fma(-less, both, reach), (vf){0});
}

/* With e = m + f_before e_before / (e_before + f_before), nothing is ever subtracted. */
VT_INLINE void eliminate(const lines *l, int components, int64_t n, vf reach, vf less)
{
    const int last = n + 1 == l->count;
    for (int64_t i = 0; i < l->width; i += VL) {
        const int64_t here = n * l->stride + i;
        const vf capacity = vf_load(l->capacity + here);
        const vf before = n ? vf_load(l->face + i) : (vf){0};
        const vf own = n ? vf_fma(before, vf_load(l->rest + i), capacity) : capacity;
        const vf after = last ? (vf){0} : flow_after(l, n, i, reach, less);
        const vf pivot = over(vf_set(1), own + after);
        vf_store(l->slope + n * l->width + i, after * pivot);
        vf_store(l->face + i, after);
        vf_store(l->rest + i, own * pivot);
        for (int c = 0; c < components; c++) {
            float *const w = l->value[c] + here;
            vf sum = capacity * vf_load(w);
            if (n)
                sum = vf_fma(before, vf_load(w - l->stride), sum);
            vf_store(w, sum * pivot);
        }
    }
}

VT_INLINE void substitute(const lines *l, int components, int64_t n)
{
    for (int64_t i = 0; i < l->width; i += VL) {
        const vf slope = vf_load(l->slope + n * l->width + i);
        for (int c = 0; c < components; c++) {
            float *const w = l->value[c] + n * l->stride + i;
            vf_store(w, vf_fma(slope, vf_load(w + l->stride), vf_load(w)));
        }
    }
}

VT_INLINE void solve_lines(const lines *l, int components, const job *j)
{
    const vf reach = vf_set(j->reach), less = vf_set(0.5f * j->mixed);
    for (int64_t n = 0; n < l->count; n++)
        eliminate(l, components, n, reach, less);
    for (int64_t n = l->count - 2; n >= 0; n--)
        substitute(l, components, n);
}

static void solve(const lines *l, const job *j)
{
    if (j->diffusion->components == 1)
        solve_lines(l, 1, j);
    else
        solve_lines(l, VT_DIFFUSED_LANES, j);
}

/* The rows of a plane or of all planes above each other that hold anything: first and how many. */
static int64_t find_filled(const job *j, int64_t across, int64_t *first)
{
    const int64_t count = j->nodes_along[j->axis];
    int64_t last = -1;
    *first = count;
    for (int64_t n = 0; n < count; n++)
        if (j->axis == 1 ? vti_is_filled(j->grid, n, across) : vti_is_filled(j->grid, across, n)) {
            *first = n < *first ? n : *first;
            last = n;
        }
    return last < *first ? 0 : last - *first + 1;
}

/* Lines along y in plane `across`, or along z above row `across`. */
static void solve_across(const job *j, int64_t across, float *scratch)
{
    const int64_t step = j->axis == 1 ? j->row : j->plane;
    int64_t first;
    lines l = {.stride = step, .width = j->row, .face = scratch, .rest = scratch + j->row};
    l.count = find_filled(j, across, &first);
    l.slope = l.rest + j->row;
    const int64_t at = across * (j->axis == 1 ? j->plane : j->row) + first * step;
    for (int c = 0; c < j->diffusion->components; c++)
        l.value[c] = j->nodes.value[c] + at;
    l.capacity = j->nodes.capacity + at;
    l.open = j->nodes.open + at;
    l.mixing = j->nodes.mixing[j->axis] + at;
    if (l.count > 1)
        solve(&l, j);
}

/* VL rows, turned so that they lie side by side, or back. */
static void turn_rows(const job *j, float *array, int64_t y, int64_t z, float *turned, int back)
{
    const int64_t left = j->nodes_along[1] - y;
    for (int64_t x = 0; x < j->row; x += VL) {
        vf r[VL];
        for (int l = 0; l < VL; l++)
            r[l] = back       ? vf_load(turned + (x + l) * VL)
                   : l < left ? vf_load(row_of(j, array, y + l, z) + x)
                              : (vf){0};
        vf_transpose(r);
        for (int l = 0; l < VL; l++)
            if (!back)
                vf_store(turned + (x + l) * VL, r[l]);
            else if (l < left)
                vf_store(row_of(j, array, y + l, z) + x, r[l]);
    }
}

/* Lines along x, VL rows of a plane at a time. */
static void solve_along(const job *j, int64_t y, int64_t z, float *scratch)
{
    const int components = j->diffusion->components;
    const size_t block = (size_t)j->row * VL;
    int any = 0;
    for (int l = 0; l < VL && y + l < j->nodes_along[1]; l++)
        any |= vti_is_filled(j->grid, y + l, z);
    if (!any)
        return;
    lines l = {.stride = VL, .count = j->nodes_along[0], .width = VL};
    float *const from[] = {j->nodes.capacity, j->nodes.open,     j->nodes.mixing[0],
                           j->nodes.value[0], j->nodes.value[1], j->nodes.value[2]};
    float **const to[] = {&l.capacity, &l.open, &l.mixing, &l.value[0], &l.value[1], &l.value[2]};
    for (int n = 0; n < 3 + components; n++, scratch += block) {
        *to[n] = scratch;
        turn_rows(j, from[n], y, z, scratch, 0);
    }
    l.slope = scratch;
    l.face = scratch + block;
    l.rest = l.face + VT_LANES;
    solve(&l, j);
    for (int c = 0; c < components; c++)
        turn_rows(j, j->nodes.value[c], y, z, l.value[c], 1);
}

static void solve_block(void *data, int64_t begin, int64_t end, int thread)
{
    const job *const j = data;
    float *const scratch = j->scratch + (size_t)thread * j->scratch_floats;
    for (int64_t n = begin; n < end; n++) {
        if (j->axis > 0)
            solve_across(j, n, scratch);
        for (int64_t y = 0; j->axis == 0 && y < j->nodes_along[1]; y += VL)
            solve_along(j, y, n, scratch);
    }
}

/* ---- the whole ---- */

static void make_room(job *j, vt_arena *arena, int threads)
{
    const size_t floats = (size_t)(j->plane * j->nodes_along[2]), bytes = sizeof(float) * floats;
    for (int c = 0; c < j->diffusion->components; c++)
        j->nodes.value[c] = vti_arena_push(arena, bytes);
    j->nodes.capacity = vti_arena_push(arena, bytes);
    j->nodes.open = vti_arena_push(arena, bytes);
    for (int a = 0; a < 3; a++)
        j->nodes.mixing[a] = vti_arena_push(arena, bytes);
    int64_t longest = 7 * VT_LANES;
    for (int a = 1; a < 3; a++)
        longest = j->nodes_along[a] > longest ? j->nodes_along[a] : longest;
    j->scratch_floats = (size_t)(j->row * (longest + 2)) + 2 * VT_LANES + VT_STREAMS_APART / 4;
    j->scratch = vti_arena_push(arena, sizeof(float) * j->scratch_floats * (size_t)threads);
}

void VT_NAME(diffuse_nodes)(vt_grid *grid, const vt_node_diffusion *diffusion, vt_arena *arena,
                            int threads)
{
    const size_t mark = vti_arena_mark(arena);
    job j = {.grid = grid,
             .diffusion = diffusion,
             .reach = (float)(diffusion->reach / diffusion->parts),
             .mixed = (float)(diffusion->mixed / diffusion->parts)};
    for (int a = 0; a < 3; a++)
        j.nodes_along[a] = grid->cells[a] + 1;
    j.row = (j.nodes_along[0] + VT_LANES - 1) / VT_LANES * VT_LANES;
    j.plane = j.row * j.nodes_along[1];
    make_room(&j, arena, threads);
    vti_parallel_each(threads, j.nodes_along[2], 1 + BLOCK_NODES / j.plane, unpack_plane, &j);
    for (int part = 0; part < diffusion->parts; part++)
        for (int n = 0; n < 3; n++) {
            j.axis = part % 2 ? 2 - n : n;
            vti_parallel_for_numbered(threads, j.nodes_along[j.axis == 2 ? 1 : 2], 1, solve_block,
                                      &j);
        }
    vti_parallel_each(threads, j.nodes_along[2], 1 + BLOCK_NODES / j.plane, pack_plane, &j);
    vti_arena_pop(arena, mark);
}

/* ---- interpolation ---- */

typedef struct sampling {
    const vt_grid *grid;
    const vt_record *records;
    f4 *values;
} sampling;

static void sample_block(void *data, int64_t begin, int64_t end)
{
    const sampling s = *(const sampling *)data; /* a copy: stores cannot change it */
    const int64_t row = s.grid->node_row, plane = s.grid->node_plane;
    for (int64_t i = begin; i < end; i += VL) {
        const int64_t left = end - i < VL ? end - i : VL;
        vf position[4];
        vt_cells cells;
        vti_load_records(s.records + i, left, 0, position);
        vti_find_record_cells(&cells, s.grid, position);
        for (int l = 0; l < left; l++)
            s.values[i + l] = vti_sample_node(s.grid->nodes, row, plane, &cells, l);
    }
}

void VT_NAME(sample_records)(const vt_grid *grid, int64_t count, const vt_record *records,
                             f4 *values, int threads)
{
    sampling s = {grid, records, values};
    vti_parallel_for(threads, count, BLOCK, sample_block, &s);
}
