#include "field/sample.h"

#include "field/extent.h"
#include "field/far_lattice.h"
#include "field/room_grid.h"
#include "field/solve.h"
#include "panels/body_vorticity.h"
#include "panels/image_vorticity.h"
#include "panels/joint_panels.h"
#include "panels/panels.h"
#include "panels/wall_correction.h"
#include "state/predicates.h"
#include "state/wind_at_time.h"

/* ---- the vortons of now ---- */

vt_sorted_vortons vti_sort_vortons(vt_simulation *s, const vt_grid *grid)
{
    const int64_t count = s->vortons.set.count;
    const size_t bytes = sizeof(vt_record) * (size_t)(count + VT_LANES);
    const size_t lines = (size_t)grid->cells[1] * (size_t)grid->cells[2];
    vt_record *const sorted = vti_arena_push(&s->arena, bytes);
    uint32_t *const row_start = vti_arena_push(&s->arena, 4 * (lines + 1));
    const size_t mark = vti_arena_mark(&s->arena);
    vt_record *const records = vti_arena_push(&s->arena, bytes);
    vti_collect_records(s, grid, 0, count, records);
    s->stages->sort(grid, count, records, sorted, row_start, &s->arena, s->def.threads);
    vti_arena_pop(&s->arena, mark);
    return (vt_sorted_vortons){sorted, row_start};
}

/* ---- solving ---- */

static vt_status solve_current_grid(vt_simulation *s, const vt_extent *content)
{
    vt_placement placement = s->placement;
    const vt_status status = vti_place_grid(s, content, &placement);
    if (status)
        return status;
    vti_lay_out_grid(s, &placement);
    vti_pose_panels(s, s->time, (const double[3]){0, 0, 0});
    const size_t mark = vti_arena_mark(&s->arena);
    const int64_t count = s->vortons.set.count;
    const size_t bytes = sizeof(vt_record) * (size_t)(count + VL);
    const size_t rows = (size_t)s->grid.cells[1] * (size_t)s->grid.cells[2];
    vt_record *const records = vti_arena_push(&s->arena, bytes);
    vt_record *const sorted = vti_arena_push(&s->arena, bytes);
    uint32_t *const row_start = vti_arena_push(&s->arena, 4 * (rows + 1));
    vti_collect_records(s, &s->grid, 0, count, records);
    vti_solve_field(s, count, records, sorted, row_start, NULL);
    vti_arena_pop(&s->arena, mark);
    return VT_OK;
}

/* The filters of nodes leave out the first and the last plane. */
static void clear_outer_planes(const vt_grid *grid, float *const field[3])
{
    for (int c = 0; c < 3; c++) {
        memset(field[c], 0, sizeof(float) * (size_t)grid->plane);
        memset(field[c] + grid->cells[2] * grid->plane, 0, sizeof(float) * (size_t)grid->plane);
    }
}

void vti_find_source(vt_simulation *s, vt_node_values values, double weight, float *const source[3])
{
    const vt_grid before = s->grid;
    vt_grid *const grid = &s->grid; /* what bodies add goes into the grid of the simulation */
    const size_t mark = vti_arena_mark(&s->arena);
    const int threads = s->def.threads;
    for (int c = 0; c < 3; c++)
        grid->field[c] = source[c];
    grid->filled = vti_arena_push(&s->arena, (size_t)vti_grid_rows(grid));
    const vt_sorted_vortons sorted = vti_sort_vortons(s, grid);
    /* the nodes take the memory of the unsorted records */
    grid->nodes =
        vti_arena_push(&s->arena, sizeof(f4) * (size_t)(grid->node_plane * (grid->cells[2] + 2)));
    s->stages->deposit_lengths(grid, sorted.records, sorted.row_start, threads);
    if (grid->walled)
        vti_add_images_at_walls(grid);
    if (s->panels.exist) {
        vti_deposit_body_vorticity(s);
        vti_continue_lines(s);
    }
    vti_give_cores(s, values, weight);
    if (!vti_filters_modes(s))
        clear_outer_planes(grid, source);
    vti_arena_pop(&s->arena, mark);
    s->grid = before;
}

/* Columns of the vortons that the fields are made from. */
static const int source_columns[] = {VT_VORTON_position, VT_VORTON_strength, VT_VORTON_core,
                                     VT_VORTON_swelling};
enum { SOURCE_COLUMNS = sizeof source_columns / sizeof *source_columns, DIGEST_BLOCK = 65536 };

typedef struct digest_job {
    const char *values;
    int64_t bytes;
    uint64_t *block;
} digest_job;

/* One-to-one in each of its arguments, and every bit reaches the others: a change does not get
 * lost, nor two of them together but by a chance of 2^-64. */
static inline uint64_t mix(uint64_t digest, uint64_t word)
{
    digest = (digest ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return digest ^ digest >> 29;
}

static void digest_block(void *data, int64_t begin, int64_t end)
{
    enum { LANES = 4, WORD = sizeof(uint64_t) };
    const digest_job job = *(const digest_job *)data;
    uint64_t digest[LANES] = {0, 1, 2, 3};
    for (int64_t at = begin; at < end; at += LANES * WORD) {
        uint64_t word[LANES] = {0};
        memcpy(word, job.values + at, (size_t)(end - at < LANES * WORD ? end - at : LANES * WORD));
        for (int l = 0; l < LANES; l++)
            digest[l] = mix(digest[l], word[l]);
    }
    for (int l = 1; l < LANES; l++)
        digest[0] = mix(digest[0], digest[l]);
    job.block[begin / DIGEST_BLOCK] = digest[0];
}

/* Digest of the source columns where any of them was viewed, never 0; else 0. */
static uint64_t digest_sources(vt_simulation *s)
{
    const vt_set *const set = &s->vortons.set;
    uint64_t digest = (uint64_t)set->count;
    int viewed = 0;
    for (int n = 0; n < SOURCE_COLUMNS; n++)
        viewed |= vti_is_viewed(s, VT_VORTONS, source_columns[n]);
    if (!viewed)
        return 0;
    for (int n = 0; n < SOURCE_COLUMNS; n++) {
        const int c = source_columns[n];
        if (!set->used[c])
            continue;
        const int64_t bytes = set->row_bytes[c] * set->count;
        const int64_t blocks = (bytes + DIGEST_BLOCK - 1) / DIGEST_BLOCK;
        const size_t mark = vti_arena_mark(&s->arena);
        digest_job job = {set->column[c], bytes, vti_arena_push(&s->arena, 8 * (size_t)blocks)};
        vti_parallel_for(s->def.threads, bytes, DIGEST_BLOCK, digest_block, &job);
        for (int64_t b = 0; b < blocks; b++)
            digest = mix(digest, job.block[b]);
        vti_arena_pop(&s->arena, mark);
    }
    return digest ? digest : 1;
}

vt_status vti_solve_current(vt_simulation *s)
{
    static const double nowhere[3] = {0, 0, 0};
    vt_extent content;
    vt_status status = vti_join_panels(s);
    if (status)
        return status;
    vti_set_wind(s, s->time, s->time);
    vti_set_wind_grids(s, s->time, s->time, nowhere);
    const uint64_t digest = digest_sources(s);
    /* a box holds the tracers, too, and they may have been written */
    const int moved = s->def.method.domain == VT_DOMAIN_BOX && s->viewed[VT_TRACERS];
    if (s->fields_current && s->fields_digest == digest && !moved)
        return VT_OK;
    vti_form_walls(s, s->time);
    status = vti_find_extent(s, NULL, &content);
    if (status)
        return status;
    s->fields_exist = content.exists && vti_has_grid(s);
    if (s->fields_exist)
        status = solve_current_grid(s, &content);
    else
        vti_pose_panels(s, s->time, nowhere);
    s->fields_current = status == VT_OK;
    s->fields_digest = digest;
    return status;
}

/* ---- reading the fields ---- */

static void velocity_far_away(vt_simulation *s, const vt_far_lattice *lattice, int64_t count,
                              const float *points, const uint8_t *inside, float *velocity)
{
    int64_t far = 0;
    for (int64_t i = 0; i < count; i++)
        far += !inside[i];
    if (far == 0)
        return;
    const size_t mark = vti_arena_mark(&s->arena);
    float *const at = vti_arena_push(&s->arena, 12 * (size_t)far);
    float *const u = vti_arena_push(&s->arena, 12 * (size_t)far);
    for (int64_t i = 0, n = 0; i < count; i++)
        if (!inside[i])
            memcpy(at + 3 * n++, points + 3 * i, 12);
    vti_far_velocity(s, lattice, far, at, u);
    vti_add_wind_grids(s, far, at, u, NULL);
    for (int64_t i = 0, n = 0; i < count; i++)
        if (!inside[i])
            memcpy(velocity + 3 * i, u + 3 * n++, 12);
    vti_arena_pop(&s->arena, mark);
}

f4 *vti_make_nodes(vt_simulation *s, const vt_grid *grid)
{
    const size_t nodes = (size_t)(grid->node_plane * (grid->cells[2] + 1));
    const size_t beyond = 2 * (size_t)grid->node_plane;
    f4 *const made = vti_arena_push(&s->arena, (nodes + beyond) * sizeof(f4));
    memset(made + nodes, 0, beyond * sizeof(f4));
    return made;
}

/* Of the grid, by a given kernel, and the far field, but for what walls add. */
static void velocity_by(vt_simulation *s, vt_sample_kernel *sample, const vt_far_lattice *lattice,
                        int64_t count, const float *points, float *velocity)
{
    const size_t mark = vti_arena_mark(&s->arena);
    if (!vti_has_grid(s)) {
        const vt_vortons *const v = &s->vortons;
        const vt_pair_sources now = {v->set.count, v->position, v->strength, v->core};
        const vt_pair_sources *const from = s->pairs.position ? &s->pairs : &now;
        vti_sum_vortons(s, count, points, from, velocity, NULL, NULL);
        vti_add_wind_grids(s, count, points, velocity, NULL);
    } else if (s->fields_exist && !s->grid.still) {
        uint8_t *const inside = vti_arena_push(&s->arena, (size_t)count);
        sample(&s->grid, count, points, velocity, inside, s->def.threads);
        velocity_far_away(s, lattice, count, points, inside, velocity);
    } else {
        memset(velocity, 0, 12 * (size_t)count);
        vti_add_wind_grids(s, count, points, velocity, NULL);
    }
    vti_arena_pop(&s->arena, mark);
}

void vti_velocity_without_walls(vt_simulation *s, const vt_far_lattice *lattice, int64_t count,
                                const float *points, float *velocity)
{
    velocity_by(s, s->stages->sample, lattice, count, points, velocity);
}

void vti_velocity_to_set_out(vt_simulation *s, const vt_far_lattice *lattice, int64_t count,
                             const float *points, float *velocity)
{
    velocity_by(s, s->stages->sample_between, lattice, count, points, velocity);
}

int64_t vti_add_walls(vt_simulation *s, int64_t count, const float *points, float *velocity,
                      uint32_t *changed)
{
    if (!s->fields_exist || !vti_has_grid(s) || s->grid.still)
        return 0;
    return vti_cancel_normal_velocities(s, count, points, velocity, changed);
}

static void velocity_with_walls(vt_simulation *s, const vt_far_lattice *lattice, int64_t count,
                                const float *points, float *velocity)
{
    vti_velocity_without_walls(s, lattice, count, points, velocity);
    vti_add_walls(s, count, points, velocity, NULL);
}

void vti_velocity_of_points(vt_simulation *s, int64_t count, const float *points, float *velocity)
{
    velocity_with_walls(s, NULL, count, points, velocity);
}

void vti_velocity_of_tracers(vt_simulation *s, const vt_far_lattice *lattice, int64_t count,
                             const float *points, float *velocity)
{
    velocity_with_walls(s, lattice, count, points, velocity);
}

void vti_velocity_of_voxels(vt_simulation *s, double apart, int64_t count, const float *points,
                            float *velocity)
{
    const size_t mark = vti_arena_mark(&s->arena);
    const vt_far_lattice *const lattice = vti_open_voxel_lattice(s, apart, count, points);
    velocity_with_walls(s, lattice, count, points, velocity);
    vti_arena_pop(&s->arena, mark);
}

/* Whether walls matter anywhere in a box of cells. */
static int is_near_panels(const vt_grid *grid, const uint8_t *near_cell, const double low[3],
                          double width)
{
    uint8_t near = 0;
    int64_t from[3], to[3];
    for (int c = 0; c < 3; c++) {
        from[c] = (int64_t)low[c];
        to[c] = (int64_t)(low[c] + width);
    }
    for (int64_t k = from[2]; k <= to[2]; k++)
        for (int64_t j = from[1]; j <= to[1]; j++)
            for (int64_t i = from[0]; i <= to[0]; i++)
                near |= near_cell[k * grid->node_plane + j * grid->node_row + i];
    return near;
}

int vti_velocity_of_leaf(const vt_simulation *s, const uint8_t *near_cell, const double first[3],
                         double apart, float *velocity)
{
    const vt_grid *const g = &s->grid;
    const double step = apart / g->spacing, width = (VT_SAMPLED_SIDE - 1) * step;
    double low[3];
    float wind[3];
    if (!vti_has_grid(s) || !s->fields_exist || !g->fourth)
        return 0;
    for (int c = 0; c < 3; c++) {
        low[c] = first[c] / g->spacing - g->base[c];
        wind[c] = (float)s->winds.velocity[c];
        if (!(low[c] >= 0 && low[c] + width < g->cells[c]))
            return 0;
    }
    return !(near_cell && is_near_panels(g, near_cell, low, width)) &&
           s->stages->sample_leaf(g, low, step, wind, velocity);
}
