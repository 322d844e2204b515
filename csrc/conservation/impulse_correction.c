/* Vortex lines that close, stretch and turn, and density differences within a fluid at rest, never
 * change the sum of the strengths: it is the integral of the vorticity. Nor do they change its
 * linear and angular impulse
 *
 *   I = 1/2 sum x cross alpha,   A = 1/3 sum x cross (x cross alpha)
 *
 * (Saffman, Vortex Dynamics, 1992, chapter 3), but for the weight of the fluid: curl of f g gives
 *
 *   dI/dt = g integral f,   dA/dt = integral f x cross g,   f = ln(rho / rho0)
 *
 * (f = rho' / rho0 by Boussinesq), and what fluid that expands or shrinks gives
 * (conservation/swelling_impulse.h). On a grid, with a bound on stretching, with cleaning and
 * exchange, each substep misses that a little, which adds up: a ring that travels loses impulse and
 * speed, and a sum of strengths is a flow that nothing drives. Where fluid that differs in density
 * fills a container the sum does change: a tilted surface between two walls turns the fluid, and
 * its vortex lines end at the walls. */
#include "conservation/impulse_correction.h"

#include "conservation/body_forces.h"
#include "state/predicates.h"

/* Largest mean relative change of the strengths by which all sums are restored, over the strain of
 * the substep: the largest velocity gradient times the time. Beyond, the grid does not resolve the
 * flow, or vortons come closer to panels than these are wide: the impulse would not come back to
 * the vortons that lost it, but as noise. Then the sum of the strengths alone is restored. With a
 * tenth of this rings and drops that a flow pulls apart lose impulse (tests/test_balance.py). */
static const double most_change = 3.5e-3;

/* The share of the strength that bodies have shed. Layers around bodies lose impulse at the strain
 * there, and a sharing over all vortons could not give it back to the right ones: of the missing
 * impulse the vortons get the share of the strength that was not shed, and the bodies owe the rest
 * (conservation/body_impulse_budget.h). The sum of the strengths is restored whole until a part of
 * a wake is removed (s->wake_is_cut), then by that share, too: the vortex lines of the rest end,
 * and their sum changes as they are stretched. Restored whole, the sum grew by a half each second
 * in a steady wake whose end was cut off, and bent the wake. */
static double find_shed_share(vt_simulation *s)
{
    if (!s->vortons.set.used[VT_VORTON_panel] || !s->panels.exist)
        return 0;
    const vt_strength_sizes sum = vti_sum_sizes(s);
    return sum.all > 0 ? sum.shed / sum.all : 0;
}

/* Below this share of strength that was not shed, all vortons count as shed. */
static const double least_share = 1e-6;

/* How many of the sums are kept: none, the three of the strengths, or all. The impulse that
 * buoyancy gives is unknown beside bodies without panels, and by the full form wherever there are
 * no bodies with panels: there the sum of the strengths alone is kept. */
static int count_kept(const vt_simulation *s)
{
    if (!vti_has_sums(s))
        return 0;
    const int unknown = vti_is_buoyant(s) && !vti_has_known_flow(s) &&
                        (s->def.method.buoyancy == VT_BUOYANCY_FULL || s->bodies.count > 0);
    return vti_knows_forces(s) && !unknown ? VT_INVARIANTS : 3;
}

/* ---- forces ---- */

static vt_weights weigh(vt_simulation *s, const vt_frame *frame, const vt_fluid *fluid, double dt)
{
    const vt_vortons *const v = &s->vortons;
    vt_weight_rows rows = {.position = v->position,
                           .velocity = v->velocity,
                           .volume = v->volume,
                           .density = vti_used_column(&v->set, VT_VORTON_density),
                           .temperature = vti_used_column(&v->set, VT_VORTON_temperature),
                           .age = v->age};
    for (int c = 0; c < 3; c++)
        rows.wind[c] = (float)s->winds.velocity[c];
    const int64_t blocks = (v->set.count + VT_INVARIANT_BLOCK - 1) / VT_INVARIANT_BLOCK;
    const size_t mark = vti_arena_mark(&s->arena);
    vt_weights *const block = vti_arena_push(&s->arena, sizeof *block * (size_t)blocks);
    s->stages->sum_weights(v->set.count, &rows, fluid, frame, dt, block, s->def.threads);
    vt_weights all = {{0}};
    for (int64_t b = 0; b < blocks; b++)
        for (int n = 0; n < 4; n++)
            all.sum[n] += block[b].sum[n];
    vti_arena_pop(&s->arena, mark);
    return all;
}

/* Turns the sums of rho' / rho0 over the vortons into those of ln(rho / rho0), by the density at
 * the nodes, which is smoother than that of the vortons. */
static void add_local(vt_simulation *s, const vt_frame *frame, double rho0, vt_weights *weights)
{
    const vt_grid *const g = &s->grid;
    const int64_t planes = g->cells[2] + 1;
    const size_t mark = vti_arena_mark(&s->arena);
    vt_weights *const plane = vti_arena_push(&s->arena, sizeof *plane * (size_t)planes);
    s->stages->sum_bend(g, rho0, plane, s->def.threads);
    double sum[4] = {0};
    for (int64_t k = 0; k < planes; k++)
        for (int n = 0; n < 4; n++)
            sum[n] += plane[k].sum[n];
    const double h = g->spacing, volume = h * h * h;
    weights->sum[0] += volume * sum[0];
    for (int c = 0; c < 3; c++) {
        const double origin = (double)vti_grid_origin(g, c) - (double)frame->center[c];
        weights->sum[c + 1] += volume * (h * sum[c + 1] + origin * sum[0]) / (double)frame->length;
    }
    vti_arena_pop(&s->arena, mark);
}

/* Adds factor times a linear and an angular impulse, m^4/s and m^5/s, to the sums to be kept. */
static void add_impulse(vt_balance *balance, double factor, const double linear[3],
                        const double angular[3])
{
    const double length = (double)balance->frame.length;
    for (int i = 0; i < 3; i++) { /* x cross alpha = e_ijk x_i alpha_j, twice the impulse */
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        balance->sum[3 + 3 * i + j] += factor * linear[k] / length;
        balance->sum[3 + 3 * j + i] -= factor * linear[k] / length;
    }
    vti_add_scaled(balance->sum + 12, 3 * factor / (length * length), angular);
}

/* Adds the impulse that the weight of the fluid gives in dt, in the frame of the start. */
static void add_weight(vt_simulation *s, double dt, vt_balance *balance)
{
    const vt_fluid fluid = vti_fluid_of(&s->def);
    vt_weights weights = weigh(s, &balance->frame, &fluid, dt);
    if (fluid.local)
        add_local(s, &balance->frame, (double)fluid.density, &weights);
    double linear[3], angular[3], gravity[3];
    for (int c = 0; c < 3; c++) {
        gravity[c] = dt * (double)fluid.gravity[c];
        linear[c] = gravity[c] * weights.sum[0];
    }
    vti_cross(weights.sum + 1, gravity, angular);
    for (int c = 0; c < 3; c++)
        angular[c] *= (double)balance->frame.length;
    add_impulse(balance, 1, linear, angular);
}

/* Adds an impulse that is given, about the origin. */
static void take_given(vt_impulse given, vt_balance *balance)
{
    const float *const center = balance->frame.center;
    const double back[3] = {-(double)center[0], -(double)center[1], -(double)center[2]};
    vti_move_moment(&given, back);
    add_impulse(balance, 1, given.linear, given.angular);
}

/* Adds what density differences give in dt. */
static void add_buoyant(vt_simulation *s, double dt, vt_balance *balance)
{
    double before[VT_INVARIANTS];
    memcpy(before, balance->sum, sizeof before);
    if (balance->buoyant)
        take_given(*balance->buoyant, balance);
    else
        add_weight(s, dt, balance);
    for (int n = 0; n < VT_INVARIANTS; n++)
        balance->weight[n] = balance->sum[n] - before[n];
}

/* Takes from the vortons the impulse that the flow gives to bodies (conservation/body_forces.h), in
 * the frame of the start. */
static void take_forces(const vt_simulation *s, double dt, vt_balance *balance)
{
    const float *const center = balance->frame.center;
    const double about[3] = {(double)center[0], (double)center[1], (double)center[2]};
    const vt_impulse pull = vti_sum_body_forces(s, dt, about);
    add_impulse(balance, -1, pull.linear, pull.angular);
}

/* ---- what is missing ---- */

/* Strength that cleaning takes from vortex lines that end in the fluid is gone: given back, it
 * would be heaped on the strongest vortons, and taken from the ends again. Of the sum of such lines
 * the length alone may change, towards 0. */
static void let_ends_wear(vt_balance *balance, const vt_invariants *now)
{
    if (!(balance->closed < 1))
        return;
    const double square = vti_dot(balance->sum, balance->sum);
    const double left = fmin(fmax(vti_dot(now->sum, balance->sum) / square, 0), 1);
    for (int c = 0; c < 3; c++)
        balance->sum[c] *= left;
}

void vti_open_balance(vt_simulation *s, vt_balance *balance)
{
    *balance = (vt_balance){.closed = 1, .kept = count_kept(s)};
    if (!balance->kept)
        return;
    balance->share = 1 - find_shed_share(s);
    if (balance->share < least_share)
        balance->kept = 3;
    balance->frame = vti_frame_of_now(s);
    if (balance->frame.length > 0)
        vti_note_sums(s, balance);
    else
        balance->kept = 0; /* all vortons lie in one point, or the place of one is no number */
}

void vti_close_balance(vt_simulation *s, double dt, const vt_impulse *swelling, vt_balance *balance)
{
    if (!balance->kept)
        return;
    const int all = balance->kept == VT_INVARIANTS;
    if (all && vti_is_buoyant(s))
        add_buoyant(s, dt, balance);
    if (all) {
        take_forces(s, dt, balance);
        take_given(*swelling, balance);
    }
    for (int c = 0; c < 3; c++)
        balance->frame.center[c] += (float)(dt * s->winds.velocity[c]);
    const vt_invariants now = vti_sum_invariants(s, &balance->frame, all ? 4 : 1);
    let_ends_wear(balance, &now);
    if (!(now.moment[0] > 0))
        return;
    vti_share_out(s, most_change * vti_find_largest(&s->extremes).gradient * dt, balance, &now);
    s->unbalanced += all && !balance->restored;
}
