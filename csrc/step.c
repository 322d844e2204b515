/* One step: the table of contents of the solver. Each substep is one step of a Runge-Kutta rule
 * (scheme.h) for positions and strengths, so the field is solved at the start and at every further
 * stage; the base values stay in the columns until the end. All stages work in the frame that moves
 * with the wind. */
#include <math.h>

#include "article_walls.h"
#include "beginning.h"
#include "body_flow.h"
#include "body_heat.h"
#include "body_motion.h"
#include "carrier.h"
#include "contacts.h"
#include "core/status.h"
#include "diffusion.h"
#include "dissipate.h"
#include "expand.h"
#include "field.h"
#include "heat.h"
#include "jumps.h"
#include "panels.h"
#include "passive.h"
#include "population.h"
#include "reaction.h"
#include "soak.h"
#include "state/check.h"
#include "state/closed.h"
#include "state/liquid.h"
#include "tracers.h"
#include "work.h"

enum {
    MOST_SUBSTEPS = 4096, /* in one step: beyond, the flow has blown up */
    MOST_FOR_PANELS = 8   /* in one step: bodies may be as fast as they like, contact holds */
};

/* Most of the time that a density contrast needs to fall through a cell, in a substep. */
static const double buoyancy_time = 0.3;

/* Births are numbered by time x rate, which must stay a whole number in a double. */
static const double latest_time = 1e9; /* s */

/* ---- parts of a substep ---- */

/* Whether vortons without circulation may be more than passive. */
static int stirs_itself(const vt_simulation *s)
{
    return vt_is_buoyant(s) || vt_conducts(s) || vt_expands(s) || vt_has_article_walls(s);
}

/* The grid around the vortons; sets *exists to whether any of them does something. */
static vt_status place(vt_simulation *s, const vt_births *births, int32_t *exists)
{
    vt_content content;
    vt_status status = vt_find_content(s, births, &content);
    *exists = content.exists || (s->vortons.set.count > 0 && stirs_itself(s));
    s->fields_exist = !status && *exists && vt_has_grid(s);
    if (!s->fields_exist)
        return status;
    status = vt_place_grid(s, &content, &s->placement);
    if (!status)
        vt_lay_out_grid(s, &s->placement);
    return status;
}

/* The rest of the step in equal substeps, so that no vortex turns too far and no vorton leaves the
 * free margin of the grid before the last stage of the substep. The whole step is `step` s long. */
static vt_status choose_substep(vt_simulation *s, const vt_scheme *scheme, double step,
                                double remaining, double *dt)
{
    const double most_for_panels = MOST_FOR_PANELS * (remaining / step) * (1 - 1e-9);
    const vt_largest most = vt_find_largest(&s->extremes);
    double count = remaining * most.gradient / s->def.method.turn;
    if (most.pull > 0)
        count = fmax(count, remaining * sqrt(most.pull / s->grid.spacing) / buoyancy_time);
    if (vt_has_grid(s)) {
        const double way = (VT_DOMAIN_MARGIN - 2) * s->grid.spacing;
        count = fmax(count, remaining * most.speed * vt_last_reach(scheme) / way);
        const double moved = remaining * vt_panel_speed(s) * vt_last_reach(scheme) / way;
        const double turned = remaining * vt_panel_gradient(s) / s->def.method.turn;
        count = fmax(count, fmin(fmax(moved, turned), most_for_panels));
    }
    const double diffusivity = vt_largest_diffusivity(s);
    if (diffusivity > 0 && s->vorton_spacing > 0) {
        const double limit = vt_diffusion_limit(s->def.method.diffusion, s->vorton_spacing);
        count = fmax(count, remaining * diffusivity / limit);
    }
    count = fmax(count, remaining * vt_body_rate(s));
    if (count > MOST_SUBSTEPS || most.gradient >= VT_NO_EXTREME || most.speed >= VT_NO_EXTREME)
        return vt_fail(
            VT_NOT_FINITE,
            "the next %g s would need more than %d substeps: the flow has blown up, or dt "
            "is too long (largest velocity gradient %g 1/s, largest speed %g m/s, viscosity %g and "
            "thermal diffusivity %g m^2/s where vortons are %g m apart)",
            remaining, MOST_SUBSTEPS, most.gradient, most.speed, s->def.viscosity,
            s->def.thermal_diffusivity, s->vorton_spacing);
    *dt = remaining / fmax(1, ceil(count));
    return VT_OK;
}

static void set_wind_at_start(vt_simulation *s)
{
    static const double nowhere[3] = {0, 0, 0};
    vt_set_wind(s, s->time, s->time);
    vt_set_wind_grids(s, s->time, s->time, nowhere);
    vt_pose_panels(s, s->time, nowhere);
}

/* By the time of a later stage the working grid has gone its part of the way with the uniform wind.
 * Where the last stage stands for the whole substep, grids of wind blow with their mean strength.
 */
static void set_wind_of_stage(vt_simulation *s, const vt_scheme *scheme, int stage, double dt)
{
    double way[3];
    const double now = s->time + scheme->reach[stage] * dt;
    vt_integrate_winds(s, s->time, now, way);
    const int whole = scheme->share == 1;
    const double from = whole ? s->time : now, to = whole ? s->time + dt : now;
    vt_set_wind(s, from, to);
    vt_set_wind_grids(s, from, to, way);
    vt_pose_panels(s, now, way);
}

/* ---- births ---- */

/* Those of a set whose time has come by `until` join its columns; born after now, their age is
 * negative. Those of the time of a jump come after it. */
static void bear_set(vt_simulation *s, int set, vt_births *births, double until)
{
    vt_bear(s, set, births, fmin(until, vt_before_jump(s, until - s->time)));
    vt_remove_embedded(s, set);
}

static void bear(vt_simulation *s, vt_births *births, double until, vt_work *w)
{
    const int64_t first = s->vortons.set.count;
    bear_set(s, VT_VORTONS, births, until);
    bear_set(s, VT_TRACERS, births, until);
    if (w && s->vortons.set.count > first)
        vt_add_newborn(s, w, first);
}

/* Room for all that are still to be born: where the policy is to remove the oldest, they go now. */
static void make_room(vt_simulation *s, int set, const vt_births *births)
{
    vt_make_room(s, set, vt_count_to_come(births, set));
}

/* How many rows of vortons others leave free: for those, and for what bodies shed. */
static int64_t count_reserved(const vt_simulation *s, const vt_births *births)
{
    return vt_count_to_come(births, VT_VORTONS) + vt_count_shedding(s);
}

/* ---- the substep ---- */

/* Beside walls strength finds no neighbours to spread to: these take what is missing. */
static void diffuse(vt_simulation *s, double dt)
{
    vt_reaction reaction;
    if (!vt_await_diffusion(s, dt))
        return;
    VT_TIMED(s, balance, vt_open_reaction(s, dt, &reaction));
    VT_TIMED(s, diffuse, vt_diffuse(s));
    VT_TIMED(s, balance, vt_close_reaction(s, dt, 1, &reaction));
}

/* What happens to the fluid of the vortons on its way over dt seconds; with a flow it also spreads
 * to their neighbours. */
static void change_fluid(vt_simulation *s, double dt, int spreads)
{
    if (vt_expands(s))
        VT_TIMED(s, expand, vt_note_volumes(s));
    if (spreads && (vt_diffuses(s) || vt_conducts(s)))
        diffuse(s, dt);
    if (vt_has_warm_bodies(s))
        VT_TIMED(s, body_heat, vt_exchange_body_heat(s, dt));
    if (vt_burns(s))
        VT_TIMED(s, react, vt_react(s, dt));
    if (vt_expands(s))
        VT_TIMED(s, expand, vt_expand(s, dt));
}

/* The time to the next birth of a vorton, of neutral ones or not, at most dt: dt itself, which
 * s->time + dt would round. */
static double until_birth(const vt_simulation *s, const vt_births *births, int neutral, double dt)
{
    const double end = s->time + dt, next = vt_next_vorton_time(births, neutral, end);
    return next < end ? next - s->time : dt;
}

/* Where nothing carries circulation only winds and forces move, until a vorton is born that changes
 * that. */
static double drift(vt_simulation *s, vt_births *births, double remaining)
{
    double dt = until_birth(s, births, stirs_itself(s), remaining);
    const double turns = dt * vt_body_rate(s);
    if (turns > 1)
        dt /= ceil(turns);
    dt = vt_until_jump(s, dt);
    vt_await_jump(s, dt);
    VT_TIMED(s, bodies, vt_move_bodies(s, 0, dt));
    make_room(s, VT_TRACERS, births);
    const vt_vortons *const v = &s->vortons;
    bear(s, births, s->time + dt, NULL);
    vt_set_wind(s, s->time, s->time + dt);
    const vt_passive vortons = {
        .count = v->set.count, .position = v->position, .velocity = v->velocity, .age = v->age};
    const vt_passive tracers = vt_passive_tracers(s, 0);
    vt_contacts contacts;
    VT_TIMED(s, contact, vt_begin_contact(s, &contacts));
    vt_move_passive(s, dt, &vortons);
    vt_move_passive(s, dt, &tracers);
    VT_TIMED(s, contact, vt_jump_at_end(s, dt, &contacts));
    VT_TIMED(s, contact, vt_end_contact(s, dt, &contacts));
    VT_TIMED(s, bodies, vt_finish_bodies(s));
    change_fluid(s, dt, 0);
    return dt;
}

/* Vorticity of the strongest vorton that is born by then, 1/s. */
static double newborn_vorticity(const vt_births *births, double until)
{
    double most = 0;
    for (int32_t r = 0; r < births->run_count; r++) {
        const vt_birth_run *const run = &births->runs[r];
        if (run->set != VT_VORTONS)
            continue;
        for (int64_t i = run->next; i < run->end && births->vorton_time[i] <= until; i++) {
            const float *const a = births->vorton_strength + 3 * i;
            double square = 0;
            for (int c = 0; c < 3; c++)
                square += (double)a[c] * (double)a[c];
            most = fmax(most, sqrt(square) / (double)births->vorton_volume[i]);
        }
    }
    return most;
}

/* Whether the newborn have no part in this substep, which ends where the first of them that has
 * strength is born: without a second stage they have no field to move in, and the length of the
 * substep suits the flow that is there, not one that turns much faster. */
static int waits_for_birth(const vt_simulation *s, const vt_scheme *scheme, const vt_births *births,
                           double dt)
{
    return scheme->stages == 1 ||
           dt * newborn_vorticity(births, s->time + dt) > 4 * s->def.method.turn;
}

/* They begin to move with the next substep. */
static void bear_at_end(vt_simulation *s, vt_births *births, double until)
{
    const vt_vortons *const v = &s->vortons;
    const int64_t first = v->set.count;
    bear(s, births, until, NULL);
    for (int64_t i = first; i < v->set.count; i++)
        v->age[i] = 0;
}

/* Jumps of containers, and contact; what they take from the fluid is in the books of bodies. */
static void meet_walls(vt_simulation *s, double dt, vt_contacts *contacts, vt_reaction *reaction)
{
    const int64_t held = s->contacts.held;
    const int jumps = vt_before_jump(s, dt) < INFINITY;
    if (jumps)
        VT_TIMED(s, balance, vt_close_reaction(s, dt, 1, reaction));
    VT_TIMED(s, contact, vt_jump_at_end(s, dt, contacts));
    if (jumps)
        VT_TIMED(s, balance, vt_open_reaction(s, dt, reaction));
    VT_TIMED(s, contact, vt_end_contact(s, dt, contacts));
    if (s->contacts.held > held)
        VT_TIMED(s, balance, vt_close_reaction(s, dt, 1, reaction));
}

static vt_status substep(vt_simulation *s, vt_births *births, double step, double remaining,
                         double *advanced)
{
    const vt_scheme scheme = vt_scheme_of(&s->def.method);
    int32_t exists = 0;
    vt_status status = VT_OK;
    vt_contacts contacts;
    vt_reaction reaction;
    vt_work w = {0};

    VT_TIMED(s, emit, bear_set(s, VT_VORTONS, births, s->time));
    VT_TIMED(s, emit, vt_soak_fluid(s));
    VT_TIMED(s, population, status = vt_surround_newborn(s, count_reserved(s, births)));
    if (!status)
        VT_TIMED(s, domain, status = place(s, births, &exists));
    if (!status)
        status = vt_check_shedding(s, vt_count_to_come(births, VT_VORTONS));
    if (status || !exists) {
        *advanced = status ? 0 : drift(s, births, remaining);
        return status;
    }

    /* the field at the start, and how far it lets this substep go */
    double dt = 0;
    float *const slip = vt_arena_push(&s->arena, 12 * (size_t)vt_count_shedding(s));
    set_wind_at_start(s);
    VT_TIMED(s, sort, vt_open_work(s, births, &scheme, &w));
    vt_solve_work(s, s->time, &w);
    VT_TIMED(s, panels, vt_find_body_flow(s, slip));
    VT_TIMED(s, sort, vt_sort_columns(s, &w));
    vt_find_rates(s, &w);
    status = choose_substep(s, &scheme, step, remaining, &dt);
    if (status)
        return status;

    /* nothing is refused any more */
    make_room(s, VT_TRACERS, births);
    VT_TIMED(s, emit, bear_set(s, VT_TRACERS, births, s->time));
    if (scheme.share < 1)
        vt_make_tracer_work(s, &w.tracers);
    dt = vt_until_jump(s, dt);
    const int waits = waits_for_birth(s, &scheme, births, dt);
    const double until = waits ? vt_next_vorton_time(births, 0, s->time + dt) : s->time + dt;
    if (waits)
        dt = until_birth(s, births, 0, dt);
    vt_await_jump(s, dt);
    VT_TIMED(s, bodies, vt_move_bodies(s, w.field.buoyancy != NULL && s->fields_exist, dt));

    /* the fields of the later stages; the last has the newborn too */
    for (int stage = 1; stage < scheme.stages; stage++) {
        if (stage > 1)
            vt_find_rates(s, &w);
        VT_TIMED(s, tracers, vt_keep_tracer_rates(s, scheme.reach[stage - 1] * dt, &w.tracers));
        VT_TIMED(s, stretch, vt_reach(s, &scheme, stage, dt, &w));
        if (stage == scheme.stages - 1 && !waits)
            VT_TIMED(s, emit, bear(s, births, until, &w));
        set_wind_of_stage(s, &scheme, stage, dt);
        vt_solve_work(s, s->time + scheme.reach[stage] * dt, &w);
    }

    /* the end */
    *advanced = dt;
    if (waits)
        VT_TIMED(s, emit, bear_at_end(s, births, until));
    vt_set_wind(s, s->time, s->time + dt);
    VT_TIMED(s, contact, vt_begin_contact(s, &contacts));
    VT_TIMED(s, tracers, vt_move_tracers(s, &scheme, dt, &w.tracers));
    if (vt_has_article_walls(s)) /* while the nodes hold velocities */
        VT_TIMED(s, bodies, vt_take_wall_vorticity(s));
    vt_finish(s, &scheme, &w, dt, &reaction);
    meet_walls(s, dt, &contacts, &reaction);
    VT_TIMED(s, bodies, vt_finish_bodies(s));
    VT_TIMED(s, shed, vt_shed_layers(s, vt_count_to_come(births, VT_VORTONS), dt, slip));
    change_fluid(s, dt, s->vorton_spacing > 0);
    return VT_OK;
}

/* ---- the step ---- */

/* What can be known to go wrong before anything changes. */
static vt_status prepare(vt_simulation *s, double dt, vt_births *births)
{
    vt_content content;
    vt_placement trial = s->placement;
    const double from =
        s->born_until < s->time ? s->time : nextafter(s->born_until, (double)INFINITY);
    vt_status status = vt_plan_births(s, from, s->time + dt, births);
    if (!status)
        status = vt_check_columns(s, VT_VORTONS);
    if (!status)
        status = vt_check_columns(s, VT_TRACERS);
    if (!status)
        status = vt_check_warmth(s);
    if (!status)
        status = vt_check_fuel_in_containers(s);
    if (!status)
        status = vt_check_heat_in_containers(s);
    if (!status)
        status = vt_find_content(s, births, &content);
    if (!status && content.exists && vt_has_grid(s))
        status = vt_place_grid(s, &content, &trial);
    return status;
}

/* The vortons are split, merged, pruned and surrounded as the method asks. */
static vt_status control_population(vt_simulation *s, const vt_births *births)
{
    vt_status status = VT_OK;
    vt_reaction reaction;
    if (!vt_controls_population(s))
        return VT_OK;
    s->fields_current = 0;
    VT_TIMED(s, balance, vt_open_reaction(s, 0, &reaction));
    VT_TIMED(s, population, status = vt_control_population(s, count_reserved(s, births)));
    VT_TIMED(s, balance, vt_close_reaction(s, 0, 1, &reaction));
    return status;
}

/* One substep, all of it or nothing. */
static vt_status try_substep(vt_simulation *s, vt_births *births, double step, double remaining,
                             double *advanced)
{
    const size_t mark = vt_arena_mark(&s->arena);
    const vt_beginning beginning = vt_keep_beginning(s, births, step);
    vt_jump_at_start(s, step);
    make_room(s, VT_VORTONS, births);
    vt_status status = control_population(s, births);
    if (!status)
        status = substep(s, births, step, remaining, advanced);
    if (status)
        vt_go_back(s, &beginning);
    s->pairs = (vt_pair_sources){0};
    s->fields_current = 0;
    vt_arena_pop(&s->arena, mark);
    return status;
}

static vt_status advance(vt_simulation *s, vt_births *births, double dt)
{
    const double start = s->time;
    double done = 0;
    for (int32_t n = 0; done < dt; n++) {
        if (n == MOST_SUBSTEPS)
            return vt_fail(VT_NOT_FINITE,
                           "the flow has blown up: dt %g s would need more than %d substeps", dt,
                           MOST_SUBSTEPS);
        double advanced = 0;
        const vt_status status = try_substep(s, births, dt, dt - done, &advanced);
        if (status)
            return status;
        if (s->substeps % VT_SORT_EVERY == 0 && s->fields_exist)
            VT_TIMED(s, tracer_sort, vt_sort_tracers(s));
        s->strained += vt_find_largest(&s->extremes).gradient * advanced;
        done = dt - done - advanced <= 1e-12 * dt ? dt : done + advanced;
        s->time = start + done;
        s->born_until = births->until;
        s->substeps++;
        s->last_substeps = n + 1;
    }
    return VT_OK;
}

/* With the births of the step and what is animated as it is then. */
static vt_status run_substeps(vt_simulation *s, double dt)
{
    const double start = s->time;
    vt_births births = {0};
    vt_status status = VT_OK;
    VT_TIMED(s, emit, status = prepare(s, dt, &births));
    if (status)
        return status;
    vt_open_heat_books(s);
    status = advance(s, &births, dt);
    if (!status)
        VT_TIMED(s, emit, bear(s, &births, s->time, NULL));
    VT_TIMED(s, tracers, vt_grow_tracers(s, status ? s->time - start : dt));
    VT_TIMED(s, tracers, vt_dissipate(s, status ? s->time - start : dt));
    if (!status)
        VT_TIMED(s, remove, vt_remove_dead(s));
    vt_close_heat_books(s);
    return status;
}

static vt_status run_step(vt_simulation *s, double dt)
{
    const double start = s->time;
    const vt_simulation_def def = s->def;
    const vt_carrying carried = s->carried;
    for (int t = 0; t < VT_TIMED_STAGES; t++)
        s->timers[t].last = 0;
    s->contacts = (vt_contact_counts){0, 0};
    vt_animate_definition(s, dt);
    vt_begin_carrying(s, dt);
    const vt_status status = run_substeps(s, dt);
    if (status) {
        vt_stop_carrying(s, &carried, s->time - start);
        if (s->time == start)
            s->def = def;
        return status;
    }
    VT_TIMED(s, tracers, vt_find_tracer_scalars(s, 1));
    vt_end_carrying(s);
    s->born_until = -1;
    s->steps++;
    return VT_OK;
}

vt_status vt_step(vt_simulation *s, double dt)
{
    if (!(dt >= 0) || !isfinite(dt))
        return vt_fail(VT_INVALID_ARGUMENT, "dt is %g s; allowed is a finite time >= 0", dt);
    vt_status status = vt_enter(s);
    if (status)
        return status;
    if (s->time + dt > latest_time) {
        vt_leave(s);
        return vt_fail(VT_INVALID_ARGUMENT, "dt is %g s; allowed is up to %g s, to the time %g s",
                       dt, latest_time - s->time, latest_time);
    }
    const size_t mark = vt_arena_mark(&s->arena);
    if (dt > 0)
        VT_TIMED(s, step, status = run_step(s, dt));
    vt_arena_pop(&s->arena, mark);
    vt_leave(s);
    return status;
}
