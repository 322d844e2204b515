/* One step: the table of contents of the solver. Each substep is a midpoint step,
 *
 *   x_m = x + dt/2 u(x),   x' = x + dt u_m(x_m),   alpha likewise,
 *
 * so the field is solved twice, at the start and at the middle; the base values stay in the columns
 * until the end. All stages work in the frame that moves with the wind. */
#include <math.h>
#include <string.h>

#include "core/status.h"
#include "state/particles.h"
#include "stages/tracer_sort.h"

#define TIMED(stage, call)                                                                         \
    do {                                                                                           \
        const double since_ = vt_now();                                                            \
        call;                                                                                      \
        vt_timer_add(&s->timers[VT_TIME_OF_##stage], since_);                                      \
    } while (0)

enum {
    SORT_EVERY = 8,      /* substeps between sorting the columns themselves */
    MOST_SUBSTEPS = 4096 /* in one step: beyond, the flow has blown up */
};

/* Where the particles of a substep are kept while it lasts, in arena memory. */
typedef struct work {
    vt_record *records, *sorted;
    vt_rate *rates;
    float *share, *velocity, *gradient;
    uint32_t *row_start;
    int64_t count;
    vt_grid space; /* the grid, or for the direct sum the metric space itself */
    vt_field field;
} work;

static const vt_stage_table *stages;

static int is_direct(const vt_simulation *s)
{
    return s->def.method.velocity == VT_VELOCITY_DIRECT;
}

/* ---- domain ---- */

typedef struct content {
    double least[3], most[3];
    int32_t exists; /* some vorton carries circulation */
} content;

static void add_bounds(content *c, const vt_bounds *bounds)
{
    for (int t = 0; t < VT_MAX_THREADS; t++)
        for (int a = 0; a < 3; a++)
            if (bounds->thread[t].least[a] <= bounds->thread[t].most[a]) {
                const double low = bounds->thread[t].least[a], high = bounds->thread[t].most[a];
                if (!c->exists || low < c->least[a])
                    c->least[a] = low;
                if (!c->exists || high > c->most[a])
                    c->most[a] = high;
            }
    for (int t = 0; t < VT_MAX_THREADS; t++)
        c->exists |= bounds->thread[t].least[0] <= bounds->thread[t].most[0];
}

static int all_finite(const vt_bounds *bounds)
{
    int32_t finite = 1;
    for (int t = 0; t < VT_MAX_THREADS; t++)
        finite &= bounds->thread[t].finite;
    return finite;
}

/* Names the first bad row of a column. */
static vt_status report_not_finite(const char *set, const char *column, int64_t count,
                                   const float *values, int components, const int64_t *id)
{
    for (int64_t i = 0; i < count * components; i++)
        if (!isfinite(values[i]))
            return vt_fail(VT_NOT_FINITE,
                           "%s.%s has %g in row %lld (id %lld); allowed are finite values", set,
                           column, (double)values[i], (long long)(i / components),
                           (long long)id[i / components]);
    return VT_OK;
}

static vt_status check_vortons(const vt_simulation *s)
{
    const vt_vortons *const v = &s->vortons;
    vt_status status =
        report_not_finite("vortons", "position", v->set.count, v->position, 3, v->id);
    if (!status)
        status = report_not_finite("vortons", "strength", v->set.count, v->strength, 3, v->id);
    return status;
}

static vt_status check_tracers(vt_simulation *s)
{
    vt_bounds bounds;
    stages->bounds(s->tracers.set.count, s->tracers.position, NULL, &bounds, s->def.threads);
    if (all_finite(&bounds))
        return VT_OK;
    return report_not_finite("tracers", "position", s->tracers.set.count, s->tracers.position, 3,
                             s->tracers.id);
}

/* Bounds of the vortons that carry circulation, those still to be born in this step included. */
static vt_status find_content(vt_simulation *s, const vt_births *births, content *c)
{
    vt_bounds bounds;
    *c = (content){.exists = 0};
    stages->bounds(s->vortons.set.count, s->vortons.position, s->vortons.strength, &bounds,
                   s->def.threads);
    if (!all_finite(&bounds))
        return check_vortons(s);
    add_bounds(c, &bounds);
    if (births && births->vortons_done < births->vorton_count) {
        const int64_t done = births->vortons_done;
        stages->bounds(births->vorton_count - done, births->vorton_position + 3 * done,
                       births->vorton_strength + 3 * done, &bounds, s->def.threads);
        const int32_t alive = c->exists;
        add_bounds(c, &bounds);
        c->exists = alive;
    }
    return VT_OK;
}

/* The arrays of the grid for the placement, in the one range that was reserved for them. */
static void lay_out_grid(vt_simulation *s, const vt_placement *placement)
{
    vt_grid *const g = &s->grid;
    for (int a = 0; a < 3; a++) {
        g->cells[a] = placement->cells[a];
        g->base[a] = placement->base[a];
    }
    vt_grid_pitches(g);
    g->spacing = vt_domain_spacing(vt_base_spacing(s), placement->level);
    g->core = fmax(s->smallest_core, 1.5 * g->spacing);
    char *at = s->grid_memory;
    g->nodes = (f4 *)(void *)at;
    at += sizeof(f4) * (size_t)(g->node_plane * (g->cells[2] + 2));
    for (int c = 0; c < 3; c++) {
        g->field[c] = (float *)(void *)(at + 64);
        at += sizeof(float) * (size_t)(g->plane * (g->cells[2] + 1)) + 128;
    }
    for (int f = 0; f < 6; f++) {
        g->face[f] = (float *)(void *)at;
        at += sizeof(float) * (size_t)(3 * g->face_plane);
    }
}

double vt_base_spacing(const vt_simulation *s)
{
    return s->def.spacing > 0 ? s->def.spacing : s->smallest_core / 1.5;
}

/* Filter variance (cells^2) for cores of grid->core: deposit, stencils and sampling add half a cell
 * squared of their own. */
static double filter_variance(const vt_grid *grid)
{
    const double cells = grid->core / grid->spacing;
    return cells * cells - 0.5;
}

static vt_status check_spacing(const vt_simulation *s)
{
    const double spacing = vt_base_spacing(s);
    if (s->smallest_core > 2.1 * spacing)
        return vt_fail(VT_INVALID_ARGUMENT,
                       "spacing %g m is too fine for the smallest core %g m; allowed is core / 2.1 "
                       "= %g m and more",
                       spacing, s->smallest_core, s->smallest_core / 2.1);
    return VT_OK;
}

/* ---- the field ---- */

/* Vorticity of the records to velocity at the nodes: sorts them on the way. */
static void solve_field(vt_simulation *s, int64_t count, const vt_record *records,
                        vt_record *sorted, uint32_t *row_start)
{
    vt_grid *const grid = &s->grid;
    const int threads = s->def.threads;
    TIMED(sort, stages->sort(grid, count, records, sorted, row_start, &s->arena, threads));
    TIMED(deposit, stages->deposit(grid, sorted, row_start, threads));
    TIMED(boundary, stages->boundary(grid, &s->moments, s->def.method.opening_angle, &s->arena,
                                     threads));
    TIMED(filter, stages->filter(grid, filter_variance(grid), &s->arena, threads));
    TIMED(poisson, stages->poisson(grid, &s->plan, &s->arena, threads));
    TIMED(velocity, stages->velocity(grid, threads));
    s->fields_exist = 1;
}

/* Velocity and gradient at the records by the sum over all pairs. */
static void sum_directly(vt_simulation *s, work *w)
{
    const size_t mark = vt_arena_mark(&s->arena);
    float *const position = vt_arena_push(&s->arena, 12 * (size_t)w->count);
    float *const strength = vt_arena_push(&s->arena, 12 * (size_t)w->count);
    float *const core = vt_arena_push(&s->arena, 4 * (size_t)w->count);
    for (int64_t i = 0; i < w->count; i++) {
        memcpy(position + 3 * i, w->sorted[i].position, 12);
        memcpy(strength + 3 * i, w->sorted[i].strength, 12);
        core[i] = s->vortons.core[w->sorted[i].home];
    }
    TIMED(direct, stages->direct(s->def.method.kernel, w->count, position, w->count, position,
                                 strength, core, w->velocity, w->gradient, &s->arena,
                                 s->def.threads));
    vt_arena_pop(&s->arena, mark);
}

static void solve(vt_simulation *s, work *w)
{
    if (is_direct(s)) {
        memcpy(w->sorted, w->records, sizeof(vt_record) * (size_t)w->count);
        sum_directly(s, w);
    } else {
        solve_field(s, w->count, w->records, w->sorted, w->row_start);
    }
}

/* ---- one substep ---- */

static void take_work(vt_simulation *s, const vt_births *births, work *w)
{
    const int64_t most = s->vortons.set.count + births->vorton_count - births->vortons_done;
    const size_t rows = (size_t)most, cells = (size_t)s->grid.cells[1] * (size_t)s->grid.cells[2];
    w->records = vt_arena_push(&s->arena, sizeof(vt_record) * (rows + VL));
    w->sorted = vt_arena_push(&s->arena, sizeof(vt_record) * (rows + VL));
    w->rates = vt_arena_push(&s->arena, sizeof(vt_rate) * rows);
    w->share = vt_arena_push(&s->arena, 4 * rows);
    w->row_start = vt_arena_push(&s->arena, 4 * (cells + 1));
    w->velocity = w->gradient = NULL;
    w->space = s->grid;
    if (is_direct(s)) {
        w->space = (vt_grid){.spacing = 1};
        w->velocity = vt_arena_push(&s->arena, 12 * rows);
        w->gradient = vt_arena_push(&s->arena, 36 * rows);
    }
    w->field = (vt_field){&w->space, w->velocity, w->gradient};
    w->count = s->vortons.set.count;
}

/* Now and then the columns themselves take the order of the grid, for the sake of the caches. */
static void sort_columns(vt_simulation *s, work *w)
{
    if (is_direct(s) || s->substeps % SORT_EVERY != 0)
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

/* Equal substeps for the rest of the step, so that no vortex turns too far and no vorton leaves the
 * free margin of the grid between its start and the middle of the substep. */
static double choose_substep(vt_simulation *s, double remaining)
{
    double gradient = 0, speed = 0;
    for (int t = 0; t < VT_MAX_THREADS; t++) {
        gradient = fmax(gradient, s->extremes.thread[t].gradient);
        speed = fmax(speed, s->extremes.thread[t].speed);
    }
    double count = remaining * gradient / s->def.method.turn;
    if (!is_direct(s))
        count = fmax(count, remaining * speed / (2 * (VT_DOMAIN_MARGIN - 2) * s->grid.spacing));
    return remaining / fmax(1, ceil(count));
}

/* Vortons and tracers whose time has come by `until` join the columns, with negative age when they
 * are born after `now`; the vortons join the records too. */
static void bear(vt_simulation *s, vt_births *b, double now, double until, work *w)
{
    int64_t n = b->vortons_done;
    while (n < b->vorton_count && b->vorton_time[n] <= until)
        n++;
    const int64_t born = n - b->vortons_done, from = b->vortons_done;
    if (born > 0) {
        const int64_t first =
            vt_append_vortons(s, born, b->vorton_position + 3 * from, b->vorton_strength + 3 * from,
                              b->vorton_core + from, b->vorton_volume + from);
        for (int64_t i = 0; i < born; i++)
            s->vortons.age[first + i] = -(float)fmax(0, b->vorton_time[from + i] - now);
        if (w)
            vt_collect_newborn(&w->space, s, first, born, w->records + w->count);
        if (w)
            w->count += born;
    }
    b->vortons_done = n;

    n = b->tracers_done;
    while (n < b->tracer_count && b->tracer_time[n] <= until)
        n++;
    const int64_t new_tracers = n - b->tracers_done, at = b->tracers_done;
    if (new_tracers > 0) {
        const int64_t first =
            vt_append_tracers(s, new_tracers, b->tracer_position + 3 * at, b->tracer_density + at,
                              b->tracer_size + at);
        for (int64_t i = 0; i < new_tracers; i++) {
            s->tracers.age[first + i] = -(float)fmax(0, b->tracer_time[at + i] - now);
            if (s->tracers.set.used[VT_TRACER_lifetime])
                s->tracers.lifetime[first + i] = b->tracer_lifetime[at + i];
        }
    }
    b->tracers_done = n;
}

static void move_tracers(vt_simulation *s, double dt)
{
    if (s->tracers.set.count == 0)
        return;
    if (!is_direct(s) && s->substeps % SORT_EVERY == 0)
        TIMED(tracer_sort, vt_sort_tracers(s));
    TIMED(tracers, vt_move_tracers(s, dt));
}

/* Where nothing carries circulation only the wind moves. */
static void drift(vt_simulation *s, double dt)
{
    vt_drift_rows(s->vortons.set.count, s->def.wind, dt, s->vortons.position, s->vortons.velocity,
                  s->vortons.age);
    vt_drift_rows(s->tracers.set.count, s->def.wind, dt, s->tracers.position,
                  s->tracers.set.used[VT_TRACER_velocity] ? s->tracers.velocity : NULL,
                  s->tracers.age);
}

static double drift_to_birth(vt_simulation *s, vt_births *births, double remaining)
{
    double dt = remaining;
    if (births->vortons_done < births->vorton_count)
        dt = fmin(dt, births->vorton_time[births->vortons_done] - s->time);
    bear(s, births, s->time, s->time + dt, NULL);
    drift(s, dt);
    return dt;
}

static vt_status substep(vt_simulation *s, vt_births *births, double remaining, double *advanced)
{
    const vt_method *const method = &s->def.method;
    const int threads = s->def.threads;
    const size_t mark = vt_arena_mark(&s->arena);
    content inside;
    work w;
    bear(s, births, s->time, s->time, NULL);
    vt_status status = VT_OK;
    TIMED(domain, status = find_content(s, births, &inside));
    if (status)
        return status;
    if (!inside.exists) {
        *advanced = drift_to_birth(s, births, remaining);
        return VT_OK;
    }
    if (!is_direct(s)) {
        TIMED(domain, status = vt_place_domain(&s->placement, inside.least, inside.most,
                                               vt_base_spacing(s), s->def.max_nodes));
        if (status)
            return status;
        lay_out_grid(s, &s->placement);
    }

    /* the field at the start, and how far it lets this substep go */
    take_work(s, births, &w);
    TIMED(sort, stages->collect(&w.space, w.count, s->vortons.position, s->vortons.strength,
                                s->vortons.bound_volume, w.records, threads));
    solve(s, &w);
    TIMED(sort, sort_columns(s, &w));
    TIMED(stretch, stages->stretch(&w.field, method, w.count, w.sorted, w.rates, &s->extremes,
                                   threads));
    const double dt = choose_substep(s, remaining);

    /* the field in the middle */
    if (method->time == VT_TIME_RK2) {
        TIMED(stretch, stages->midpoint(&w.space, dt, w.count, w.sorted, w.rates, w.records,
                                        threads));
        TIMED(emit, bear(s, births, s->time, s->time + dt, &w));
        solve(s, &w);
    }

    /* the end */
    move_tracers(s, dt);
    const vt_vorton_rows rows = {s->vortons.position,     s->vortons.strength, s->vortons.volume,
                                 s->vortons.bound_volume, s->vortons.velocity, s->vortons.age};
    TIMED(finish, stages->finish(&w.field, method, dt, s->def.wind, w.count, w.sorted, &rows,
                                 w.share, threads));
    if (is_direct(s) || method->exchange == 0)
        vt_store_strengths(s, w.count, w.sorted);
    else
        TIMED(exchange, stages->exchange(&s->grid, w.count, w.sorted, w.share, w.row_start, &rows,
                                         &s->arena, threads));
    vt_arena_pop(&s->arena, mark);
    *advanced = dt;
    return VT_OK;
}

/* ---- the step ---- */

static void remove_old_tracers(vt_simulation *s)
{
    if (!s->tracers.set.used[VT_TRACER_lifetime])
        return;
    const size_t mark = vt_arena_mark(&s->arena);
    uint8_t *const mask = vt_arena_push(&s->arena, (size_t)s->tracers.set.count);
    for (int64_t i = 0; i < s->tracers.set.count; i++)
        mask[i] = s->tracers.age[i] > s->tracers.lifetime[i];
    vt_remove_rows(s, VT_TRACERS, mask);
    vt_arena_pop(&s->arena, mark);
}

/* Everything that can go wrong is looked at before anything changes. */
static vt_status prepare_step(vt_simulation *s, double dt, vt_births *births)
{
    content inside;
    vt_placement trial = s->placement;
    vt_status status = check_tracers(s);
    if (!status)
        status = vt_plan_births(s, s->time, s->time + dt, &s->arena, births);
    if (!status)
        status = find_content(s, births, &inside);
    if (!status && inside.exists && !is_direct(s)) {
        status = check_spacing(s);
        if (!status)
            status = vt_place_domain(&trial, inside.least, inside.most, vt_base_spacing(s),
                                     s->def.max_nodes);
    }
    if (!status)
        status = vt_make_room(s, VT_VORTONS, &births->vorton_count);
    if (!status)
        status = vt_make_room(s, VT_TRACERS, &births->tracer_count);
    return status;
}

static vt_status run_step(vt_simulation *s, double dt)
{
    vt_births births;
    for (int t = 0; t < VT_TIMED_STAGES; t++)
        s->timers[t].last = 0;
    vt_status status = VT_OK;
    TIMED(emit, status = prepare_step(s, dt, &births));
    const double start = s->time;
    double done = 0;
    s->last_substeps = 0;
    while (!status && done < dt) {
        double advanced = 0;
        if (s->last_substeps == MOST_SUBSTEPS)
            return vt_fail(VT_NOT_FINITE, "the flow has blown up: dt %g s needs more than %d substeps",
                           dt, MOST_SUBSTEPS);
        status = substep(s, &births, dt - done, &advanced);
        s->fields_current = 0;
        done = dt - done - advanced <= 1e-12 * dt ? dt : done + advanced;
        s->time = start + done;
        s->substeps++;
        s->last_substeps++;
    }
    if (!status) {
        bear(s, &births, s->time, s->time, NULL);
        TIMED(remove, remove_old_tracers(s));
        vt_sources_done(&s->sources, s->time);
        s->steps++;
    }
    return status;
}

vt_status vt_step(vt_simulation *s, double dt)
{
    if (!(dt >= 0) || !isfinite(dt))
        return vt_fail(VT_INVALID_ARGUMENT, "dt is %g s; allowed is a positive finite time", dt);
    vt_status status = vt_enter(s);
    if (status || dt == 0) {
        if (!status)
            vt_leave(s);
        return status;
    }
    stages = vt_stages();
    const size_t mark = vt_arena_mark(&s->arena);
    TIMED(step, status = run_step(s, dt));
    vt_arena_pop(&s->arena, mark);
    vt_leave(s);
    return status;
}

/* ---- the fields of now ---- */

vt_status vt_solve_now(vt_simulation *s)
{
    if (s->fields_current)
        return VT_OK;
    stages = vt_stages();
    content inside;
    vt_status status = find_content(s, NULL, &inside);
    if (status)
        return status;
    s->fields_current = 1;
    s->fields_exist = inside.exists && !is_direct(s);
    if (!s->fields_exist)
        return VT_OK;
    /* from a copy: looking at the fields must not change what the next step does */
    vt_placement placement = s->placement;
    status = check_spacing(s);
    if (!status)
        status = vt_place_domain(&placement, inside.least, inside.most, vt_base_spacing(s),
                                 s->def.max_nodes);
    if (status) {
        s->fields_current = s->fields_exist = 0;
        return status;
    }
    lay_out_grid(s, &placement);
    const size_t mark = vt_arena_mark(&s->arena);
    const vt_births none = {0};
    work w;
    take_work(s, &none, &w);
    stages->collect(&s->grid, w.count, s->vortons.position, s->vortons.strength,
                    s->vortons.volume, w.records, s->def.threads);
    solve_field(s, w.count, w.records, w.sorted, w.row_start);
    vt_arena_pop(&s->arena, mark);
    return VT_OK;
}
