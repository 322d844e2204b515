#include "field.h"

#include <math.h>
#include <string.h>

#include "article_walls.h"
#include "body_heat.h"
#include "carrier.h"
#include "core/status.h"
#include "half_open.h"
#include "line_ends.h"
#include "panels.h"
#include "potential.h"
#include "spin.h"
#include "state/solve_poisson.h"
#include "wall_nodes.h"

/* ---- the grid ---- */

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

static double core_on_grid(const vt_simulation *s, double spacing)
{
    const double core = usual_core(s) * spacing;
    return has_points(s) ? core : fmax(s->smallest_core, core);
}

double vt_base_spacing(const vt_simulation *s)
{
    if (s->def.spacing > 0)
        return s->def.spacing;
    const double core = vt_core_around_bodies(s);
    return core > 0 ? core / usual_core(s) : vt_panel_spacing(s);
}

double vt_grid_spacing(const vt_simulation *s)
{
    return vt_domain_spacing(vt_base_spacing(s), s->placement.level);
}

double vt_finest_core(const vt_simulation *s)
{
    return vt_has_grid(s) ? core_on_grid(s, vt_base_spacing(s)) : s->smallest_core;
}

vt_status vt_place_grid(const vt_simulation *s, const vt_content *content, vt_placement *placement)
{
    const double spacing = vt_base_spacing(s), finest = s->smallest_core / 2.1;
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
    g->spacing = vt_domain_spacing(vt_base_spacing(s), placement->level);
    g->core = core_on_grid(s, g->spacing);
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
    const vt_method *const m = &s->def.method;
    const double theta = m->opening_angle;
    const int threads = s->def.threads;
    stages->moments(grid, &s->moments, &s->arena, threads);
    switch (m->boundary) {
    case VT_BOUNDARY_TREE:
        stages->boundary_tree(grid, count, records, m->opening, theta, &s->arena, threads);
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

static void find_potential(vt_simulation *s, int64_t count, const vt_record *sorted,
                           const uint32_t *row_start)
{
    const size_t mark = vt_arena_mark(&s->arena);
    const size_t rows = (size_t)s->grid.cells[1] * (size_t)s->grid.cells[2];
    vt_record *const charges = vt_arena_push(&s->arena, sizeof *charges * (size_t)(count + VL));
    uint32_t *const charge_start = vt_arena_push(&s->arena, 4 * (rows + 1));
    int64_t found = 0;
    VT_TIMED(s, potential, found = vt_collect_charges(s, sorted, row_start, charges, charge_start));
    if (found > 0 || !s->panels.exist)
        VT_TIMED(s, potential, vt_solve_potential(s, found, charges, charge_start, 0, NULL));
    if (s->panels.exist) {
        VT_TIMED(s, panels, vt_solve_densities(s));
        vt_record *const all = vt_arena_push(
            &s->arena, sizeof *all * (size_t)(found + vt_count_panel_charges(s) + VL));
        memcpy(all, charges, sizeof *all * (size_t)found);
        found += vt_collect_panel_charges(s, all + found);
        VT_TIMED(s, potential,
                 vt_solve_potential(s, found, all, NULL, s->panels.outer_count, s->panels.outer));
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

void vt_collect_records(const vt_simulation *s, const vt_grid *grid, int64_t first, int64_t count,
                        vt_record *records)
{
    const vt_vortons *const v = &s->vortons;
    const vt_collected rows = {v->position + 3 * first, v->strength + 3 * first, v->volume + first,
                               v->bound_volume + first, v->birth_strength + first};
    s->stages->collect(grid, count, first, &rows, records, s->def.threads);
}

void vt_solve_field(vt_simulation *s, int64_t count, const vt_record *records, vt_record *sorted,
                    uint32_t *row_start, int newborn)
{
    const vt_stage_table *const stages = s->stages;
    vt_grid *const grid = &s->grid;
    vt_arena *const arena = &s->arena;
    const int threads = s->def.threads;
    const size_t mark = vt_arena_mark(arena);
    grid->filled = vt_arena_push(arena, (size_t)vt_grid_rows(grid));
    VT_TIMED(s, sort, stages->sort(grid, count, records, sorted, row_start, arena, threads));
    VT_TIMED(s, deposit, stages->deposit_lengths(grid, sorted, row_start, threads));
    if (s->panels.exist)
        VT_TIMED(s, panels, complete_vorticity(s));
    if (newborn)
        VT_TIMED(s, stretch, stages->mark_newborn(grid, count, sorted, threads));
    VT_TIMED(s, boundary, find_boundary(s, count, sorted));
    VT_TIMED(s, filter,
             stages->filter(grid, vt_filter_variance(s), 1 / grid->spacing, arena, threads));
    grid->filled = NULL; /* from now on the nodes hold velocities */
    VT_TIMED(s, poisson, vt_run_poisson(stages, &s->def.method, grid, &s->plan, arena, threads));
    grid->has_potential = 0;
    if (s->vortons.set.used[VT_VORTON_swelling] || s->panels.exist)
        find_potential(s, count, sorted, row_start);
    VT_TIMED(s, velocity, stages->velocity(grid, threads));
    if (s->winds.grid_count > 0)
        VT_TIMED(s, wind, vt_add_winds_to_nodes(s));
    if (s->panels.exist)
        VT_TIMED(s, panels, vt_correct_nodes(s));
    vt_arena_pop(arena, mark);
}

/* ---- without a grid ---- */

void vt_sum_vortons(vt_simulation *s, int64_t count, const float *targets,
                    const vt_pair_sources *from, float *velocity, float *gradient,
                    float *divergence)
{
    const vt_method *const m = &s->def.method;
    const int threads = s->def.threads;
    if (m->velocity == VT_VELOCITY_TREE)
        s->stages->tree(m->kernel, m->opening, m->opening_angle, count, targets, from->count,
                        from->position, from->strength, from->core, velocity, gradient, divergence,
                        &s->arena, threads);
    else
        s->stages->direct(m->kernel, count, targets, from->count, from->position, from->strength,
                          from->core, velocity, gradient, divergence, &s->arena, threads);
}

/* ---- what the vortons carry ---- */

static size_t count_nodes(const vt_grid *grid)
{
    return (size_t)(grid->node_plane * (grid->cells[2] + 2));
}

void vt_find_means(vt_simulation *s, int64_t count, const vt_record *sorted,
                   const uint32_t *row_start, const vt_scalar_lane lanes[4], vt_grid *means)
{
    const int threads = s->def.threads, four = lanes[3].kind != VT_SCALAR_NONE;
    const size_t mark = vt_arena_mark(&s->arena);
    const vt_fluid fluid = vt_fluid_of(&s->def);
    vt_record *const records = vt_arena_push(&s->arena, sizeof *records * (size_t)(count + VL));
    float *const volume =
        four ? vt_arena_push(&s->arena, sizeof *volume * count_nodes(means)) : NULL;
    const vt_scalar_rows rows = {s->vortons.volume,
                                 vt_used_column(&s->vortons.set, VT_VORTON_density),
                                 vt_used_column(&s->vortons.set, VT_VORTON_temperature),
                                 {lanes[0], lanes[1], lanes[2], lanes[3]}};
    s->stages->collect_scalars(means, count, sorted, &rows, &fluid, records, threads);
    if (four)
        s->stages->deposit_four(means, volume, records, row_start, threads);
    else
        s->stages->deposit(means, records, row_start, threads);
    s->stages->normalise(means, row_start, volume, threads);
    vt_arena_pop(&s->arena, mark);
}

/* Shares in which differences of density are spread across gravity, where a container holds fluid.
 */
static void find_spread(const vt_simulation *s, const vt_fluid *fluid, float spread[3])
{
    const float *const g = fluid->gravity;
    const float square = g[0] * g[0] + g[1] * g[1] + g[2] * g[2];
    for (int a = 0; a < 3; a++)
        spread[a] =
            square > 0 && vt_has_container(&s->bodies) ? (square - g[a] * g[a]) / (6 * square) : 0;
}

void vt_solve_scalars(vt_simulation *s, int64_t count, const vt_record *sorted,
                      const uint32_t *row_start, double time, vt_buoyancy *buoyancy)
{
    const size_t mark = vt_arena_mark(&s->arena);
    vt_node_marks marks;
    vt_half_open half;
    float spread[3];
    const vt_scalar_lane lanes[4] = {{VT_SCALAR_CONTRAST, NULL}};
    vt_grid means = s->grid, slopes = s->grid;
    means.nodes = vt_arena_push(&s->arena, sizeof(f4) * count_nodes(&means));
    slopes.nodes = s->grid.scalars;
    *buoyancy =
        (vt_buoyancy){vt_carried_fluid(s), slopes.nodes, s->vortons.volume, vt_accelerations(s)};
    vt_find_means(s, count, sorted, row_start, lanes, &means);
    marks.open = NULL;
    if (s->def.method.walls == VT_WALLS_MASKED)
        vt_mark_wall_nodes(s, &s->grid, time, &marks);
    const int half_open = s->def.method.halo == 0;
    if (half_open)
        vt_close_values(s, count, sorted, &marks, &means, &half);
    s->stages->slope(&means, &slopes, s->def.threads);
    if (half_open)
        vt_close_slopes(s, &half, &means, &slopes);
    find_spread(s, &buoyancy->fluid, spread);
    if (marks.open)
        s->stages->masked_slope(&means, &marks, spread, &slopes, s->def.threads);
    vt_poison_slopes(s, &s->grid, slopes.nodes, time);
    vt_arena_pop(&s->arena, mark);
}
