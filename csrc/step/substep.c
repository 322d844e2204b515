#include "step/substep.h"

#include <float.h>

#include "base/vec3.h"
#include "conservation/impulse_correction.h"
#include "conservation/swelling_impulse.h"
#include "conservation/vortex_lines.h"
#include "field/solve.h"
#include "field/thin_walls.h"
#include "state/container_frame.h"
#include "state/particles.h"
#include "state/predicates.h"
#include "state/wind_at_time.h"
#include "step/rounding.h"
#include "step/volume_cover.h"

/* ---- velocity at the vortons ---- */

static void find_least_vorticity(vt_simulation *s, const vt_substep *w)
{
    const vt_pair_sources *const p = &s->pairs;
    const size_t mark = vti_arena_mark(&s->arena);
    uint32_t *const row = vti_arena_push(&s->arena, 4 * (size_t)w->count);
    float *const place = vti_arena_push(&s->arena, 12 * (size_t)w->count);
    float *const density = vti_arena_push(&s->arena, 4 * (size_t)w->count);
    int64_t count = 0;
    for (int64_t i = 0; i < w->count; i++) {
        w->newborn.least_vorticity[i] = 0;
        if (vti_is_newborn(&w->newborn, w->sorted[i].home)) {
            row[count] = (uint32_t)i;
            memcpy(place + 3 * count++, p->position + 3 * i, 12);
        }
    }
    s->stages->strength_density(s->def.method.kernel, count, place, p->count, p->position,
                                p->strength, p->core, density, &s->arena, s->def.threads);
    for (int64_t n = 0; n < count; n++)
        w->newborn.least_vorticity[row[n]] = vti_least_vorticity_in((double)density[n]);
    vti_arena_pop(&s->arena, mark);
}

static void sum_vortons(vt_simulation *s, vt_substep *w)
{
    s->pairs.count = w->count;
    const vt_pair_sources p = s->pairs;
    const float *const cores = w->core ? w->core : s->vortons.core;
    memcpy(w->sorted, w->records, sizeof(vt_record) * (size_t)w->count);
    for (int64_t i = 0; i < w->count; i++) {
        memcpy(p.position + 3 * i, w->sorted[i].position, 12);
        memcpy(p.strength + 3 * i, w->sorted[i].strength, 12);
        p.core[i] = cores[w->sorted[i].home];
    }
    if (w->is_first)
        find_least_vorticity(s, w);
    vti_sum_vortons(s, w->count, p.position, &p, w->velocity, w->gradient, w->divergence);
    vti_add_wind_grids(s, w->count, p.position, w->velocity, w->gradient);
}

void vti_solve_substep(vt_simulation *s, double time, vt_substep *w)
{
    w->field.least_vorticity = w->is_first ? w->newborn.least_vorticity : NULL;
    if (s->def.method.velocity == VT_VELOCITY_DIRECT)
        VT_TIMED(s, direct, sum_vortons(s, w));
    else if (s->def.method.velocity == VT_VELOCITY_TREE)
        VT_TIMED(s, tree, sum_vortons(s, w));
    else
        vti_solve_field(s, w->count, w->records, w->sorted, w->row_start,
                        w->is_first ? &w->newborn : NULL);
    w->born |= w->is_first;
    w->is_first = 0;
    if (w->field.buoyancy)
        VT_TIMED(
            s, scalars,
            vti_solve_scalars(s, w->count, w->sorted, w->row_start, time, w->felt, &w->buoyancy));
}

/* Room for what the scheme keeps from stage to stage. */
static void make_room(vt_simulation *s, const vt_births *births, const vt_scheme *scheme,
                      vt_substep *w)
{
    const size_t rows = (size_t)(s->vortons.set.count + births->vorton_count);
    if (s->def.method.stretching == VT_STRETCHING_RVPM && !vti_has_grid(s))
        w->core = vti_arena_push(&s->arena, 4 * rows);
    w->extrapolates = scheme->extrapolates && s->rates_known && !vti_has_panels(s) &&
                      !vti_has_article_walls(s) && !w->core;
    if (scheme->share < 1)
        w->first = vti_arena_push(&s->arena, sizeof(vt_rate) * rows);
    if (scheme->stages > 2)
        w->base = vti_arena_push(&s->arena, sizeof(vt_record) * (rows + VT_LANES));
    if (w->core)
        memcpy(w->core, s->vortons.core, 4 * (size_t)s->vortons.set.count);
}

void vti_open_substep(vt_simulation *s, const vt_births *births, const vt_scheme *scheme,
                      vt_substep *w)
{
    const vt_vortons *const v = &s->vortons;
    const size_t rows = (size_t)(v->set.count + births->vorton_count);
    w->records = vti_arena_push(&s->arena, sizeof(vt_record) * (rows + VT_LANES));
    w->sorted = vti_arena_push(&s->arena, sizeof(vt_record) * (rows + VT_LANES));
    w->rates = (vt_rate *)w->records; /* sorted, they are not needed until rates make new ones */
    w->velocity = w->gradient = w->divergence = NULL;
    w->count = v->set.count;
    w->newborn = (vt_newborn){v->flags, 0, vti_arena_push(&s->arena, 4 * rows)};
    if (!vti_has_grid(s)) {
        w->space = (vt_grid){.spacing = 1};
        w->velocity = vti_arena_push(&s->arena, 12 * rows);
        w->gradient = vti_arena_push(&s->arena, 36 * rows);
        w->divergence = vti_arena_push(&s->arena, 12 * rows);
        s->pairs.position = vti_arena_push(&s->arena, 12 * rows);
        s->pairs.strength = vti_arena_push(&s->arena, 12 * rows);
        s->pairs.core = vti_arena_push(&s->arena, 4 * rows);
    } else {
        w->space = s->grid;
        w->row_start = vti_arena_push(
            &s->arena, 4 * ((size_t)s->grid.cells[1] * (size_t)s->grid.cells[2] + 1));
    }
    w->field = (vt_velocity_source){.grid = &w->space,
                                    .velocity = w->velocity,
                                    .gradient = w->gradient,
                                    .divergence = w->divergence,
                                    .buoyancy = vti_is_buoyant(s) ? &w->buoyancy : NULL};
    if (w->field.buoyancy && vti_has_grid(s))
        w->felt = vti_make_room_for_felt(s, rows);
    make_room(s, births, scheme, w);
    vti_collect_records(s, &w->space, 0, w->count, w->extrapolates ? w->sorted : w->records);
    s->stages->lack_flag(w->count, v->flags, VT_FLAG_BOUND_KNOWN, &w->is_first, s->def.threads);
}

void vti_sort_columns(vt_simulation *s, vt_substep *w)
{
    if (!vti_has_grid(s) || s->substeps % VT_SORT_EVERY != 0)
        return;
    const size_t mark = vti_arena_mark(&s->arena);
    uint32_t *const order = vti_arena_push(&s->arena, 4 * (size_t)w->count);
    for (int64_t i = 0; i < w->count; i++) {
        order[i] = w->sorted[i].home;
        w->sorted[i].home = (uint32_t)i;
    }
    vti_permute_set(&s->vortons.set, order, w->count, &s->arena, s->def.threads);
    vti_arena_pop(&s->arena, mark);
}

void vti_add_newborn(vt_simulation *s, vt_substep *w, int64_t first)
{
    const vt_vortons *const v = &s->vortons;
    const int64_t born = v->set.count - first;
    vti_collect_records(s, &w->space, first, born, w->records + w->count);
    if (w->core)
        memcpy(w->core + first, v->core + first, 4 * (size_t)born);
    w->count += born;
    w->newborn.first = first; /* the first solve of those before it is done */
    w->is_first = 1;
}

void vti_find_rates(vt_simulation *s, vt_substep *w)
{
    VT_TIMED(s, stretch,
             s->stages->stretch(&w->field, &s->def.method, w->count, w->sorted, w->rates,
                                s->vortons.bound_volume, &s->extremes, s->def.threads));
}

static vt_rate *past_rates(vt_simulation *s)
{
    vti_use_vorton_column(s, VT_VORTON_past_rates);
    return (vt_rate *)s->vortons.past_rates;
}

void vti_extrapolate_rates(vt_simulation *s, double dt, vt_substep *w)
{
    const double *const at = s->rates_at;
    const double ahead = (s->time + dt / 4 - at[0]) / (at[0] - at[1]);
    VT_TIMED(s, stretch,
             s->stages->extrapolate(past_rates(s), ahead, w->count, w->sorted, w->rates,
                                    s->def.threads));
}

/* Those of the last stage are kept for the next substep. */
static void note_rates(vt_simulation *s, const vt_substep *w, double dt)
{
    s->rates_at[1] = w->extrapolates ? s->rates_at[0] : s->time;
    s->rates_at[0] = s->time + dt / 2;
    s->rates_known = 1;
}

/* Cores after time dt along the rates, for the sum over pairs. */
static void advance_cores(const vt_simulation *s, vt_substep *w, double dt)
{
    for (int64_t i = 0; w->core && i < w->count; i++) {
        const uint32_t home = w->sorted[i].home;
        const double growth = vti_exp(dt * (double)w->rates[i].velocity[3]);
        w->core[home] = (float)((double)s->vortons.core[home] * growth);
    }
}

/* For the midpoint rule, which begins with the velocities of now. */
static int has_past(const vt_simulation *s, const vt_scheme *scheme, const vt_substep *w)
{
    return scheme->stages == 2 && scheme->share == 1 && !w->extrapolates && s->last_substep > 0;
}

/* What the last substep left. One much shorter than this of dt s says little of accelerations: it
 * counts as half as long, and the bends fade. */
static vt_past find_past(const vt_simulation *s, double dt)
{
    vt_past past = {.velocity = s->vortons.velocity,
                    .age = s->vortons.age,
                    .before = s->last_substep / 2,
                    .since = fmax(s->last_substep / 2, dt / 4)};
    memcpy(past.wind, s->carried.moved_with, sizeof past.wind);
    return past;
}

void vti_advance_to_stage(vt_simulation *s, const vt_scheme *scheme, int stage, double dt,
                          vt_substep *w)
{
    const double way = scheme->fraction[stage] * dt;
    const int again = stage > 1;
    if (again)
        vti_collect_records(s, &w->space, 0, s->vortons.set.count, w->base);
    vt_past past = find_past(s, dt);
    if (has_past(s, scheme, w)) {
        w->bend = vti_arena_push(&s->arena, sizeof *w->bend * (size_t)s->vortons.set.count);
        w->bent = w->count;
        past.bend = w->bend;
    }
    const int keeps = scheme->extrapolates && w->continues && !w->extrapolates;
    advance_cores(s, w, way);
    s->stages->advance(&w->space, way, w->count, w->sorted, w->rates, again ? w->base : NULL,
                       again   ? NULL
                       : keeps ? past_rates(s)
                               : w->first,
                       keeps ? 2 : 1, has_past(s, scheme, w) ? &past : NULL, w->records,
                       s->def.threads);
}

/* How much of what neighbours exchange is to be exchanged within a cell: with a rate of it strength
 * spreads as the square of the cell's side, and is to spread as that of cores at usual spacings of
 * second order. */
static double exchange_in_cells(const vt_simulation *s)
{
    const double cores = s->grid.core / s->grid.spacing / 1.5;
    return vti_has_grid(s) && s->grid.fourth ? fmin(cores * cores, 1) : 1;
}

/* A vorton whose volume is more than that of its core is a blob apart from its neighbours. The
 * divergent part of its own vorticity, a third of it in the middle, times its volume would be more
 * than its strength: cleaning would overshoot, and feed a flow where the strain rate is large. */
static float cleaned_volume(const vt_simulation *s)
{
    return vti_has_grid(s) ? (float)vti_core_volume(s->grid.core) : FLT_MAX;
}

void vti_finish(vt_simulation *s, const vt_scheme *scheme, vt_substep *w, double dt,
                vt_reaction *reaction)
{
    const vt_vortons *const v = &s->vortons;
    const size_t mark = vti_arena_mark(&s->arena);
    vt_ending ending = {.dt = dt,
                        .share = scheme->share,
                        .born = w->born,
                        .since = s->last_substep > 0 ? (dt + s->last_substep) / 2 : 0,
                        .first = w->first,
                        .bend = w->bend,
                        .bent = w->bent,
                        .started = !w->extrapolates,
                        .cleaned_volume = cleaned_volume(s),
                        .cover = vti_find_cover(s, w->count, w->sorted, w->row_start)};
    vt_vorton_rows rows = {v->position, v->strength, v->volume, v->bound_volume,
                           v->velocity, v->age,      v->flags,  NULL,
                           NULL,        NULL};
    vt_balance balance;
    if (s->def.method.stretching == VT_STRETCHING_RVPM)
        rows.core = v->core;
    rows.acceleration = vti_accelerations(s);
    if (scheme->extrapolates && w->continues) {
        rows.past = past_rates(s);
        note_rates(s, w, dt);
    }
    vt_lines lines;
    VT_TIMED(s, stretch, vti_find_lines(s, w->count, &lines));
    vti_find_frame_change(s, ending.carried);
    s->last_substep = dt;
    VT_TIMED(s, balance, vti_open_reaction(s, 0, reaction));
    VT_TIMED(s, balance, vti_set_wakes_apart(s, reaction));
    VT_TIMED(s, balance, vti_open_balance(s, &balance));
    const int asked = reaction->counts || balance.kept == VT_INVARIANTS;
    if (asked && vti_counts_generation(s)) {
        VT_TIMED(s, balance,
                 vti_note_buoyant_impulse(s, &w->field, w->count, w->sorted, dt, reaction));
        balance.buoyant = &reaction->given;
    }
    vti_add_impulse(&s->impulses.buoyant, 1, &reaction->given);
    vt_method method = s->def.method;
    method.cleaning *=
        balance.closed; /* lines that end in the fluid cannot be free of divergence */
    if (!vti_cleans(s))
        method.cleaning = 0;
    method.exchange *= exchange_in_cells(s);
    VT_TIMED(s, finish,
             s->stages->finish(&w->field, &method, &ending, s->winds.velocity, w->count, w->sorted,
                               &rows, &s->extremes, s->def.threads));
    VT_TIMED(s, stretch, vti_space_lines(s, &lines));
    vti_hold_lines(s, &lines, w->count, w->sorted);
    if (!w->continues)
        VT_TIMED(s, finish, vti_round_vortons(s));
    if (vti_has_grid(s) && s->def.method.exchange > 0)
        VT_TIMED(s, exchange,
                 s->stages->filter_strengths(&s->grid, w->count, w->sorted, w->row_start,
                                             v->strength, s->def.threads));
    VT_TIMED(s, stretch, vti_turn_lines(s, &lines));
    vti_add_scaled(balance.sum, 1, lines.gain);
    vt_swelling swelling = {0};
    if (asked)
        VT_TIMED(s, balance, swelling = vti_sum_swelling(s, dt, reaction));
    VT_TIMED(s, balance, vti_close_balance(s, dt, &swelling.all, &balance));
    vti_note_swelling(s, &swelling, reaction);
    const double owed = balance.restored ? 1 : 1 - balance.share;
    VT_TIMED(s, balance, vti_close_reaction(s, dt, owed, reaction));
    vti_arena_pop(&s->arena, mark);
}
