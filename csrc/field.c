#include "field.h"

#include <math.h>
#include <string.h>

#include "article_walls.h"
#include "body_heat.h"
#include "core/parallel.h"
#include "core/status.h"
#include "line_ends.h"
#include "panels.h"
#include "potential.h"
#include "spin.h"
#include "state/check.h"
#include "state/solve_poisson.h"
#include "wall_nodes.h"

/* ---- where the vortons are ---- */

static void add_bounds(vt_content *c, const vt_bounds *bounds, int *any)
{
    for (int t = 0; t < VT_MAX_THREADS; t++) {
        if (bounds->thread[t].least[0] > bounds->thread[t].most[0])
            continue;
        for (int a = 0; a < 3; a++) {
            const double low = bounds->thread[t].least[a], high = bounds->thread[t].most[a];
            c->least[a] = *any ? fmin(c->least[a], low) : low;
            c->most[a] = *any ? fmax(c->most[a], high) : high;
        }
        *any = 1;
    }
}

static int all_finite(const vt_bounds *bounds)
{
    int32_t finite = 1;
    for (int t = 0; t < VT_MAX_THREADS; t++)
        finite &= bounds->thread[t].finite;
    return finite;
}

/* Names the first bad row of a column. */
static vt_status report_not_finite(const char *column, int64_t count, const float *values,
                                   const int64_t *id)
{
    for (int64_t i = 0; i < 3 * count; i++)
        if (!isfinite(values[i]))
            return vt_fail(VT_NOT_FINITE,
                           "%s has %g in row %lld (id %lld); allowed are finite values", column,
                           (double)values[i], (long long)(i / 3), (long long)id[i / 3]);
    return VT_OK;
}

static vt_status report_vortons(const vt_simulation *s)
{
    const vt_vortons *const v = &s->vortons;
    const vt_status status =
        report_not_finite("vortons.position", v->set.count, v->position, v->id);
    return status ? status
                  : report_not_finite("vortons.strength", v->set.count, v->strength, v->id);
}

/* A box holds the tracers too, and counts none whose place is no number. */
static void add_tracers(vt_simulation *s, vt_content *content, int *any)
{
    const float *const position = s->tracers.position;
    vt_bounds bounds;
    s->stages->bounds(s->tracers.set.count, position, position, &bounds, s->def.threads);
    add_bounds(content, &bounds, any);
}

static int is_viewed(const vt_simulation *s, int column)
{
    return s->viewed[VT_VORTONS] >> column & 1;
}

/* The cores that deposit, stencils and sampling make by themselves: their variance, cells^2 (the
 * value at which the velocity of clouds is nearest to the direct sum). */
static const double point_variance = 0.44;

static int has_points(const vt_simulation *s)
{
    return s->def.method.cores == VT_CORES_POINT;
}

/* The core that the grid gives at its default spacing, in cells. */
static double usual_core(const vt_simulation *s)
{
    return has_points(s) ? sqrt(point_variance) : 1.5;
}

static double base_spacing(const vt_simulation *s)
{
    if (s->def.spacing > 0)
        return s->def.spacing;
    const double core = vt_core_around_bodies(s);
    return core > 0 ? core / usual_core(s) : vt_panel_spacing(s);
}

vt_status vt_find_content(vt_simulation *s, const vt_births *births, vt_content *content)
{
    const int threads = s->def.threads;
    vt_bounds bounds;
    int any = 0;
    if (is_viewed(s, VT_VORTON_core)) {
        const vt_status status = vt_check_cores(s);
        if (status)
            return status;
        vt_update_smallest_core(s);
    }
    const vt_status checked = vt_check_swelling(s);
    if (checked)
        return checked;
    s->stages->bounds(s->vortons.set.count, s->vortons.position, s->vortons.strength, &bounds,
                      threads);
    if (!all_finite(&bounds))
        return report_vortons(s);
    add_bounds(content, &bounds, &any);
    content->exists = 0;
    for (int t = 0; t < VT_MAX_THREADS; t++)
        content->exists |= bounds.thread[t].carries;
    content->exists = content->exists || vt_has_charges(s) || vt_panels_stir(s);
    if (births && births->vorton_count > 0) {
        s->stages->bounds(births->vorton_count, births->vorton_position, births->vorton_strength,
                          &bounds, threads);
        add_bounds(content, &bounds, &any);
    }
    if (s->def.method.domain == VT_DOMAIN_BOX)
        add_tracers(s, content, &any);
    vt_add_panel_bounds(s, base_spacing(s), content->least, content->most, &any);
    return VT_OK;
}

/* ---- the grid ---- */

double vt_grid_spacing(const vt_simulation *s)
{
    return vt_domain_spacing(base_spacing(s), s->placement.level);
}

vt_status vt_place_grid(const vt_simulation *s, const vt_content *content, vt_placement *placement)
{
    const double spacing = base_spacing(s), finest = s->smallest_core / 2.1;
    if (spacing < finest && !has_points(s))
        return vt_fail(VT_INVALID_ARGUMENT,
                       "spacing %g m is too fine for the smallest core, %g m; allowed is %g m and "
                       "more",
                       spacing, s->smallest_core, finest);
    return s->def.method.domain == VT_DOMAIN_BOX
               ? vt_place_box(placement, content->least, content->most, spacing, s->def.max_nodes)
               : vt_place_domain(placement, content->least, content->most, spacing,
                                 s->def.max_nodes);
}

/* The next array of the range that was reserved for the grid, with room to read around it. */
static void *carve(char **at, int64_t bytes)
{
    char *const array = *at + 64;
    *at = array + (bytes + 127) / 64 * 64;
    return array;
}

void vt_lay_out_grid(vt_simulation *s, const vt_placement *placement)
{
    vt_grid *const g = &s->grid;
    for (int a = 0; a < 3; a++) {
        g->cells[a] = placement->cells[a];
        g->base[a] = placement->base[a];
    }
    vt_grid_pitches(g);
    g->spacing = vt_domain_spacing(base_spacing(s), placement->level);
    g->core = usual_core(s) * g->spacing;
    if (!has_points(s))
        g->core = fmax(s->smallest_core, g->core);
    char *at = s->grid_memory;
    g->nodes = carve(&at, (int64_t)sizeof(f4) * g->node_plane * (g->cells[2] + 2));
    for (int f = 0; f < 6; f++)
        g->face[f] = carve(&at, (int64_t)sizeof(float) * 3 * g->face_plane);
    for (int c = 0; c < 4; c++)
        g->field[c] = carve(&at, (int64_t)sizeof(float) * g->plane * (g->cells[2] + 1));
    /* the last two are not for every simulation, which then never touches their memory */
    g->scalars = carve(&at, (int64_t)sizeof(f4) * g->node_plane * (g->cells[2] + 2));
}

double vt_filter_variance(const vt_simulation *s)
{
    const double cells = s->grid.core / s->grid.spacing;
    return has_points(s) ? 0 : cells * cells - point_variance;
}

/* The vector potential on the faces, and the moments for what lies beyond them. */
static void find_boundary(vt_simulation *s, int64_t count, const vt_record *records)
{
    const vt_stage_table *const stages = s->stages;
    vt_grid *const grid = &s->grid;
    const double theta = s->def.method.opening_angle;
    const int threads = s->def.threads;
    stages->moments(grid, &s->moments, &s->arena, threads);
    switch (s->def.method.boundary) {
    case VT_BOUNDARY_TREE:
        stages->boundary_tree(grid, count, records, theta, &s->arena, threads);
        break;
    case VT_BOUNDARY_DECIMATED:
        stages->boundary_decimated(grid, count, records, &s->arena, threads);
        break;
    case VT_BOUNDARY_ZERO:
        stages->boundary_zero(grid);
        break;
    default:
        stages->boundary_clusters(grid, &s->moments, theta, &s->arena, threads);
    }
}

static void find_potential(vt_simulation *s, int64_t count, const vt_record *sorted)
{
    const size_t mark = vt_arena_mark(&s->arena);
    vt_record *const charges = vt_arena_push(&s->arena, sizeof *charges * (size_t)(count + VL));
    int64_t found = 0;
    if (s->vortons.set.used[VT_VORTON_swelling])
        found = vt_collect_charges(s, count, sorted, charges);
    if (found > 0 || !s->panels.exist)
        vt_solve_potential(s, found, charges);
    if (s->panels.exist) {
        VT_TIMED(s, panels, vt_solve_densities(s));
        vt_record *const all = vt_arena_push(
            &s->arena, sizeof *all * (size_t)(found + vt_count_panel_charges(s) + VL));
        memcpy(all, charges, sizeof *all * (size_t)found);
        found += vt_collect_panel_charges(s, all + found);
        vt_solve_potential(s, found, all);
    }
    vt_arena_pop(&s->arena, mark);
}

/* What vortons lack of vortex lines, which end nowhere. */
static void complete_vorticity(vt_simulation *s)
{
    vt_cut_panels(s);
    vt_deposit_spin(s);
    vt_continue_lines(s);
}

void vt_solve_field(vt_simulation *s, int64_t count, const vt_record *records, vt_record *sorted,
                    uint32_t *row_start)
{
    const vt_stage_table *const stages = s->stages;
    vt_grid *const grid = &s->grid;
    vt_arena *const arena = &s->arena;
    const int threads = s->def.threads;
    VT_TIMED(s, sort, stages->sort(grid, count, records, sorted, row_start, arena, threads));
    VT_TIMED(s, deposit, stages->deposit(grid, sorted, row_start, threads));
    if (s->panels.exist)
        VT_TIMED(s, panels, complete_vorticity(s));
    VT_TIMED(s, boundary, find_boundary(s, count, sorted));
    VT_TIMED(s, filter,
             stages->filter(grid, vt_filter_variance(s), 1 / grid->spacing, arena, threads));
    VT_TIMED(s, poisson, vt_run_poisson(stages, &s->def.method, grid, &s->plan, arena, threads));
    grid->has_potential = 0;
    if (s->vortons.set.used[VT_VORTON_swelling] || s->panels.exist)
        VT_TIMED(s, potential, find_potential(s, count, sorted));
    VT_TIMED(s, velocity, stages->velocity(grid, threads));
    if (s->winds.grid_count > 0)
        VT_TIMED(s, wind, vt_add_winds_to_nodes(s));
    if (s->panels.exist)
        VT_TIMED(s, panels, vt_correct_nodes(s));
}

/* ---- without a grid ---- */

void vt_sum_vortons(vt_simulation *s, int64_t count, const float *targets,
                    const vt_pair_sources *from, float *velocity, float *gradient)
{
    const vt_method *const m = &s->def.method;
    const int threads = s->def.threads;
    if (m->velocity == VT_VELOCITY_TREE)
        s->stages->tree(m->kernel, m->opening_angle, count, targets, from->count, from->position,
                        from->strength, from->core, velocity, gradient, &s->arena, threads);
    else
        s->stages->direct(m->kernel, count, targets, from->count, from->position, from->strength,
                          from->core, velocity, gradient, &s->arena, threads);
}

/* ---- what the vortons carry ---- */

void vt_find_means(vt_simulation *s, int64_t count, const vt_record *sorted,
                   const uint32_t *row_start, const vt_scalar_lane lanes[3], vt_grid *means)
{
    const int threads = s->def.threads;
    const size_t mark = vt_arena_mark(&s->arena);
    const vt_fluid fluid = vt_fluid_of(&s->def);
    vt_record *const records = vt_arena_push(&s->arena, sizeof *records * (size_t)(count + VL));
    const vt_scalar_rows rows = {s->vortons.volume,
                                 vt_used_column(&s->vortons.set, VT_VORTON_density),
                                 vt_used_column(&s->vortons.set, VT_VORTON_temperature),
                                 {lanes[0], lanes[1], lanes[2]}};
    s->stages->collect_scalars(means, count, sorted, &rows, &fluid, records, threads);
    s->stages->deposit(means, records, row_start, threads);
    s->stages->normalise(means, row_start, threads);
    vt_arena_pop(&s->arena, mark);
}

void vt_solve_scalars(vt_simulation *s, int64_t count, const vt_record *sorted,
                      const uint32_t *row_start, double time, vt_buoyancy *buoyancy)
{
    const size_t mark = vt_arena_mark(&s->arena);
    vt_node_marks marks;
    const vt_scalar_lane lanes[3] = {{VT_SCALAR_CONTRAST, NULL}};
    vt_grid means = s->grid, slopes = s->grid;
    means.nodes =
        vt_arena_push(&s->arena, (size_t)(means.node_plane * (means.cells[2] + 2)) * sizeof(f4));
    slopes.nodes = s->grid.scalars;
    *buoyancy =
        (vt_buoyancy){vt_fluid_of(&s->def), slopes.nodes, s->vortons.volume, vt_accelerations(s)};
    vt_find_means(s, count, sorted, row_start, lanes, &means);
    s->stages->slope(&means, &slopes, s->def.threads);
    marks.open = NULL;
    if (s->def.method.walls == VT_WALLS_MASKED)
        vt_mark_wall_nodes(s, &s->grid, time, &marks);
    if (marks.open)
        s->stages->masked_slope(&means, &marks, &slopes, s->def.threads);
    vt_poison_slopes(s, &s->grid, slopes.nodes, time);
    vt_arena_pop(&s->arena, mark);
}

/* ---- the fields of now ---- */

/* Records of all vortons, and room to sort them, in arena memory. */
static void collect_now(vt_simulation *s, vt_record *records)
{
    const vt_vortons *const v = &s->vortons;
    s->stages->collect(&s->grid, v->set.count, v->position, v->strength, v->bound_volume, records,
                       s->def.threads);
}

static vt_status solve_grid_now(vt_simulation *s, const vt_content *content)
{
    vt_placement placement = s->placement;
    const vt_status status = vt_place_grid(s, content, &placement);
    if (status)
        return status;
    vt_lay_out_grid(s, &placement);
    vt_pose_panels(s, s->time, (const double[3]){0, 0, 0});
    const size_t mark = vt_arena_mark(&s->arena);
    const int64_t count = s->vortons.set.count;
    const size_t bytes = sizeof(vt_record) * (size_t)(count + VL);
    const size_t rows = (size_t)s->grid.cells[1] * (size_t)s->grid.cells[2];
    vt_record *const records = vt_arena_push(&s->arena, bytes);
    vt_record *const sorted = vt_arena_push(&s->arena, bytes);
    uint32_t *const row_start = vt_arena_push(&s->arena, 4 * (rows + 1));
    collect_now(s, records);
    vt_solve_field(s, count, records, sorted, row_start);
    vt_arena_pop(&s->arena, mark);
    return VT_OK;
}

/* What is made of the records takes their place: the fields that of those sorted, the nodes that of
 * the others. */
void vt_find_source(vt_simulation *s, float *source[3])
{
    enum { MARGIN = VT_LANES };
    vt_grid grid = s->grid;
    const int64_t count = s->vortons.set.count;
    const int64_t field = grid.plane * (grid.cells[2] + 1) + 2 * MARGIN;
    const int64_t nodes = grid.node_plane * (grid.cells[2] + 2);
    const size_t records = sizeof(vt_record) * (size_t)(count + VL);
    const size_t fields = 3 * sizeof(float) * (size_t)field;
    const size_t rows = (size_t)grid.cells[1] * (size_t)grid.cells[2];
    float *const first = vt_arena_push(&s->arena, fields > records ? fields : records);
    const size_t mark = vt_arena_mark(&s->arena);
    uint32_t *const row_start = vt_arena_push(&s->arena, 4 * (rows + 1));
    const size_t mark_of_records = vt_arena_mark(&s->arena);
    vt_record *const unsorted = vt_arena_push(&s->arena, records), *const sorted = (void *)first;
    collect_now(s, unsorted);
    s->stages->sort(&grid, count, unsorted, sorted, row_start, &s->arena, s->def.threads);
    vt_arena_pop(&s->arena, mark_of_records);
    grid.nodes = vt_arena_push(&s->arena, sizeof(f4) * (size_t)nodes);
    s->stages->deposit(&grid, sorted, row_start, s->def.threads);
    for (int c = 0; c < 3; c++)
        grid.field[c] = source[c] = first + c * field + MARGIN;
    s->stages->filter(&grid, vt_filter_variance(s), 1 / grid.spacing, &s->arena, s->def.threads);
    vt_arena_pop(&s->arena, mark);
}

/* Columns of the vortons that the fields are made from. */
static const int source_columns[] = {VT_VORTON_position, VT_VORTON_strength, VT_VORTON_core,
                                     VT_VORTON_bound_volume, VT_VORTON_swelling};
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

static void digest_block(void *data, int64_t begin, int64_t end, int thread)
{
    (void)thread;
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
        viewed |= is_viewed(s, source_columns[n]);
    if (!viewed)
        return 0;
    for (int n = 0; n < SOURCE_COLUMNS; n++) {
        const int c = source_columns[n];
        if (!set->used[c])
            continue;
        const int64_t bytes = set->row_bytes[c] * set->count;
        const int64_t blocks = (bytes + DIGEST_BLOCK - 1) / DIGEST_BLOCK;
        const size_t mark = vt_arena_mark(&s->arena);
        digest_job job = {set->column[c], bytes, vt_arena_push(&s->arena, 8 * (size_t)blocks)};
        vt_parallel_for(s->def.threads, bytes, DIGEST_BLOCK, digest_block, &job);
        for (int64_t b = 0; b < blocks; b++)
            digest = mix(digest, job.block[b]);
        vt_arena_pop(&s->arena, mark);
    }
    return digest ? digest : 1;
}

vt_status vt_solve_now(vt_simulation *s)
{
    static const double nowhere[3] = {0, 0, 0};
    vt_content content;
    vt_set_wind(s, s->time, s->time);
    vt_set_wind_grids(s, s->time, s->time, nowhere);
    const uint64_t digest = digest_sources(s);
    /* a box holds the tracers, too, and they may have been written */
    const int moved = s->def.method.domain == VT_DOMAIN_BOX && s->viewed[VT_TRACERS];
    if (s->fields_current && s->fields_digest == digest && !moved)
        return VT_OK;
    vt_status status = vt_find_content(s, NULL, &content);
    if (status)
        return status;
    s->fields_exist = content.exists && vt_has_grid(s);
    if (s->fields_exist)
        status = solve_grid_now(s, &content);
    else
        vt_pose_panels(s, s->time, nowhere);
    s->fields_current = status == VT_OK;
    s->fields_digest = digest;
    return status;
}

vt_status vt_update_fields(vt_simulation *s)
{
    vt_status status = vt_enter(s);
    if (status)
        return status;
    s->fields_current = 0;
    status = vt_solve_now(s);
    vt_leave(s);
    return status;
}

/* ---- reading the fields ---- */

static void velocity_far_away(vt_simulation *s, int64_t count, const float *points,
                              const uint8_t *inside, float *velocity)
{
    int64_t far = 0;
    for (int64_t i = 0; i < count; i++)
        far += !inside[i];
    if (far == 0)
        return;
    const size_t mark = vt_arena_mark(&s->arena);
    float *const at = vt_arena_push(&s->arena, 12 * (size_t)far);
    float *const u = vt_arena_push(&s->arena, 12 * (size_t)far);
    for (int64_t i = 0, n = 0; i < count; i++)
        if (!inside[i])
            memcpy(at + 3 * n++, points + 3 * i, 12);
    s->stages->far_velocity(&s->grid, &s->moments, s->def.method.opening_angle, far, at, u,
                            s->def.threads);
    if (s->grid.has_potential)
        s->stages->far_gradient(&s->grid, &s->charges, s->def.method.opening_angle, far, at, u,
                                s->def.threads);
    vt_add_wind_grids(s, far, at, u, NULL);
    for (int64_t i = 0, n = 0; i < count; i++)
        if (!inside[i])
            memcpy(velocity + 3 * i, u + 3 * n++, 12);
    vt_arena_pop(&s->arena, mark);
}

void vt_velocity_of_points(vt_simulation *s, int64_t count, const float *points, float *velocity)
{
    const int threads = s->def.threads;
    const size_t mark = vt_arena_mark(&s->arena);
    if (!vt_has_grid(s)) {
        const vt_vortons *const v = &s->vortons;
        const vt_pair_sources now = {v->set.count, v->position, v->strength, v->core};
        const vt_pair_sources *const from = s->pairs.position ? &s->pairs : &now;
        vt_sum_vortons(s, count, points, from, velocity, NULL);
        vt_add_wind_grids(s, count, points, velocity, NULL);
    } else if (s->fields_exist) {
        uint8_t *const inside = vt_arena_push(&s->arena, (size_t)count);
        s->stages->sample(&s->grid, count, points, velocity, inside, threads);
        velocity_far_away(s, count, points, inside, velocity);
        vt_hold_velocities(s, count, points, velocity);
    } else {
        memset(velocity, 0, 12 * (size_t)count);
        vt_add_wind_grids(s, count, points, velocity, NULL);
    }
    vt_arena_pop(&s->arena, mark);
}

enum { PORTION = 1 << 20 };

vt_status vt_velocity_at(vt_simulation *s, int64_t count, const float *points, float *velocity)
{
    if (count < 0 || (count > 0 && (!points || !velocity)))
        return vt_fail(VT_INVALID_ARGUMENT, "count is %lld; allowed is >= 0, with arrays",
                       (long long)count);
    for (int64_t i = 0; i < 3 * count; i++)
        if (!isfinite(points[i]))
            return vt_fail(VT_NOT_FINITE, "points has %g in row %lld; allowed are finite values",
                           (double)points[i], (long long)(i / 3));
    vt_status status = vt_enter(s);
    if (status)
        return status;
    status = vt_solve_now(s);
    /* in portions: scratch is reserved for as many particles as the simulation may have */
    for (int64_t from = 0; from < count && !status; from += PORTION) {
        const int64_t portion = count - from < PORTION ? count - from : PORTION;
        float *const u = velocity + 3 * from;
        vt_velocity_of_points(s, portion, points + 3 * from, u);
        for (int64_t i = 0; i < 3 * portion; i++)
            u[i] += (float)s->winds.velocity[i % 3];
    }
    vt_leave(s);
    return status;
}

/* Node-centred views: velocity in nodes of four floats, the potential in three arrays that lie at
 * equal distances. */
static vt_status describe_grid(vt_simulation *s, const char *name, vt_array *array)
{
    const vt_grid *const g = &s->grid;
    const int potential = strcmp(name, "vector_potential") == 0;
    if (!potential && strcmp(name, "velocity") != 0)
        return vt_fail(VT_INVALID_ARGUMENT,
                       "there is no grid \"%s\"; allowed are velocity and vector_potential", name);
    if (!s->fields_exist)
        return vt_fail(VT_INVALID_ARGUMENT,
                       "there is no grid %s: no vorton carries circulation, or the method has none",
                       name);
    *array = (vt_array){.data = potential ? (void *)g->field[0] : (void *)g->nodes,
                        .type = VT_FLOAT32,
                        .dimensions = 4,
                        .shape = {g->cells[2] + 1, g->cells[1] + 1, g->cells[0] + 1, 3}};
    const int64_t item = sizeof(float), node = sizeof(f4);
    if (potential) {
        const int64_t apart = (g->field[1] - g->field[0]) * item;
        const int64_t strides[4] = {g->plane * item, g->row * item, item, apart};
        memcpy(array->strides, strides, sizeof strides);
    } else {
        const int64_t strides[4] = {g->node_plane * node, g->node_row * node, node, item};
        memcpy(array->strides, strides, sizeof strides);
    }
    return VT_OK;
}

vt_status vt_get_grid(vt_simulation *s, const char *name, vt_array *array, double origin[3],
                      double *spacing)
{
    vt_status status = vt_enter(s);
    if (status)
        return status;
    status = vt_solve_now(s);
    if (!status)
        status = describe_grid(s, name, array);
    if (!status) {
        for (int a = 0; a < 3; a++)
            origin[a] = s->grid.base[a] * s->grid.spacing;
        *spacing = s->grid.spacing;
    }
    vt_leave(s);
    return status;
}
