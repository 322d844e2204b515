#include "step/step.h"

#include "base/status.h"
#include "bodies/article_wall_vorticity.h"
#include "bodies/body_heat.h"
#include "bodies/rigid_motion.h"
#include "conservation/body_forces.h"
#include "conservation/fluid_forces.h"
#include "conservation/surface_slip.h"
#include "conservation/vortex_shedding.h"
#include "field/extent.h"
#include "field/solve.h"
#include "panels/joint_panels.h"
#include "panels/panels.h"
#include "population/control.h"
#include "population/diffusion.h"
#include "population/inflow_ignition.h"
#include "population/inflow_swirl.h"
#include "population/smoke_decay.h"
#include "population/thermal_expansion.h"
#include "sources/birth_plan.h"
#include "sources/removal.h"
#include "state/check_columns.h"
#include "state/closed_container.h"
#include "state/container_frame.h"
#include "state/heat_budget.h"
#include "state/particles.h"
#include "step/shown_columns.h"
#include "state/wind_at_time.h"
#include "step/advice.h"
#include "step/blow_up.h"
#include "step/container_jump.h"
#include "step/rounding.h"
#include "step/substep.h"
#include "step/substep_length.h"
#include "step/undo.h"
#include "tracers/passive_motion.h"
#include "tracers/scalars.h"
#include "tracers/subgrid_eddies.h"

/* ---- parts of a substep ---- */

/* Whether vortons without circulation may be more than passive. */
static int stirs_itself(const vt_simulation *s)
{
    return vti_is_buoyant(s) || vti_conducts(s) || vti_expands(s) || vti_has_article_walls(s) ||
           vti_has_forces_on(s, VT_FORCE_ON_FLUID);
}

/* The grid around the vortons; sets *exists to whether any of them does something. */
static vt_status place(vt_simulation *s, const vt_births *births, int32_t *exists)
{
    vt_extent content;
    vt_status status = vti_find_extent(s, births, &content);
    *exists = content.exists || (s->vortons.set.count > 0 && stirs_itself(s));
    s->fields_exist = !status && *exists && vti_has_grid(s);
    if (!s->fields_exist)
        return status;
    status = vti_place_grid(s, &content, &s->placement);
    if (!status)
        vti_lay_out_grid(s, &s->placement);
    return status;
}

static void set_wind_at_start(vt_simulation *s)
{
    static const double nowhere[3] = {0, 0, 0};
    vti_set_wind(s, s->time, s->time);
    vti_set_wind_grids(s, s->time, s->time, nowhere);
    vti_pose_panels(s, s->time, nowhere);
}

/* By the time of a later stage the working grid has gone its part of the way with the uniform wind.
 * Where the last stage stands for the whole substep, grids of wind blow with their mean strength.
 */
static void set_wind_of_stage(vt_simulation *s, const vt_scheme *scheme, int stage, double dt)
{
    double way[3];
    const double now = s->time + scheme->fraction[stage] * dt;
    vti_integrate_winds(s, s->time, now, way);
    const int whole = scheme->share == 1;
    const double from = whole ? s->time : now, to = whole ? s->time + dt : now;
    vti_set_wind(s, from, to);
    vti_set_wind_grids(s, from, to, way);
    vti_pose_panels(s, now, way);
}

/* ---- births ---- */

/* Particles of a set whose time has come by `until` join its columns; born after now, their age is
 * negative. Those of the time of a jump come after it. */
static void emit_set(vt_simulation *s, int set, vt_births *births, double until)
{
    vti_emit(s, set, births, fmin(until, vti_before_jump(s, until - s->time)));
    vti_remove_embedded(s, set);
}

static void emit_due(vt_simulation *s, vt_births *births, double until, vt_substep *w)
{
    const int64_t first = s->vortons.set.count;
    emit_set(s, VT_VORTONS, births, until);
    emit_set(s, VT_TRACERS, births, until);
    if (w && s->vortons.set.count > first)
        vti_add_newborn(s, w, first);
}

/* Makes room for all particles that are still to be born: where the policy removes the oldest, they
 * go now. */
static void make_room(vt_simulation *s, int set, const vt_births *births)
{
    vti_make_capacity(s, set, vti_count_to_come(births, set));
}

/* Rows of vortons to be left free: for vortons still to be born, and for those that bodies shed. */
static int64_t count_reserved(const vt_simulation *s, const vt_births *births)
{
    return vti_count_to_come(births, VT_VORTONS) + vti_count_layer_points(s);
}

/* ---- the substep ---- */

/* Diffusion. Beside walls strength finds no neighbours to spread to: the bodies take what is
 * missing. */
static void diffuse(vt_simulation *s, const vt_births *births, double dt)
{
    vt_reaction reaction;
    if (!vti_await_diffusion(s, dt))
        return;
    VT_TIMED(s, balance, vti_open_reaction(s, dt, &reaction));
    VT_TIMED(s, diffuse, vti_diffuse(s, count_reserved(s, births)));
    VT_TIMED(s, balance, vti_close_reaction(s, dt, 1, &reaction));
}

/* What happens to the fluid of the vortons on its way over dt seconds; with a flow it also spreads
 * to their neighbours. */
static void change_fluid(vt_simulation *s, const vt_births *births, double dt, int spreads)
{
    if (vti_expands(s))
        VT_TIMED(s, expand, vti_note_volumes(s));
    if (spreads && (vti_diffuses(s) || vti_conducts(s)))
        diffuse(s, births, dt);
    if (vti_has_warm_bodies(s))
        VT_TIMED(s, body_heat, vti_exchange_body_heat(s, dt));
    if (vti_burns(s))
        VT_TIMED(s, react, vti_react(s, dt));
    if (vti_expands(s))
        VT_TIMED(s, expand, vti_expand(s, dt));
}

/* The time to the next birth of a vorton, of neutral ones or not, at most dt: dt itself, which
 * s->time + dt would round. */
static double until_birth(const vt_simulation *s, const vt_births *births, int neutral, double dt)
{
    const double end = s->time + dt, next = vti_next_vorton_time(births, neutral, end);
    return next < end ? next - s->time : dt;
}

/* From here on a substep is not refused any more. */
static void accept(vt_simulation *s, vt_births *births, vt_substep *sorts)
{
    if (sorts)
        VT_TIMED(s, sort, vti_sort_columns(s, sorts));
    vti_take_written(s);
    make_room(s, VT_TRACERS, births);
}

/* Where nothing carries circulation only winds and forces move, until a vorton is born that changes
 * that. */
static double drift(vt_simulation *s, vt_births *births, double remaining)
{
    double dt = until_birth(s, births, stirs_itself(s), remaining);
    s->rates_known = 0;
    memset(&s->extremes, 0, sizeof s->extremes); /* of a flow that is not there any more */
    const double turns = dt * vti_body_rate(s);
    if (turns > 1)
        dt /= ceil(turns);
    dt = vti_until_jump(s, dt);
    vti_await_jump(s, dt);
    VT_TIMED(s, bodies, vti_move_bodies(s, 0, dt));
    accept(s, births, NULL);
    const vt_vortons *const v = &s->vortons;
    emit_due(s, births, s->time + dt, NULL);
    vti_set_wind(s, s->time, s->time + dt);
    const vt_passive vortons = {
        .count = v->set.count, .position = v->position, .velocity = v->velocity, .age = v->age};
    const vt_passive tracers = vti_passive_tracers(s, 0);
    vt_contacts contacts;
    VT_TIMED(s, contact, vti_begin_contact(s, &contacts));
    vti_move_passive(s, dt, &vortons);
    vti_move_passive(s, dt, &tracers);
    VT_TIMED(s, contact, vti_jump_at_end(s, dt, &contacts));
    VT_TIMED(s, contact, vti_end_contact(s, dt, &contacts));
    VT_TIMED(s, bodies, vti_finish_bodies(s));
    change_fluid(s, births, dt, 0);
    s->last_substep = 0; /* a flow that begins after it has no velocities of before */
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
           dt * newborn_vorticity(births, s->time + dt) > 2 * s->def.method.turn;
}

/* Lets the newborn join at the end; they begin to move with the next substep. */
static void emit_at_end(vt_simulation *s, vt_births *births, double until)
{
    const vt_vortons *const v = &s->vortons;
    const int64_t first = v->set.count;
    emit_due(s, births, until, NULL);
    for (int64_t i = first; i < v->set.count; i++)
        v->age[i] = 0;
}

/* Jumps of containers, and contact; what they take from the fluid is in the books of bodies. */
static void meet_walls(vt_simulation *s, double dt, vt_contacts *contacts, vt_reaction *reaction)
{
    const int64_t held = s->contacts.held;
    const int jumps = vti_before_jump(s, dt) < INFINITY;
    if (jumps)
        VT_TIMED(s, balance, vti_close_reaction(s, dt, 1, reaction));
    VT_TIMED(s, contact, vti_jump_at_end(s, dt, contacts));
    if (jumps)
        VT_TIMED(s, balance, vti_open_reaction(s, dt, reaction));
    VT_TIMED(s, contact, vti_end_contact(s, dt, contacts));
    if (s->contacts.held > held)
        VT_TIMED(s, balance, vti_close_reaction(s, dt, 1, reaction));
}

/* Room for the slip at the start and at the last stage. */
static vt_slip make_slip(vt_simulation *s, const vt_scheme *scheme)
{
    const size_t bytes = 12 * (size_t)vti_count_slipping(s);
    float *const start = vti_arena_push(&s->arena, bytes);
    const double at = vti_last_fraction(scheme);
    return (vt_slip){start, at > 0 ? vti_arena_push(&s->arena, bytes) : start, at};
}

static void solve_at_start(vt_simulation *s, vt_substep *w, float *slip)
{
    vti_solve_substep(s, s->time, w);
    VT_TIMED(s, panels, vti_find_body_flow(s));
    VT_TIMED(s, panels, vti_find_slip(s, slip));
    vti_find_rates(s, w);
}

/* The fields of the later stages; the last has the newborn too (births is NULL: they wait). */
static void go_through_stages(vt_simulation *s, const vt_scheme *scheme, double dt,
                              vt_births *births, vt_substep *w)
{
    if (w->extrapolates)
        vti_extrapolate_rates(s, dt, w);
    for (int stage = 1; stage < scheme->stages; stage++) {
        if (stage > 1)
            vti_find_rates(s, w);
        VT_TIMED(s, tracers,
                 vti_keep_tracer_rates(s, scheme->fraction[stage - 1] * dt, &w->tracers));
        VT_TIMED(s, stretch, vti_advance_to_stage(s, scheme, stage, dt, w));
        if (stage == scheme->stages - 1 && births)
            VT_TIMED(s, emit, emit_due(s, births, s->time + dt, w));
        set_wind_of_stage(s, scheme, stage, dt);
        vti_solve_substep(s, s->time + scheme->fraction[stage] * dt, w);
    }
}

/* By the velocity of the last stage, before the end changes the nodes. */
static void force_fluid(vt_simulation *s, const vt_scheme *scheme, double dt, const vt_substep *w)
{
    if (vti_has_forces_on(s, VT_FORCE_ON_FLUID))
        VT_TIMED(s, forces,
                 vti_force_fluid(s, dt, vti_last_fraction(scheme) * dt, w->count, w->sorted,
                                 w->row_start));
}

static vt_status substep(vt_simulation *s, vt_births *births, double step, double remaining,
                         double *advanced)
{
    const vt_scheme scheme = vti_scheme_of(&s->def.method);
    int32_t exists = 0;
    vt_status status = VT_OK;
    vt_contacts contacts;
    vt_reaction reaction;
    vt_substep w = {0};

    VT_TIMED(s, emit, emit_set(s, VT_VORTONS, births, s->time));
    VT_TIMED(s, emit, vti_ignite_inflow(s));
    VT_TIMED(s, emit, vti_stir_inflow(s));
    VT_TIMED(s, population, status = vti_surround_newborn(s, count_reserved(s, births)));
    if (!status)
        VT_TIMED(s, domain, status = place(s, births, &exists));
    if (!status)
        status = vti_check_shedding(s, vti_count_to_come(births, VT_VORTONS));
    if (status || !exists) {
        *advanced = status ? 0 : drift(s, births, remaining);
        return status;
    }

    /* the field at the start, or earlier rates, and how far they let this substep go */
    double dt = 0;
    const vt_slip slip = make_slip(s, &scheme);
    set_wind_at_start(s);
    VT_TIMED(s, sort, vti_open_substep(s, births, &scheme, &w));
    if (!w.extrapolates)
        solve_at_start(s, &w, slip.start);
    status = vti_choose_substep(s, &scheme, &w, step, remaining, &dt);
    if (status)
        return status;
    accept(s, births, w.extrapolates ? NULL : &w);
    VT_TIMED(s, emit, emit_set(s, VT_TRACERS, births, s->time));
    if (scheme.share < 1)
        vti_make_tracer_substep(s, &w.tracers);
    dt = vti_until_jump(s, dt);
    const int waits = waits_for_birth(s, &scheme, births, dt);
    double birth = 0; /* for which they wait */
    if (waits) {
        birth = vti_next_vorton_time(births, 0, s->time + dt);
        dt = until_birth(s, births, 0, dt);
    }
    w.continues = dt < remaining * (1 - 1e-9);
    vti_await_jump(s, dt);
    VT_TIMED(s, bodies, vti_move_bodies(s, w.field.buoyancy != NULL && s->fields_exist, dt));

    go_through_stages(s, &scheme, dt, waits ? NULL : births, &w);
    if (slip.at > 0)
        VT_TIMED(s, panels, vti_find_slip(s, slip.later));

    /* the end */
    *advanced = dt;
    if (w.extrapolates)
        VT_TIMED(s, sort, vti_sort_columns(s, &w));
    if (waits)
        VT_TIMED(s, emit, emit_at_end(s, births, birth));
    vti_set_wind(s, s->time, s->time + dt);
    VT_TIMED(s, contact, vti_begin_contact(s, &contacts));
    VT_TIMED(s, tracers, vti_move_tracers(s, &scheme, dt, contacts.start[VT_TRACERS], &w.tracers));
    VT_TIMED(s, stir, vti_stir_tracers(s, dt, dt * vti_fast_gradient(s), !w.continues));
    if (!w.continues)
        VT_TIMED(s, tracers, vti_round_tracers(s));
    if (vti_has_article_walls(s)) /* while the nodes hold velocities */
        VT_TIMED(s, bodies, vti_take_wall_vorticity(s));
    force_fluid(s, &scheme, dt, &w);
    vti_finish(s, &scheme, &w, dt, &reaction);
    meet_walls(s, dt, &contacts, &reaction);
    VT_TIMED(s, bodies, vti_finish_bodies(s));
    VT_TIMED(s, shed, vti_shed_layers(s, vti_count_to_come(births, VT_VORTONS), dt, &slip));
    change_fluid(s, births, dt, s->vorton_spacing > 0);
    return VT_OK;
}

/* ---- the step ---- */

double vti_next_births(const vt_simulation *s)
{
    return s->born_until < s->time ? s->time : nextafter(s->born_until, (double)INFINITY);
}

static vt_status check_grid_for_forces(const vt_simulation *s)
{
    if (vti_has_grid(s) || !vti_has_forces_on(s, VT_FORCE_ON_FLUID))
        return VT_OK;
    return vti_fail(VT_INVALID_ARGUMENT,
                    "method.velocity is %d; allowed with a force whose acts_on is fluid is %d "
                    "(poisson)",
                    s->def.method.velocity, VT_VELOCITY_POISSON);
}

/* Prepares the births, and finds errors that can be known before anything changes. */
static vt_status prepare(vt_simulation *s, double dt, vt_births *births)
{
    vt_extent content;
    vt_placement trial = s->placement;
    vt_status status;
    vti_form_walls(s, s->time);
    if ((status = vti_plan_births(s, vti_next_births(s), s->time + dt, births)) ||
        (status = vti_check_columns(s, VT_VORTONS)) ||
        (status = vti_check_columns(s, VT_TRACERS)) || (status = vti_check_warmth(s)) ||
        (status = check_grid_for_forces(s)) || (status = vti_check_fuel_in_containers(s)) ||
        (status = vti_check_heat_in_containers(s)) ||
        (status = vti_find_extent(s, births, &content)))
        return status;
    if (content.exists && vti_has_grid(s))
        status = vti_place_grid(s, &content, &trial);
    return status ? status : vti_check_written(s);
}

/* The vortons are split, merged, pruned and surrounded as the method asks. */
static vt_status control_population(vt_simulation *s, const vt_births *births)
{
    vt_status status = VT_OK;
    vt_reaction reaction;
    s->vorton_spacing = 0;
    if (!vti_controls_population(s))
        return VT_OK;
    s->fields_current = 0;
    VT_TIMED(s, balance, vti_open_reaction(s, 0, &reaction));
    VT_TIMED(s, population, status = vti_control_population(s, count_reserved(s, births)));
    VT_TIMED(s, balance, vti_close_reaction(s, 0, 1, &reaction));
    return status;
}

/* One substep, all of it or nothing. */
static vt_status try_substep(vt_simulation *s, vt_births *births, double step, double remaining,
                             double *advanced)
{
    const size_t mark = vti_arena_mark(&s->arena);
    const vt_undo beginning = vti_keep_undo(s, births, step);
    vti_form_walls(s, s->time);
    vti_jump_at_start(s, step);
    make_room(s, VT_VORTONS, births);
    vti_settle_cores(s);
    vt_status status = control_population(s, births);
    if (!status)
        status = substep(s, births, step, remaining, advanced);
    if (status)
        vti_undo(s, &beginning);
    s->pairs = (vt_pair_sources){0};
    s->fields_current = 0;
    vti_arena_pop(&s->arena, mark);
    return status;
}

/* Before a substep: whether the callback lets the step go on. */
static vt_status ask_to_go_on(vt_simulation *s, double step, double done, int32_t substeps)
{
    const vt_progress progress = {
        .step = step, .done = done, .time = s->time, .substeps = substeps};
    if (!s->progress || s->progress(s->progress_context, &progress) == 0)
        return VT_OK;
    return vti_fail(VT_CANCELLED, "the progress callback ended the step of %g s after %g s", step,
                    done);
}

static vt_status advance(vt_simulation *s, vt_births *births, double dt)
{
    const double start = s->time;
    double done = 0;
    s->unbalanced = 0;
    for (int32_t n = 0; done < dt; n++) {
        if (n == VT_MOST_SUBSTEPS)
            return vti_blow_up(s, NULL, VT_LIMIT_NONE, dt - done);
        double advanced = 0;
        vt_status status = n > 0 ? ask_to_go_on(s, dt, done, n) : VT_OK;
        if (!status)
            status = try_substep(s, births, dt, dt - done, &advanced);
        if (status) /* what was written into columns has been looked at before */
            return status == VT_NOT_FINITE ? vti_blow_up_to_nan(s) : status;
        if (s->substeps % VT_SORT_EVERY == 0 && s->fields_exist)
            VT_TIMED(s, tracer_sort, vti_sort_tracers(s));
        s->strained += vti_find_largest(&s->extremes).gradient * advanced;
        done = dt - done - advanced <= 1e-12 * dt ? dt : done + advanced;
        s->time = start + done;
        s->born_until = births->until;
        s->substeps++;
        s->last_substeps = n + 1;
    }
    return VT_OK;
}

/* Takes substeps, with the births of the step and the animated parameters of each time. */
static vt_status run_substeps(vt_simulation *s, double dt)
{
    const double start = s->time;
    const vt_alive before = {{s->vortons.set.count, s->tracers.set.count}};
    vt_births births = {0};
    vt_status status = VT_OK;
    VT_TIMED(s, emit, status = prepare(s, dt, &births));
    if (status || (status = ask_to_go_on(s, dt, 0, 0)))
        return status;
    vti_open_heat_books(s);
    vti_note_planned(s, &births);
    vti_look_for_many_vortons(s, &births, dt);
    vti_look_for_thin_trails(s, dt);
    status = advance(s, &births, dt);
    if (!status)
        VT_TIMED(s, emit, emit_due(s, &births, s->time, NULL));
    VT_TIMED(s, tracers, vti_grow_tracers(s, status ? s->time - start : dt));
    VT_TIMED(s, tracers, vti_dissipate(s, status ? s->time - start : dt));
    if (!status)
        VT_TIMED(s, remove, vti_remove_dead(s));
    if (!status)
        vti_look_for_little_room(s, &births, &before, dt);
    vti_close_heat_books(s);
    return status;
}

static vt_status run_step(vt_simulation *s, double dt)
{
    const double start = s->time;
    const vt_simulation_def def = s->def;
    const vt_container_frame carried = s->carried;
    const vt_contact_counts contacts = s->contacts;
    for (int t = 0; t < VT_TIMED_STAGES; t++)
        s->timers[t].last = 0;
    s->contacts = (vt_contact_counts){0, 0};
    vti_animate_definition(s, dt);
    vti_begin_frame(s, dt);
    const vt_status status = run_substeps(s, dt);
    if (status) {
        vti_stop_frame(s, &carried, s->time - start);
        if (s->time == start) {
            s->def = def;
            s->contacts = contacts;
        }
        return status;
    }
    VT_TIMED(s, tracers, vti_find_tracer_scalars(s));
    VT_TIMED(s, tracers, vti_round_tracer_shares(s));
    VT_TIMED(s, finish, vti_round_velocities(s));
    vti_end_frame(s);
    vti_look_for_unlit_fuel(s, dt);
    vti_look_for_fewer_panels(s);
    vti_look_for_long_wakes(s);
    vti_look_for_crowds(s);
    vti_look_for_lost_layers(s);
    s->born_until = -1;
    s->steps++;
    return VT_OK;
}

typedef struct step_work {
    vt_simulation *simulation;
    double dt;
    vt_status status;
} step_work;

/* They are those of the substeps of one step: whatever may be written before the next. */
static void forget_rates(vt_simulation *s)
{
    s->rates_known = 0;
    s->rates_at[0] = s->rates_at[1] = 0;
    s->vortons.set.used[VT_VORTON_past_rates] = 0;
}

static void run_step_with_team(void *context)
{
    step_work *const w = context;
    vti_put_aside(w->simulation);
    w->status = run_step(w->simulation, w->dt);
    forget_rates(w->simulation);
    vti_bring_back(w->simulation);
}

vt_status vti_advance(vt_simulation *s, double dt)
{
    const size_t mark = vti_arena_mark(&s->arena);
    step_work work = {s, dt, vti_join_panels(s)};
    if (work.status)
        return work.status;
    VT_TIMED(s, step, vti_with_team(s->def.threads, run_step_with_team, &work));
    vti_arena_pop(&s->arena, mark);
    return work.status;
}
