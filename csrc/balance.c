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
 * (f = rho' / rho0 by Boussinesq). On a grid, with a bound on stretching, with cleaning and
 * exchange, each substep misses that a little, which adds up: a ring that travels loses impulse and
 * speed, and a sum of strengths is a flow that nothing drives. Where fluid that differs in density
 * fills a container the sum does change: a tilted surface between two walls turns the fluid, and
 * its vortex lines end at the walls. */
#include "balance.h"

#include <float.h>
#include <math.h>

#include "body_flow.h"
#include "changes.h"
#include "core/mathd.h"
#include "core/parallel.h"
#include "core/vec3.h"
#include "field.h"
#include "potential.h"
#include "reaction.h"

/* Beyond this a share cannot be multiplied in single precision. */
static const double most_share = 1e30;

/* Of the mean relative change of the strengths, over the strain in which they change: the largest
 * velocity gradient times the time. Beyond, the grid does not resolve the flow, or vortons come
 * closer to panels than these are wide: what is lost then does not come back to where it was lost,
 * but as noise. */
static const double most_change = 3.5e-3;

/* The same where vortons merge, with no time passing. */
static const double most_merged = 0.1;

/* Of the sum of |alpha|: where the sum of the strengths is larger, vortex lines end in the fluid.
 */
static const double open_share = 0.05;

/* Times the rms of |alpha|: vortons that are stronger weigh no more, others by their square. */
static const double cap_of_weight = 3;

enum { SIZE_BLOCK = 8192 };

/* Sums of |alpha|. */
typedef struct sizes {
    double all, shed; /* shed: of vortons that bodies have shed */
} sizes;

typedef struct size_job {
    const vt_vortons *vortons;
    sizes *block;
    int shed; /* whether there may be any */
} size_job;

static void sum_block(void *data, int64_t begin, int64_t end, int thread)
{
    (void)thread;
    const size_job *const job = data;
    const vt_vortons *const v = job->vortons;
    sizes sum = {0, 0};
    for (int64_t i = begin; i < end; i++) {
        const double a[3] = {v->strength[3 * i], v->strength[3 * i + 1], v->strength[3 * i + 2]};
        const double size = vt_sqrt(vt_dot(a, a));
        sum.all += size;
        sum.shed += job->shed && v->panel[i] != 0 ? size : 0;
    }
    job->block[begin / SIZE_BLOCK] = sum;
}

static sizes sum_sizes(vt_simulation *s)
{
    const int64_t count = s->vortons.set.count, blocks = (count + SIZE_BLOCK - 1) / SIZE_BLOCK;
    const size_t mark = vt_arena_mark(&s->arena);
    size_job job = {&s->vortons, vt_arena_push(&s->arena, sizeof(sizes) * (size_t)blocks),
                    s->vortons.set.used[VT_VORTON_panel]};
    vt_parallel_for(s->def.threads, count, SIZE_BLOCK, sum_block, &job);
    sizes sum = {0, 0};
    for (int64_t b = 0; b < blocks; b++) {
        sum.all += job.block[b].all;
        sum.shed += job.block[b].shed;
    }
    vt_arena_pop(&s->arena, mark);
    return sum;
}

/* The share of the strength that bodies have shed. What layers around bodies lose, at the strain
 * there, a sharing over all vortons could not give back to the right ones. Their sum does get it
 * back, until a part of a wake is removed: the vortex lines of the rest end, and their sum changes
 * as they are stretched. Kept where it was, it grew by a half each second in a steady wake whose
 * end was cut off, and bent it. */
static double find_shed_share(vt_simulation *s)
{
    if (!s->vortons.set.used[VT_VORTON_panel] || !s->panels.exist)
        return 0;
    const sizes sum = sum_sizes(s);
    return sum.all > 0 ? sum.shed / sum.all : 0;
}

/* What planes give the flow is in no books. */
static int has_plane(const vt_simulation *s)
{
    for (int32_t n = 0; n < s->bodies.count && s->panels.exist; n++)
        if (s->bodies.items[n].panels && s->bodies.items[n].panels->open)
            return 1;
    return 0;
}

/* Whether the sums have a meaning: without winds that turn fluid, and walls on which it turns. */
static int has_sums(const vt_simulation *s)
{
    return s->def.method.balance != VT_BALANCE_NONE && s->winds.grid_count == 0 &&
           !(vt_has_container(&s->bodies) && vt_is_buoyant(s));
}

/* Sources in a flow are pulled at, and pull back. */
static int knows_forces(const vt_simulation *s)
{
    const vt_method *const m = &s->def.method;
    return m->balance == VT_BALANCE_IMPULSE && m->stretching != VT_STRETCHING_NONE &&
           m->boundary != VT_BOUNDARY_ZERO && !vt_has_charges(s) && !vt_has_container(&s->bodies) &&
           !has_plane(s);
}

int vt_keeps_impulse(const vt_simulation *s)
{
    return has_sums(s) && knows_forces(s) && !(vt_is_buoyant(s) && !vt_has_known_flow(s));
}

/* Below this the vortons are all shed. */
static const double least_share = 1e-6;

/* How many of the sums are kept. */
static int count_kept(const vt_simulation *s)
{
    if (!has_sums(s))
        return 0;
    const int unknown = vt_is_buoyant(s) && !vt_has_known_flow(s) &&
                        (s->def.method.buoyancy == VT_BUOYANCY_FULL || s->bodies.count > 0);
    return knows_forces(s) && !unknown ? VT_INVARIANTS : 3;
}

static vt_invariants sum_all(vt_simulation *s, const vt_frame *frame, int degree)
{
    const vt_vortons *const v = &s->vortons;
    const int64_t count = v->set.count;
    const int64_t blocks = (count + VT_INVARIANT_BLOCK - 1) / VT_INVARIANT_BLOCK;
    const size_t mark = vt_arena_mark(&s->arena);
    vt_invariants *const block = vt_arena_push(&s->arena, sizeof *block * (size_t)blocks);
    s->stages->sum_invariants(count, v->position, v->strength, frame, degree, block,
                              s->def.threads);
    vt_invariants all = {{0}, {0}};
    for (int64_t b = 0; b < blocks; b++) {
        for (int n = 0; n < VT_INVARIANTS; n++)
            all.sum[n] += block[b].sum[n];
        for (int n = 0; n < VT_MONOMIALS && degree > 0; n++)
            all.moment[n] += block[b].moment[n];
    }
    vt_arena_pop(&s->arena, mark);
    return all;
}

static vt_frame frame_of_grid(const vt_grid *grid)
{
    vt_frame frame = {.cap = FLT_MAX};
    for (int c = 0; c < 3; c++) {
        const double half = grid->spacing * grid->cells[c] / 2;
        frame.center[c] = (float)((double)vt_grid_origin(grid, c) + half);
        frame.length = fmaxf(frame.length, (float)half);
    }
    return frame;
}

static vt_frame frame_of_content(const vt_content *content)
{
    vt_frame frame = {.cap = FLT_MAX};
    for (int c = 0; c < 3; c++) {
        frame.center[c] = (float)((content->least[c] + content->most[c]) / 2);
        frame.length = fmaxf(frame.length, (float)(content->most[c] - content->least[c]) / 2);
    }
    return frame;
}

/* Without a grid it lies around the vortons. */
static vt_frame frame_of_now(vt_simulation *s)
{
    vt_content content;
    if (vt_has_grid(s))
        return frame_of_grid(&s->grid);
    if (vt_find_content(s, NULL, &content)) /* nothing, where one is not finite: see vt_step */
        return (vt_frame){.cap = FLT_MAX};
    return frame_of_content(&content);
}

/* From the sums so far: the cap of the weights, and where all sums are kept to the mean place of
 * the strengths, weighted by their squares (the sum alone is the same anywhere, and stays in the
 * middle of the grid). Angular impulse about another point means another condition where vortex
 * lines are torn: one that does not depend on where the grid lies is wanted. */
static void settle_frame(const vt_simulation *s, int kept, const vt_invariants *all,
                         vt_frame *frame)
{
    const double square = all->moment[0];
    for (int c = 0; c < 3 && square > 0 && kept == VT_INVARIANTS; c++)
        frame->center[c] += frame->length * (float)(all->moment[c + 1] / square);
    if (square > 0)
        frame->cap = (float)(cap_of_weight * cap_of_weight * square / (double)s->vortons.set.count);
}

/* ---- forces ---- */

static vt_weights weigh(vt_simulation *s, const vt_frame *frame, const vt_fluid *fluid, double dt)
{
    const vt_vortons *const v = &s->vortons;
    vt_weight_rows rows = {.position = v->position,
                           .velocity = v->velocity,
                           .volume = v->volume,
                           .density = vt_used_column(&v->set, VT_VORTON_density),
                           .temperature = vt_used_column(&v->set, VT_VORTON_temperature),
                           .age = v->age};
    for (int c = 0; c < 3; c++)
        rows.wind[c] = (float)s->winds.velocity[c];
    const int64_t blocks = (v->set.count + VT_INVARIANT_BLOCK - 1) / VT_INVARIANT_BLOCK;
    const size_t mark = vt_arena_mark(&s->arena);
    vt_weights *const block = vt_arena_push(&s->arena, sizeof *block * (size_t)blocks);
    s->stages->sum_weights(v->set.count, &rows, fluid, frame, dt, block, s->def.threads);
    vt_weights all = {{0}};
    for (int64_t b = 0; b < blocks; b++)
        for (int n = 0; n < 4; n++)
            all.sum[n] += block[b].sum[n];
    vt_arena_pop(&s->arena, mark);
    return all;
}

/* From rho' / rho0 of the vortons to ln(rho / rho0): by what the nodes know of the density, which
 * is smoother than that of the vortons. */
static void add_local(vt_simulation *s, const vt_frame *frame, double rho0, vt_weights *weights)
{
    const vt_grid *const g = &s->grid;
    const int64_t planes = g->cells[2] + 1;
    const size_t mark = vt_arena_mark(&s->arena);
    vt_weights *const plane = vt_arena_push(&s->arena, sizeof *plane * (size_t)planes);
    s->stages->sum_bend(g, rho0, plane, s->def.threads);
    double sum[4] = {0};
    for (int64_t k = 0; k < planes; k++)
        for (int n = 0; n < 4; n++)
            sum[n] += plane[k].sum[n];
    const double h = g->spacing, volume = h * h * h;
    weights->sum[0] += volume * sum[0];
    for (int c = 0; c < 3; c++) {
        const double origin = (double)vt_grid_origin(g, c) - (double)frame->center[c];
        weights->sum[c + 1] += volume * (h * sum[c + 1] + origin * sum[0]) / (double)frame->length;
    }
    vt_arena_pop(&s->arena, mark);
}

/* factor times what gives linear and angular impulse to the vortons, m^4/s and m^5/s. */
static void add_impulse(vt_balance *balance, double factor, const double linear[3],
                        const double angular[3])
{
    const double length = (double)balance->frame.length;
    for (int i = 0; i < 3; i++) { /* x cross alpha = e_ijk x_i alpha_j, twice the impulse */
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        balance->sum[3 + 3 * i + j] += factor * linear[k] / length;
        balance->sum[3 + 3 * j + i] -= factor * linear[k] / length;
    }
    vt_add_scaled(balance->sum + 12, 3 * factor / (length * length), angular);
}

/* What the weight of the fluid gives to the sums in dt; the frame is that of the start. */
static void add_weight(vt_simulation *s, double dt, vt_balance *balance)
{
    const vt_fluid fluid = vt_fluid_of(&s->def);
    vt_weights weights = weigh(s, &balance->frame, &fluid, dt);
    if (fluid.local)
        add_local(s, &balance->frame, (double)fluid.density, &weights);
    double linear[3], angular[3], gravity[3];
    for (int c = 0; c < 3; c++) {
        gravity[c] = dt * (double)fluid.gravity[c];
        linear[c] = gravity[c] * weights.sum[0];
    }
    vt_cross(weights.sum + 1, gravity, angular);
    for (int c = 0; c < 3; c++)
        angular[c] *= (double)balance->frame.length;
    add_impulse(balance, 1, linear, angular);
}

/* Beside bodies, whose own fluid nobody knows: what has been generated. */
static void take_buoyant(vt_balance *balance)
{
    vt_impulse given = *balance->buoyant;
    double back[3];
    for (int c = 0; c < 3; c++)
        back[c] = -(double)balance->frame.center[c];
    vt_move_moment(&given, back);
    add_impulse(balance, 1, given.linear, given.angular);
}

/* What pulls at bodies is taken from the vortons (body_flow.h); the frame is that of the start. */
static void take_pulls(const vt_simulation *s, double dt, vt_balance *balance)
{
    double about[3];
    for (int c = 0; c < 3; c++)
        about[c] = (double)balance->frame.center[c];
    const vt_impulse pull = vt_sum_body_pulls(s, dt, about);
    add_impulse(balance, -1, pull.linear, pull.angular);
}

/* ---- what is missing ---- */

/* Whether the strengths change by less than that in the mean: x . missing is the sum of the squares
 * of relative changes, a little less of strong vortons. */
static int is_moderate(const vt_simulation *s, double most, int count,
                       const double x[VT_INVARIANTS], const double missing[VT_INVARIANTS])
{
    double squares = 0;
    for (int n = 0; n < count; n++)
        squares += x[n] * missing[n];
    return squares < most * most * (double)s->vortons.set.count; /* nor NaN */
}

/* What cleaning takes from vortex lines that end in the fluid is gone: given back, it would be
 * heaped on the strongest vortons, and taken from the ends again. Of their sum only the length may
 * change, towards nothing. */
static void let_ends_wear(vt_balance *balance, const vt_invariants *now)
{
    if (!(balance->closed < 1))
        return;
    const double square = vt_dot(balance->sum, balance->sum);
    const double left = fmin(fmax(vt_dot(now->sum, balance->sum) / square, 0), 1);
    for (int c = 0; c < 3; c++)
        balance->sum[c] *= left;
}

static void share_out(vt_simulation *s, double most, vt_balance *balance, const vt_invariants *now)
{
    double missing[VT_INVARIANTS], x[VT_INVARIANTS];
    float share[VT_INVARIANTS] = {0};
    for (int m = 0; m < balance->kept; m++) {
        const double part = m < 3 && !s->wake_is_cut ? 1 : balance->share;
        missing[m] = (balance->sum[m] - now->sum[m]) * part;
    }
    vt_find_changes(balance->kept, now->moment, missing, x);
    balance->restored = is_moderate(s, most, balance->kept, x, missing);
    if (!balance->restored)
        for (int n = 0; n < balance->kept; n++)
            x[n] = n < 3 ? missing[n] / now->moment[0] : 0;
    for (int n = 0; n < balance->kept; n++) {
        if (!(fabs(x[n]) < most_share))
            return;
        share[n] = (float)x[n];
    }
    s->stages->share_invariants(s->vortons.set.count, s->vortons.position, s->vortons.strength,
                                &balance->frame, share, s->def.threads);
}

/* How much of the strength is that of closed vortex lines, whose sum is nothing: 1 unless the sum
 * is large. The lines of vortons may go on in bodies. */
static double find_closed(vt_simulation *s, const vt_invariants *now)
{
    const double square = vt_dot(now->sum, now->sum);
    if (s->panels.exist || !(square > open_share * open_share * now->moment[0]))
        return 1; /* the sum of |alpha| is not below the root of that of their squares */
    const double share = vt_sqrt(square) / sum_sizes(s).all;
    return fmin((1 - fmin(share, 1)) / (1 - open_share), 1);
}

static void note_sums(vt_simulation *s, vt_balance *balance)
{
    vt_invariants now = sum_all(s, &balance->frame, 1);
    balance->closed = find_closed(s, &now);
    settle_frame(s, balance->kept, &now, &balance->frame);
    if (balance->kept == VT_INVARIANTS)
        now = sum_all(s, &balance->frame, 0);
    for (int n = 0; n < VT_INVARIANTS; n++)
        balance->sum[n] = now.sum[n];
}

void vt_open_balance(vt_simulation *s, const vt_impulse *buoyant, vt_balance *balance)
{
    *balance = (vt_balance){.closed = 1, .kept = count_kept(s), .buoyant = buoyant};
    if (!balance->kept)
        return;
    balance->share = 1 - find_shed_share(s);
    if (balance->share < least_share)
        balance->kept = 3;
    balance->frame = frame_of_now(s);
    if (balance->frame.length > 0)
        note_sums(s, balance);
    else
        balance->kept = 0; /* they all lie in one point, or one of them is nowhere */
}

void vt_close_balance(vt_simulation *s, double dt, vt_balance *balance)
{
    if (!balance->kept)
        return;
    const int all = balance->kept == VT_INVARIANTS;
    if (all && balance->buoyant)
        take_buoyant(balance);
    else if (all && vt_is_buoyant(s))
        add_weight(s, dt, balance);
    if (all)
        take_pulls(s, dt, balance);
    for (int c = 0; c < 3; c++)
        balance->frame.center[c] += (float)(dt * s->winds.velocity[c]);
    const vt_invariants now = sum_all(s, &balance->frame, all ? 4 : 1);
    let_ends_wear(balance, &now);
    if (now.moment[0] > 0)
        share_out(s, most_change * vt_find_largest(&s->extremes).gradient * dt, balance, &now);
}

void vt_open_sums(vt_simulation *s, const vt_content *content, vt_balance *balance)
{
    *balance = (vt_balance){.share = 1, .frame = frame_of_content(content)};
    balance->kept = balance->frame.length > 0 ? VT_INVARIANTS : 0;
    if (balance->kept)
        note_sums(s, balance);
}

void vt_close_sums(vt_simulation *s, vt_balance *balance)
{
    if (!balance->kept)
        return;
    const vt_invariants now = sum_all(s, &balance->frame, 4);
    if (now.moment[0] > 0)
        share_out(s, most_merged, balance, &now);
}
