#include "work.h"

#include <float.h>
#include <string.h>

#include "balance.h"
#include "carrier.h"
#include "core/mathd.h"
#include "field.h"

/* ---- velocity at the vortons ---- */

static void mark_newborn(vt_simulation *s, const vt_work *w)
{
    const vt_pair_sources *const p = &s->pairs;
    const size_t mark = vt_arena_mark(&s->arena);
    uint32_t *const row = vt_arena_push(&s->arena, 4 * (size_t)w->count);
    float *const place = vt_arena_push(&s->arena, 12 * (size_t)w->count);
    float *const density = vt_arena_push(&s->arena, 4 * (size_t)w->count);
    int64_t count = 0;
    for (int64_t i = 0; i < w->count; i++)
        if (w->sorted[i].volume < 0) {
            row[count] = (uint32_t)i;
            memcpy(place + 3 * count++, p->position + 3 * i, 12);
        }
    s->stages->strength_density(s->def.method.kernel, count, place, p->count, p->position,
                                p->strength, p->core, density, &s->arena, s->def.threads);
    for (int64_t n = 0; n < count; n++)
        w->sorted[row[n]].volume = vt_mark_of_newborn((double)density[n]);
    vt_arena_pop(&s->arena, mark);
}

static void sum_vortons(vt_simulation *s, vt_work *w)
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
    if (w->newborn)
        mark_newborn(s, w);
    vt_sum_vortons(s, w->count, p.position, &p, w->velocity, w->gradient, w->divergence);
    vt_add_wind_grids(s, w->count, p.position, w->velocity, w->gradient);
}

void vt_solve_work(vt_simulation *s, double time, vt_work *w)
{
    if (s->def.method.velocity == VT_VELOCITY_DIRECT)
        VT_TIMED(s, direct, sum_vortons(s, w));
    else if (s->def.method.velocity == VT_VELOCITY_TREE)
        VT_TIMED(s, tree, sum_vortons(s, w));
    else
        vt_solve_field(s, w->count, w->records, w->sorted, w->row_start, w->newborn);
    w->born |= w->newborn;
    w->newborn = 0;
    if (w->field.buoyancy)
        VT_TIMED(s, scalars,
                 vt_solve_scalars(s, w->count, w->sorted, w->row_start, time, &w->buoyancy));
}

/* Room for what the scheme keeps from stage to stage. */
static void make_room(vt_simulation *s, const vt_births *births, const vt_scheme *scheme,
                      vt_work *w)
{
    const size_t rows = (size_t)(s->vortons.set.count + births->vorton_count);
    if (scheme->share < 1)
        w->first = vt_arena_push(&s->arena, sizeof(vt_rate) * rows);
    if (scheme->stages > 2)
        w->base = vt_arena_push(&s->arena, sizeof(vt_record) * (rows + VT_LANES));
    if (s->def.method.stretching == VT_STRETCHING_RVPM && !vt_has_grid(s))
        w->core = vt_arena_push(&s->arena, 4 * rows);
    if (w->core)
        memcpy(w->core, s->vortons.core, 4 * (size_t)s->vortons.set.count);
}

void vt_open_work(vt_simulation *s, const vt_births *births, const vt_scheme *scheme, vt_work *w)
{
    const vt_vortons *const v = &s->vortons;
    const size_t rows = (size_t)(v->set.count + births->vorton_count);
    w->records = vt_arena_push(&s->arena, sizeof(vt_record) * (rows + VT_LANES));
    w->sorted = vt_arena_push(&s->arena, sizeof(vt_record) * (rows + VT_LANES));
    w->rates = (vt_rate *)w->records; /* sorted, they are not needed until rates make new ones */
    w->velocity = w->gradient = w->divergence = NULL;
    w->count = v->set.count;
    if (!vt_has_grid(s)) {
        w->space = (vt_grid){.spacing = 1};
        w->velocity = vt_arena_push(&s->arena, 12 * rows);
        w->gradient = vt_arena_push(&s->arena, 36 * rows);
        w->divergence = vt_arena_push(&s->arena, 12 * rows);
        s->pairs.position = vt_arena_push(&s->arena, 12 * rows);
        s->pairs.strength = vt_arena_push(&s->arena, 12 * rows);
        s->pairs.core = vt_arena_push(&s->arena, 4 * rows);
    } else {
        w->space = s->grid;
        w->row_start =
            vt_arena_push(&s->arena, 4 * ((size_t)s->grid.cells[1] * (size_t)s->grid.cells[2] + 1));
    }
    w->field = (vt_field){.grid = &w->space,
                          .velocity = w->velocity,
                          .gradient = w->gradient,
                          .divergence = w->divergence,
                          .buoyancy = vt_is_buoyant(s) ? &w->buoyancy : NULL};
    make_room(s, births, scheme, w);
    vt_collect_records(s, &w->space, 0, w->count, w->records);
    s->stages->limits(w->count, v->bound_volume, 0, FLT_MAX, &w->newborn, s->def.threads);
}

void vt_sort_columns(vt_simulation *s, vt_work *w)
{
    if (!vt_has_grid(s) || s->substeps % VT_SORT_EVERY != 0)
        return;
    const size_t mark = vt_arena_mark(&s->arena);
    uint32_t *const order = vt_arena_push(&s->arena, 4 * (size_t)w->count);
    for (int64_t i = 0; i < w->count; i++) {
        order[i] = w->sorted[i].home;
        w->sorted[i].home = (uint32_t)i;
    }
    vt_permute_set(&s->vortons.set, order, w->count, &s->arena, s->def.threads);
    vt_arena_pop(&s->arena, mark);
}

void vt_add_newborn(vt_simulation *s, vt_work *w, int64_t first)
{
    const vt_vortons *const v = &s->vortons;
    const int64_t born = v->set.count - first;
    vt_collect_records(s, &w->space, first, born, w->records + w->count);
    if (w->core)
        memcpy(w->core + first, v->core + first, 4 * (size_t)born);
    w->count += born;
    w->newborn = 1;
}

void vt_find_rates(vt_simulation *s, vt_work *w)
{
    VT_TIMED(s, stretch,
             s->stages->stretch(&w->field, &s->def.method, w->count, w->sorted, w->rates,
                                s->vortons.bound_volume, &s->extremes, s->def.threads));
}

/* Cores after time dt along the rates, for the sum over pairs. */
static void reach_cores(const vt_simulation *s, vt_work *w, double dt)
{
    for (int64_t i = 0; w->core && i < w->count; i++) {
        const uint32_t home = w->sorted[i].home;
        const double growth = vt_exp(dt * (double)w->rates[i].velocity[3]);
        w->core[home] = (float)((double)s->vortons.core[home] * growth);
    }
}

void vt_reach(vt_simulation *s, const vt_scheme *scheme, int stage, double dt, vt_work *w)
{
    const double way = scheme->reach[stage] * dt;
    const int again = stage > 1;
    if (again)
        vt_collect_records(s, &w->space, 0, s->vortons.set.count, w->base);
    reach_cores(s, w, way);
    s->stages->reach(&w->space, way, w->count, w->sorted, w->rates, again ? w->base : NULL,
                     again ? NULL : w->first, w->records, s->def.threads);
}

void vt_finish(vt_simulation *s, const vt_scheme *scheme, vt_work *w, double dt,
               vt_reaction *reaction)
{
    const vt_vortons *const v = &s->vortons;
    vt_ending ending = {.dt = dt,
                        .share = scheme->share,
                        .born = w->born,
                        .since = s->last_substep > 0 ? (dt + s->last_substep) / 2 : 0,
                        .first = w->first};
    vt_vorton_rows rows = {v->position, v->strength, v->volume, v->bound_volume,
                           v->velocity, v->age,      NULL,      NULL};
    vt_balance balance;
    if (s->def.method.stretching == VT_STRETCHING_RVPM)
        rows.core = v->core;
    rows.acceleration = vt_accelerations(s);
    vt_find_carried_change(s, ending.carried);
    s->last_substep = dt;
    const int books = vt_has_known_flow(s);
    vt_impulse buoyant = {{0}, {0}};
    VT_TIMED(s, balance, buoyant = vt_find_buoyant_impulse(s, &w->field, w->count, w->sorted, dt));
    VT_TIMED(s, balance, vt_open_balance(s, books ? &buoyant : NULL, &balance));
    VT_TIMED(s, balance, vt_open_reaction(s, 0, reaction));
    reaction->given = buoyant;
    vt_add_impulse(&s->impulses.buoyant, 1, &buoyant);
    vt_method method = s->def.method;
    method.cleaning *=
        balance.closed; /* lines that end in the fluid cannot be free of divergence */
    VT_TIMED(s, finish,
             s->stages->finish(&w->field, &method, &ending, s->winds.velocity, w->count, w->sorted,
                               &rows, s->def.threads));
    if (vt_has_grid(s) && s->def.method.exchange > 0)
        VT_TIMED(s, exchange,
                 s->stages->exchange(&s->grid, w->count, w->sorted, w->row_start, v->strength,
                                     s->def.threads));
    VT_TIMED(s, balance, vt_close_balance(s, dt, &balance));
    const double owed = balance.restored ? 1 : 1 - balance.share;
    VT_TIMED(s, balance, vt_close_reaction(s, dt, owed, reaction));
}
