#include "conservation/body_impulse_budget.h"

#include "conservation/body_forces.h"
#include "state/predicates.h"
#include "state/wind_at_time.h"

/* ---- the point about which impulse is taken ---- */

/* Of the bodies that the flow knows: their mean place when it was noted, and when that was. Returns
 * how many there are. */
static int find_middle(const vt_simulation *s, double middle[3], double *noted)
{
    int count = 0;
    memset(middle, 0, 3 * sizeof *middle);
    for (int32_t n = 0; n < s->bodies.count; n++) {
        const vt_flow *const flow = &s->bodies.items[n].flow;
        if (!flow->known)
            continue;
        vti_add_scaled(middle, 1, flow->center);
        *noted = flow->time;
        count++;
    }
    for (int c = 0; c < 3 && count > 0; c++)
        middle[c] /= count;
    return count;
}

/* Sums over strengths about the place at a time of fluid at rest that was at the point of a
 * reaction. */
static vt_strengths sum_strengths(vt_simulation *s, const vt_reaction *reaction, double time)
{
    double now[3];
    vti_integrate_winds(s, reaction->noted, time, now);
    vti_add_scaled(now, 1, reaction->about);
    return vti_sum_strengths(s, now);
}

/* ---- wakes that are left behind ---- */

enum { WAKE_BLOCK = 1024 };

/* Within this many times its reach, and a core, from its centre a body answers for all of its wake;
 * from three times as far on for nothing. What its layer loses a ball loses within three radii; a
 * wake of twenty pushed it sidewise by up to 1.3 times the pressure of the stream on its disk, and
 * one lighter than the fluid came to hundreds of m/s (tests/test_light_bodies.py). Nearer and
 * narrower, what near and far parts of the wake give each other counts as lost. */
static const double near_reaches = 2;

/* Of the vortons that bodies have shed. */
typedef struct wakes {
    const vt_simulation *simulation;
    double moved[3]; /* the way of the fluid since the flow was noted, m */
    vt_apart *apart;
    double (*block)[3];
} wakes;

/* How far a place, seen from the bodies as their flow was noted, belongs to none, 0 to 1, and the
 * body that it belongs to most. */
static vt_apart find_apart(const vt_simulation *s, const double place[3])
{
    double least = INFINITY;
    int32_t nearest = 0;
    for (int32_t n = 0; n < s->bodies.count; n++) {
        const vt_body *const body = &s->bodies.items[n];
        const double near = near_reaches * (body->reach + s->grid.core);
        const double square = vti_square_between(place, body->flow.center) / (near * near);
        if (body->flow.known && square < least) {
            least = square;
            nearest = n;
        }
    }
    const double beyond = vti_sqrt(least) - 1;
    return (vt_apart){(float)fmin(fmax(beyond / 2, 0), 1), nearest};
}

static void set_block_apart(void *data, int64_t begin, int64_t end)
{
    const wakes *const w = data;
    const vt_vortons *const v = &w->simulation->vortons;
    for (int64_t i = begin; i < end; i++) {
        double place[3];
        vti_widen(v->position + 3 * i, place);
        vti_subtract(place, w->moved, place);
        w->apart[i] = (vt_apart){0, 0};
        if (v->flags[i] & VT_FLAG_SHED)
            w->apart[i] = find_apart(w->simulation, place);
    }
}

static void sum_block_of_wakes(void *data, int64_t begin, int64_t end)
{
    const wakes *const w = data;
    const vt_vortons *const v = &w->simulation->vortons;
    double sum[3] = {0};
    for (int64_t i = begin; i < end; i++) {
        double r[3], alpha[3], turn[3];
        const vt_apart apart = w->apart[i];
        if (!(apart.share > 0))
            continue;
        vti_widen(v->position + 3 * i, r);
        vti_widen(v->strength + 3 * i, alpha);
        vti_subtract(r, w->moved, r);
        vti_subtract(r, w->simulation->bodies.items[apart.body].flow.center, r);
        vti_cross(r, alpha, turn);
        vti_add_scaled(sum, 0.5 * (double)apart.share, turn);
    }
    memcpy(w->block[begin / WAKE_BLOCK], sum, sizeof sum);
}

/* 1/2 sum x cross alpha of the wakes apart, of each about the fluid that was at the middle of its
 * body: their strengths do not sum to nothing, and about a point far off what stretching changes of
 * that sum would be a force. */
static void sum_wakes(vt_simulation *s, wakes *w, double sum[3])
{
    const int64_t count = s->vortons.set.count, blocks = (count + WAKE_BLOCK - 1) / WAKE_BLOCK;
    const size_t mark = vti_arena_mark(&s->arena);
    w->block = vti_arena_push(&s->arena, sizeof *w->block * (size_t)blocks);
    vti_parallel_for(s->def.threads, count, WAKE_BLOCK, sum_block_of_wakes, w);
    memset(sum, 0, 3 * sizeof *sum);
    for (int64_t b = 0; b < blocks; b++)
        vti_add_scaled(sum, 1, w->block[b]);
    vti_arena_pop(&s->arena, mark);
}

void vti_set_wakes_apart(vt_simulation *s, vt_reaction *reaction)
{
    const int64_t count = s->vortons.set.count;
    wakes w = {.simulation = s};
    if (!reaction->counts || !vti_keeps_impulse(s) || !s->vortons.set.used[VT_VORTON_panel])
        return;
    vti_integrate_winds(s, reaction->noted, s->time + reaction->elapsed, w.moved);
    reaction->apart = w.apart = vti_arena_push(&s->arena, sizeof *w.apart * (size_t)count);
    vti_parallel_for(s->def.threads, count, WAKE_BLOCK, set_block_apart, &w);
    sum_wakes(s, &w, reaction->wake);
}

/* ---- impulse by density differences ---- */

/* Middles of the bodies, of fluid at rest since their flow was noted, in cells from a point of the
 * working grid, which in a substep stays where it was at its start. */
static vt_apart_rows find_apart_rows(vt_simulation *s, const vt_reaction *reaction,
                                     const double from[3])
{
    double moved[3];
    double (*const middle)[3] = vti_arena_push(&s->arena, sizeof *middle * (size_t)s->bodies.count);
    vti_integrate_winds(s, reaction->noted, s->time, moved);
    for (int32_t n = 0; n < s->bodies.count; n++)
        for (int c = 0; c < 3; c++) {
            const double at = s->bodies.items[n].flow.center[c] + moved[c];
            middle[n][c] = (at - from[c]) / (double)s->grid.spacing;
        }
    return (vt_apart_rows){reaction->apart, (const double (*)[3])middle};
}

void vti_note_buoyant_impulse(vt_simulation *s, const vt_velocity_source *field, int64_t count,
                              const vt_record *records, double dt, vt_reaction *reaction)
{
    const int64_t blocks = (count + VT_INVARIANT_BLOCK - 1) / VT_INVARIANT_BLOCK;
    const vt_grid *const grid = field->grid;
    vt_impulse all = {{0}, {0}};
    if (!field->buoyancy || !s->fields_exist)
        return;
    const size_t mark = vti_arena_mark(&s->arena);
    vt_generation *const block = vti_arena_push(&s->arena, sizeof *block * (size_t)blocks);
    const double h = grid->spacing;
    double middle[3];
    for (int c = 0; c < 3; c++)
        middle[c] = (double)vti_grid_origin(grid, c) + h * grid->cells[c] / 2;
    const vt_apart_rows apart = find_apart_rows(s, reaction, middle);
    s->stages->sum_generation(field, count, records, s->vortons.age, &apart, dt, block,
                              s->def.threads);
    for (int64_t b = 0; b < blocks; b++) {
        vti_add_scaled(all.linear, h / 2, block[b].sum);
        vti_add_scaled(all.angular, h * h / 3, block[b].sum + 3);
        vti_add_scaled(reaction->wake, h / 2, block[b].apart);
    }
    vti_move_moment(&all, middle);
    vti_add_impulse(&reaction->given, 1, &all);
    vti_arena_pop(&s->arena, mark);
}

/* ---- the change ---- */

/* What the wakes have gained since they were set apart, but by gravity: nobody's. */
static void end_wakes(vt_simulation *s, double elapsed, vt_reaction *reaction, double gained[3])
{
    wakes w = {.simulation = s, .apart = reaction->apart};
    memset(gained, 0, 3 * sizeof *gained);
    if (!reaction->apart)
        return;
    vti_integrate_winds(s, reaction->noted, s->time + elapsed, w.moved);
    sum_wakes(s, &w, gained);
    vti_subtract(gained, reaction->wake, gained);
    reaction->apart = NULL;
}

void vti_open_reaction(vt_simulation *s, double elapsed, vt_reaction *reaction)
{
    *reaction = (vt_reaction){.elapsed = elapsed};
    reaction->counts = find_middle(s, reaction->about, &reaction->noted) > 0;
    if (reaction->counts)
        reaction->before = sum_strengths(s, reaction, s->time + elapsed);
}

/* The change of impulse that no entry of the books explains, about the point of the reaction. */
static vt_impulse find_change(vt_simulation *s, double elapsed, vt_reaction *reaction)
{
    const double *const middle = reaction->about;
    const vt_strengths after = sum_strengths(s, reaction, s->time + elapsed);
    vt_strengths sum = after;
    vti_add_strengths(&sum, -1, &reaction->before);
    reaction->before = after;
    vti_take_open_lines((const double (*)[3])sum.moment, middle, s->bodies.open_lines);
    vt_impulse change = vti_impulse_of(&sum);
    if (elapsed > reaction->elapsed) {
        const vt_impulse pull = vti_sum_body_forces(s, elapsed - reaction->elapsed, middle);
        vti_add_impulse(&change, 1, &pull);
        reaction->elapsed = elapsed;
    }
    const double back[3] = {-middle[0], -middle[1], -middle[2]};
    vti_move_moment(&reaction->given, back);
    vti_add_impulse(&change, -1, &reaction->given);
    reaction->given = (vt_impulse){{0}, {0}};
    return change;
}

/* Weight of a body in the sharing: the load of the flow on it; 0 for those that do not shed, where
 * any body does. */
static double load_of(const vt_body *body, int sheds)
{
    return body->flow.known == VT_FLOW_KNOWN && (!sheds || vti_sheds(body)) ? body->flow.load : 0;
}

/* A share of the change, less what is apart, goes from it to the bodies, as a force at the centre
 * of each. What moment is left stays: its arms are as long as the wakes, and what the method errs
 * by there would spin a body of little inertia up. */
static void give_bodies(vt_simulation *s, double share, const double about[3],
                        const double apart[3], vt_impulse *change)
{
    double whole[3], all = 0;
    int sheds = 0;
    vti_subtract(change->linear, apart, whole);
    for (int32_t n = 0; n < s->bodies.count; n++)
        sheds |= s->bodies.items[n].flow.known == VT_FLOW_KNOWN && vti_sheds(&s->bodies.items[n]);
    for (int32_t n = 0; n < s->bodies.count; n++)
        all += load_of(&s->bodies.items[n], sheds);
    for (int32_t n = 0; n < s->bodies.count && all > 0; n++) {
        vt_body *const body = &s->bodies.items[n];
        const double part = share * load_of(body, sheds) / all;
        double arm[3], moment[3];
        vti_subtract(body->flow.center, about, arm);
        vti_cross(arm, whole, moment);
        vti_add_scaled(change->linear, -part, whole);
        vti_add_scaled(change->angular, -part, moment);
        vti_add_scaled(body->flow.owed.linear, part, whole);
    }
}

void vti_close_reaction(vt_simulation *s, double elapsed, double share, vt_reaction *reaction)
{
    if (!reaction->counts)
        return;
    double apart[3];
    vt_impulse change = find_change(s, elapsed, reaction);
    end_wakes(s, elapsed, reaction, apart);
    if (vti_keeps_impulse(s))
        give_bodies(s, share, reaction->about, apart, &change);
    vti_move_moment(&change, reaction->about);
    vti_add_impulse(&s->impulses.outer, 1, &change);
}
