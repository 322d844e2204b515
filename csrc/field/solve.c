#include "field/solve.h"

#include "base/reserve.h"
#include "base/status.h"
#include "field/domain.h"
#include "field/open_boundary_gradient.h"
#include "field/poisson_choice.h"
#include "field/room_grid.h"
#include "field/scalar_potential.h"
#include "field/solid_nodes.h"
#include "field/thin_walls.h"
#include "panels/body_vorticity.h"
#include "panels/grid_request.h"
#include "panels/image_vorticity.h"
#include "panels/node_correction.h"
#include "panels/panels.h"
#include "panels/patches.h"
#include "panels/source_densities.h"
#include "state/container_frame.h"
#include "state/predicates.h"
#include "state/wind_at_time.h"

/* ---- the grid ---- */

/* Cores that the grid can have as they are, in cells, but for rounding: with the narrowest of them
 * the velocity of waves of four cores is wrong by .5 % at vortons, of second order by 2.8. */
static const double narrowest_core = 1 - 1e-6;

static double core_on_grid(const vt_simulation *s, double spacing)
{
    const int fits = !vti_has_point_cores(s) && s->smallest_core >= narrowest_core * spacing;
    return fits ? s->smallest_core : vti_usual_core(s) * spacing;
}

double vti_base_spacing(const vt_simulation *s)
{
    if (s->def.spacing > 0)
        return s->def.spacing;
    const double core = vti_core_of_neutral(s);
    return core > 0 ? core / vti_usual_core(s) : vti_panel_spacing(s);
}

static double spacing_of(const vt_simulation *s, const vt_placement *placement)
{
    return placement->walled > 0 ? placement->walled
                                 : vti_domain_spacing(vti_base_spacing(s), placement->level);
}

double vti_grid_spacing(const vt_simulation *s)
{
    return spacing_of(s, &s->placement);
}

double vti_finest_core(const vt_simulation *s)
{
    return vti_has_grid(s) ? core_on_grid(s, vti_base_spacing(s)) : s->smallest_core;
}

/* The widest core whose filter keeps within its taps, cells. */
static const double widest_core = 2.1;

int vti_count_core_filters(const vt_simulation *s)
{
    return vti_core_filters(s, s->grid.core / s->grid.spacing);
}

vt_status vti_place_grid(const vt_simulation *s, const vt_extent *content, vt_placement *placement)
{
    const double spacing = vti_base_spacing(s), finest = s->smallest_core / widest_core;
    if (spacing < finest && !vti_has_point_cores(s))
        return vti_fail(VT_INVALID_ARGUMENT,
                        "spacing %g m is too fine for the smallest core, %g m; allowed is %g m and "
                        "more",
                        spacing, s->smallest_core, finest);
    if (content->in_room && vti_place_in_room(s, spacing, placement))
        return VT_OK;
    if (placement->walled > 0)
        *placement = (vt_placement){.level = 0};
    return s->def.method.domain == VT_DOMAIN_BOX
               ? vti_place_box(placement, content->least, content->most, spacing, s->def.max_nodes)
               : vti_place_domain(placement, content->least, content->most, spacing,
                                  s->def.max_nodes);
}

/* The next array of the range that was reserved for the grid, with room to read around it. */
static void *carve(char **at, int64_t bytes)
{
    char *const array = *at + 64;
    *at = array + (bytes + 127) / 64 * 64;
    return array;
}

void vti_lay_out_grid(vt_simulation *s, const vt_placement *placement)
{
    vt_grid *const g = &s->grid;
    for (int a = 0; a < 3; a++) {
        g->cells[a] = placement->cells[a];
        g->base[a] = placement->base[a];
    }
    vti_grid_pitches(g);
    g->spacing = spacing_of(s, placement);
    g->walled = placement->walled > 0;
    g->fourth = vti_is_of_fourth_order(s);
    g->core = core_on_grid(s, g->spacing);
    char *at = s->grid_memory;
    g->nodes = carve(&at, (int64_t)sizeof(f4) * g->node_plane * (g->cells[2] + 2));
    for (int f = 0; f < 6; f++)
        g->face[f] = carve(&at, (int64_t)sizeof(float) * 3 * g->face_plane);
    for (int c = 0; c < 4; c++)
        g->field[c] = carve(&at, (int64_t)sizeof(float) * g->plane * (g->cells[2] + 1));
    /* the last two arrays serve some simulations only; the others never touch their memory */
    g->scalars = carve(&at, (int64_t)sizeof(f4) * g->node_plane * (g->cells[2] + 2));
    const size_t needed = (size_t)(at - (char *)s->grid_memory);
    if (needed >
        s->grid_committed) { /* where it is refused the first access faults, as in arenas */
        (void)vti_commit(s->grid_memory, needed);
        s->grid_committed = needed;
    }
}

/* Sharp ones: of a wave that a Gaussian core leaves the share g, 1 - (1 - g)^n is left, which
 * differs from 1 by the power 2 n of core x wavenumber: a sum over the powers of g, which are
 * Gaussians of sqrt(1) to sqrt(n) times the core. */
static vt_filter_sum find_filters(const vt_simulation *s, vt_node_values values, double weight)
{
    const int count = vti_count_core_filters(s);
    const int far = count > 1 && vti_filters_modes(s);
    vt_filter_sum filters = {.count = count, .reach = far ? VT_FILTER_REACH : VT_NEAR_REACH};
    double share = -weight; /* (-1)^(k - 1) times n over k */
    for (int k = 1; k <= count; k++) {
        share *= -(double)(count + 1 - k) / k;
        filters.share[k - 1] = share;
        filters.taps[k - 1] = vti_core_filter(s, values, k, filters.reach);
    }
    return filters;
}

void vti_give_cores(vt_simulation *s, vt_node_values values, double weight)
{
    const vt_filter_sum filters = find_filters(s, values, weight);
    vti_run_filters(s->stages, &s->def.method, &s->grid, &s->plan, &filters, &s->arena,
                    s->def.threads);
}

static void solve_vector_potential(vt_simulation *s)
{
    const vt_filter_sum filters = find_filters(s, VT_NODES_SPLINES, 1 / s->grid.spacing);
    vti_run_poisson(s->stages, &s->def.method, &s->grid, &s->plan, &filters, &s->arena,
                    s->def.threads);
}

/* The vector potential on the faces, and the moments for what lies beyond them. */
static void find_boundary(vt_simulation *s, int64_t count, const vt_record *records)
{
    const vt_stage_table *const stages = s->stages;
    vt_grid *const grid = &s->grid;
    const vt_method *const m = &s->def.method;
    const double theta = m->opening_angle;
    const int threads = s->def.threads;
    s->moments.levels = 0; /* nothing lies beyond walls */
    if (grid->walled)
        return;
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
    const size_t mark = vti_arena_mark(&s->arena);
    const size_t rows = (size_t)s->grid.cells[1] * (size_t)s->grid.cells[2];
    vt_record *const charges = vti_arena_push(&s->arena, sizeof *charges * (size_t)(count + VL));
    uint32_t *const charge_start = vti_arena_push(&s->arena, 4 * (rows + 1));
    int64_t found = 0;
    VT_TIMED(s, potential,
             found = vti_collect_charges(s, sorted, row_start, charges, charge_start));
    if (found > 0 || !s->panels.exist)
        VT_TIMED(s, potential, vti_solve_potential(s, found, charges, charge_start, 0, NULL));
    if (s->panels.exist) {
        VT_TIMED(s, panels, vti_solve_densities(s));
        vt_record *const all = vti_arena_push(
            &s->arena, sizeof *all * (size_t)(found + vti_count_panel_charges(s) + VL));
        memcpy(all, charges, sizeof *all * (size_t)found);
        found += vti_collect_panel_charges(s, all + found);
        VT_TIMED(s, potential,
                 vti_solve_potential(s, found, all, NULL, s->panels.outer_count, s->panels.outer));
    }
    vti_arena_pop(&s->arena, mark);
}

/* Adds the parts of vortex lines that vortons lack, inside bodies and beyond the walls of
 * containers. */
static void complete_vorticity(vt_simulation *s)
{
    vti_cut_panels(s);
    vti_deposit_body_vorticity(s);
    vti_continue_lines(s);
}

void vti_collect_records(const vt_simulation *s, const vt_grid *grid, int64_t first, int64_t count,
                         vt_record *records)
{
    const vt_vortons *const v = &s->vortons;
    const vt_collected rows = {v->position + 3 * first,   v->strength + 3 * first,
                               v->volume + first,         v->bound_volume + first,
                               v->birth_strength + first, v->flags + first};
    s->stages->collect(grid, count, first, &rows, records, s->def.threads);
}

void vti_solve_field(vt_simulation *s, int64_t count, const vt_record *records, vt_record *sorted,
                     uint32_t *row_start, const vt_newborn *newborn)
{
    const vt_stage_table *const stages = s->stages;
    vt_grid *const grid = &s->grid;
    vt_arena *const arena = &s->arena;
    const int threads = s->def.threads;
    const size_t mark = vti_arena_mark(arena);
    grid->filled = vti_arena_push(arena, (size_t)vti_grid_rows(grid));
    VT_TIMED(s, sort, stages->sort(grid, count, records, sorted, row_start, arena, threads));
    VT_TIMED(s, deposit, stages->deposit_lengths(grid, sorted, row_start, threads));
    if (grid->walled)
        VT_TIMED(s, deposit, vti_add_images_at_walls(grid));
    if (s->panels.exist)
        VT_TIMED(s, panels, complete_vorticity(s));
    if (newborn)
        VT_TIMED(s, stretch, stages->least_vorticity(grid, count, sorted, newborn, threads));
    VT_TIMED(s, boundary, find_boundary(s, count, sorted));
    VT_TIMED(s, poisson, solve_vector_potential(s));
    grid->filled = NULL; /* from now on the nodes hold velocities */
    grid->has_potential = 0;
    if (s->vortons.set.used[VT_VORTON_swelling] || s->panels.exist)
        find_potential(s, count, sorted, row_start);
    VT_TIMED(s, velocity, stages->velocity(grid, threads));
    if (s->winds.grid_count > 0)
        VT_TIMED(s, wind, vti_add_winds_to_nodes(s));
    if (s->panels.exist)
        VT_TIMED(s, panels, vti_correct_nodes(s));
    grid->still = count == 0 && s->winds.grid_count == 0 && vti_panel_speed(s) == 0;
    vti_arena_pop(arena, mark);
}

/* ---- without a grid ---- */

void vti_sum_vortons(vt_simulation *s, int64_t count, const float *targets,
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

/* ---- means of what the vortons carry ---- */

static size_t count_nodes(const vt_grid *grid)
{
    return (size_t)(grid->node_plane * (grid->cells[2] + 2));
}

/* Sums over the vortons around the nodes, and of their volumes: in the fourth lane, or, where that
 * is used, in `volume`, else NULL. */
static void sum_lanes(vt_simulation *s, int64_t count, const vt_record *sorted,
                      const uint32_t *row_start, const vti_scalar_lane lanes[4], float *volume,
                      vt_grid *means)
{
    const int threads = s->def.threads;
    const size_t mark = vti_arena_mark(&s->arena);
    const vt_fluid fluid = vti_fluid_of(&s->def);
    vt_record *const records = vti_arena_push(&s->arena, sizeof *records * (size_t)(count + VL));
    means->fourth = 0;
    const vti_scalar_rows rows = {s->vortons.volume,
                                  vti_used_column(&s->vortons.set, VT_VORTON_density),
                                  vti_used_column(&s->vortons.set, VT_VORTON_temperature),
                                  {lanes[0], lanes[1], lanes[2], lanes[3]}};
    s->stages->collect_scalars(means, count, sorted, &rows, &fluid, records, threads);
    if (volume)
        s->stages->deposit_four(means, volume, records, row_start, threads);
    else
        s->stages->deposit(means, records, row_start, threads);
    vti_arena_pop(&s->arena, mark);
}

void vti_find_means(vt_simulation *s, int64_t count, const vt_record *sorted,
                    const uint32_t *row_start, const vti_scalar_lane lanes[4], vt_grid *means)
{
    const size_t mark = vti_arena_mark(&s->arena);
    float *const volume = lanes[3].kind != VT_SCALAR_NONE
                              ? vti_arena_push(&s->arena, sizeof *volume * count_nodes(means))
                              : NULL;
    sum_lanes(s, count, sorted, row_start, lanes, volume, means);
    s->stages->normalise(means, row_start, volume, s->def.threads);
    vti_arena_pop(&s->arena, mark);
}

/* Shares in which differences of density are spread across gravity, where a container holds fluid.
 */
static void find_spread(const vt_simulation *s, const vt_fluid *fluid, float spread[3])
{
    const float *const g = fluid->gravity;
    const float square = g[0] * g[0] + g[1] * g[1] + g[2] * g[2];
    for (int a = 0; a < 3; a++)
        spread[a] =
            square > 0 && vti_has_container(&s->bodies) ? (square - g[a] * g[a]) / (6 * square) : 0;
}

/* Slopes beside bodies as they are at a time, s, after those of the nodes alone. */
static void mask_slopes(vt_simulation *s, double time, const float spread[3], vt_grid *means,
                        vt_grid *slopes)
{
    vt_node_marks marks = {NULL, NULL};
    vt_half_open half;
    if (s->def.method.walls == VT_WALLS_MASKED)
        vti_mark_wall_nodes(s, &s->grid, time, &marks);
    const int half_open = s->def.method.halo == 0; /* else what lacks vortons has neutral ones */
    if (half_open)
        vti_close_values(s, &marks, means, &half);
    s->stages->slope(means, !half_open, slopes, s->def.threads);
    if (half_open)
        vti_close_slopes(s, &half, means, slopes);
    if (marks.open)
        s->stages->masked_slope(means, &marks, spread, slopes, s->def.threads);
    vti_poison_slopes(s, &s->grid, slopes->nodes, time);
}

void vti_solve_scalars(vt_simulation *s, int64_t count, const vt_record *sorted,
                       const uint32_t *row_start, double time, float *felt, vt_buoyancy *buoyancy)
{
    const size_t mark = vti_arena_mark(&s->arena);
    float spread[3];
    const vti_scalar_lane lanes[4] = {{VT_SCALAR_CONTRAST, NULL},
                                      {VT_SCALAR_CONTRAST_SIZE, NULL},
                                      {VT_SCALAR_CONTRAST_SQUARE, NULL}};
    vt_grid means = s->grid, slopes = s->grid;
    means.nodes = vti_arena_push(&s->arena, sizeof(f4) * count_nodes(&means));
    slopes.nodes = s->grid.scalars;
    *buoyancy = (vt_buoyancy){vti_fluid_in_container(s), slopes.nodes, s->vortons.volume,
                              vti_accelerations(s), felt};
    if (felt && !vti_give_off_thin_walls(s, &s->grid, time, count, felt, &sorted, &row_start))
        buoyancy->felt = NULL;
    sum_lanes(s, count, sorted, row_start, lanes, NULL, &means);
    s->stages->normalise_contrasts(&means, row_start, s->def.method.halo > 0, s->def.threads);
    find_spread(s, &buoyancy->fluid, spread);
    if (s->grid.walled)
        s->stages->walled_slope(&means, spread, &slopes, s->def.threads);
    else
        mask_slopes(s, time, spread, &means, &slopes);
    vti_arena_pop(&s->arena, mark);
}
