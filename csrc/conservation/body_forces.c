#include "conservation/body_forces.h"

#include "bodies/rigid_motion.h"
#include "panels/body_vorticity.h"
#include "panels/panels.h"
#include "panels/source_densities.h"
#include "state/predicates.h"
#include "state/rigid_body.h"
#include "state/rigid_inertia.h"
#include "state/wind_at_time.h"

/* ---- at the surface ---- */

typedef struct surface {
    const vt_paneled_body *body;
    const vt_panels *panels;
    const float *velocity; /* of the fluid at the panels, count x 3, in the world, m/s */
    double volume;         /* volume of the body, m^3 */
} surface;

/* The impulse of the flow that a body makes by its motion, about its centre: added mass times
 * velocity, in the axes of the body. */
static vt_impulse impulse_of(const vt_body *body, const vt_pose *pose, const double velocity[3],
                             const double angular[3])
{
    double motion[6], own[6] = {0};
    vti_pose_direction_back(pose, velocity, motion);
    vti_pose_direction_back(pose, angular, motion + 3);
    for (int c = 0; c < 6; c++)
        for (int b = 0; b < 6; b++)
            own[c] += body->rigid.added[c][b] * motion[b];
    vt_impulse world;
    vti_pose_direction(pose, own, world.linear);
    vti_pose_direction(pose, own + 3, world.angular);
    return world;
}

void vti_gain_velocity(vt_body *body, const double gain[3])
{
    const double rest[3] = {0, 0, 0};
    const vt_pose pose = vti_pose_of_place(&body->rigid.now, body->center, body->scale);
    const vt_impulse own = impulse_of(body, &pose, gain, rest);
    vti_add_scaled(body->rigid.velocity, 1, gain);
    vti_add_scaled(body->rigid.own, body->rigid.mass, gain);
    vti_add_scaled(body->flow.wind, 1, gain);
    vti_add_impulse(&body->flow.bound, -1, &own);
}

/* The impulse of the body, about its centre. Its sources sum to nothing, or, joined to others, with
 * those of all of them: the moments of all are about one point. */
static vt_impulse find_bound(const vt_simulation *s, const surface *f)
{
    double velocity[3], sources[3];
    memcpy(sources, f->body->wide_dipole, sizeof sources);
    for (int32_t at = f->body->first; at < f->body->first + f->body->count; at++) {
        const double charge = (double)f->panels->density[at] * (double)f->panels->area[at];
        for (int c = 0; c < 3; c++)
            sources[c] += charge * (f->panels->center[at][c] - f->body->root[c]);
    }
    vti_centre_velocity(f->body, velocity);
    vt_impulse bound = impulse_of(f->body->body, &f->body->pose, velocity, f->body->angular);
    memcpy(bound.linear, sources, sizeof sources);
    vti_add_scaled(bound.linear, -f->volume, velocity);
    vti_add_bound_vorticity(s, f->body, &bound);
    return bound;
}

/* What the flow pulls at a body with, about its centre; passing: velocity at its panels without
 * them, in the frame of the grid. */
static vt_impulse find_acceleration(vt_simulation *s, const vt_paneled_body *b,
                                    const float *passing)
{
    const vt_panels *const panels = &s->panels;
    vt_impulse pull = vti_find_wide_force(s, b);
    for (int32_t p = 0; p < b->count; p++) {
        const int32_t at = b->first + p;
        const double charge = (double)panels->density[at] * (double)panels->area[at];
        double r[3];
        vti_subtract(panels->center[at], b->center, r);
        vti_add_lagally_force(r, charge, passing + 3 * (int64_t)p, &pull);
    }
    vti_add_pull_at_vorticity(s, b, &pull);
    return pull;
}

/* The part of the bound impulse that a free body makes by its own motion in fluid at rest, about
 * its centre. */
static vt_impulse own_impulse(const surface *f)
{
    const vt_body *const body = f->body->body;
    if (!body->rigid.free)
        return (vt_impulse){{0}, {0}};
    return impulse_of(body, &f->body->pose, body->rigid.velocity, body->rigid.angular);
}

static int is_due(const vt_simulation *s, const vt_body *body)
{
    return body->flow.known == VT_FLOW_KNOWN && body->flow.time < s->time;
}

/* How far the body has gone since its `flow` was noted, in fluid at rest, m. */
static void find_arm(const vt_simulation *s, const surface *f, double arm[3])
{
    const vt_flow *const before = &f->body->body->flow;
    double way[3];
    vti_integrate_winds(s, before->time, s->time, way);
    for (int c = 0; c < 3; c++)
        arm[c] = f->body->center[c] - before->center[c] - way[c];
}

/* Moves the ends of vortex lines in a body with it. */
static void take_arm(const vt_simulation *s, const surface *f, double lines[3])
{
    const vt_flow *const before = &f->body->body->flow;
    double arm[3], moment[3][3] = {{0}};
    if (!is_due(s, f->body->body))
        return;
    find_arm(s, f, arm);
    for (int c = 0; c < 3; c++)
        vti_add_scaled(moment[c], -arm[c], f->body->body->shed_strength);
    vti_take_open_lines((const double (*)[3])moment, before->center, lines);
}

/* Moves the moment of own_impulse by an arm in fluid at rest: in a wind that of its motion in the
 * fluid alone. That of the wind itself, which stays, turned free balls by tens of rad/s. */
static void move_own(const surface *f, const double arm[3], vt_impulse *own)
{
    const vt_body *const body = f->body->body;
    double velocity[3], turn[3];
    if (!body->rigid.free)
        return;
    vti_centre_velocity(f->body, velocity);
    const vt_impulse moving = impulse_of(body, &f->body->pose, velocity, body->rigid.angular);
    vti_cross(arm, moving.linear, turn);
    vti_add_scaled(own->angular, 1, turn);
}

/* What the flow has given the body since its `flow` was noted, about its centre then, N s and N m
 * s; own and bound are those of now, pull is the mean since. */
static vt_impulse find_given(const vt_simulation *s, const surface *f, vt_impulse own,
                             vt_impulse bound, const vt_impulse *pull)
{
    const vt_flow *const before = &f->body->body->flow;
    const vt_fluid fluid = vti_fluid_of(&s->def);
    const double density = vti_ambient_density(&fluid, before->center);
    vt_impulse given = before->bound;
    double arm[3];
    find_arm(s, f, arm);
    vti_add_turns(1, arm, f->body->body->shed_strength, &given);
    move_own(f, arm, &own);
    vti_move_moment(&bound, arm);
    vti_add_impulse(&given, 1, &own);
    vti_add_impulse(&given, -1, &bound);
    vti_add_impulse(&given, -1, &before->shed);
    vti_add_impulse(&given, -1, &before->owed);
    vti_add_impulse(&given, s->time - before->time, pull);
    for (int c = 0; c < 3; c++) {
        given.linear[c] += f->volume * (f->panels->wind[c] - before->wind[c]);
        given.linear[c] *= density;
        given.angular[c] *= density;
    }
    return given;
}

/* A body that does not move by itself is held against what the flow gives it (about its centre when
 * its `flow` was noted). */
static void add_support(const vt_body *body, vt_impulse given, vt_impulse *support)
{
    vti_move_moment(&given, body->flow.center);
    vti_add_impulse(support, body->rigid.free ? 0 : -1, &given);
}

/* Velocity of the fluid along the wall at a panel, less that of the wall. */
static void slip_of(const surface *f, int32_t p, double slip[3])
{
    double rigid[3];
    vti_wall_velocity(f->body, f->panels->center[f->body->first + p], rigid);
    for (int c = 0; c < 3; c++)
        slip[c] = (double)f->velocity[3 * p + c] - rigid[c];
}

/* How much the flow loads the body, for its share in what bodies owe: slip^2 over its area; and how
 * often a second it passes what it acts on, the radius of a ball with that area: of a wide wall
 * with a jet on it, that of the jet's. */
static void measure_flow(const surface *f, vt_flow *flow)
{
    double load = 0, fourth = 0;
    for (int32_t p = 0; p < f->body->count; p++) {
        const int32_t at = f->body->first + p;
        double slip[3];
        slip_of(f, p, slip);
        const double square = vti_dot(slip, slip);
        load += (double)f->panels->area[at] * square;
        fourth += (double)f->panels->area[at] * square * square;
    }
    flow->load = load;
    flow->passes = load > 0 ? vti_sqrt(4 * VT_PI / load) * (fourth / load) : 0;
}

/* Inertia of the layer of fluid as wide as a core that a wall takes along as it slips by: of
 * velocity and angular velocity together, in the world. */
static void find_layer(const surface *f, double mass_of_area, double layer[6][6])
{
    memset(layer, 0, 6 * sizeof *layer);
    for (int32_t at = f->body->first; at < f->body->first + f->body->count; at++) {
        const double *const n = f->panels->normal[at];
        const double mass = mass_of_area * (double)f->panels->area[at];
        double r[3], along[6][3]; /* velocity of the wall along itself, for each of both */
        vti_subtract(f->panels->center[at], f->body->center, r);
        for (int i = 0; i < 6; i++) {
            const double unit[3] = {i % 3 == 0, i % 3 == 1, i % 3 == 2};
            memcpy(along[i], unit, sizeof unit);
            if (i >= 3)
                vti_cross(unit, r, along[i]);
            vti_add_scaled(along[i], -vti_dot(along[i], n), n);
        }
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < 6; j++)
                layer[i][j] += mass * vti_dot(along[i], along[j]);
    }
}

/* What the layer, with the inertia of find_layer, has of angular momentum beyond that of going with
 * the wall, about the centre of the body. */
static void sum_spin(const surface *f, double mass_of_area, double spin[3])
{
    memset(spin, 0, 3 * sizeof *spin);
    for (int32_t p = 0; p < f->body->count; p++) {
        const int32_t at = f->body->first + p;
        const double *const n = f->panels->normal[at];
        double r[3], slip[3], turn[3];
        vti_subtract(f->panels->center[at], f->body->center, r);
        slip_of(f, p, slip);
        vti_add_scaled(slip, -vti_dot(slip, n), n);
        vti_cross(r, slip, turn);
        vti_add_scaled(spin, mass_of_area * (double)f->panels->area[at], turn);
    }
}

/* The couple, N m s, by which a wall that sheds at its rate for dt comes to turn with the layer
 * along it: of inertia I and L, that is share (1/I + 1/L)^-1 of the difference in spin, L^-1 spin:
 * (L + I)^-1 I spin. */
static void find_friction(const surface *f, double mass_of_area, const double own[6][6],
                          const double layer[6][6], double dt, double couple[3])
{
    double both[3][3], spin[3], part[3];
    sum_spin(f, mass_of_area, spin);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            both[i][j] = own[i + 3][j + 3] + layer[i + 3][j + 3];
    const double share = 1 - vti_exp(-vti_shedding_rate(f->body->body) * dt);
    memset(couple, 0, 3 * sizeof *couple);
    if (!vti_solve_three((const double (*)[3])both, spin, part))
        return;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            couple[i] += share * own[i + 3][j + 3] * part[j];
}

/* A layer of fluid goes with a body that sheds: of what the flow gives the body takes what its own
 * inertia has of that of both, and keeps the rest for the next substep, when the flow has answered.
 * A light body that took all at once would be faster than the fluid along its wall, and go the
 * other way in the next substep, ever faster. Returns what it keeps, as it is owed. A couple that
 * stays with the layer for tens of substeps would come when the flow has long turned: of what it
 * keeps the eighth power of the share (at most all: a push beside the centre of inertia makes a
 * couple by itself) is lost to the outer impulse: .43 of .9, .004 of a half, so that what floats
 * loses nothing to speak of, and a ball of a tenth of the fluid's density does not swing itself up.
 * By the share itself a box as dense as the fluid would lose a quarter of its couple from a ring
 * that passes it, and friction would turn a ball of thrice the density at 2.3 rad/s there, on any
 * grid, not at .3. In its place friction turns the body with the layer, by the same share: a light
 * one would keep any spin for ever, and drive the fluid by it. */
static vt_impulse keep_share(vt_simulation *s, const surface *f, double density, double dt,
                             vt_impulse *given)
{
    const vt_rigid *const r = &f->body->body->rigid;
    double own[6][6], layer[6][6], both[6][6], whole[6], change[6], kept[6], friction[3];
    vt_impulse owed;
    vti_inertia_of(f->body->body, r->now.rotation, r->driven_density, own);
    find_layer(f, density * s->grid.core, layer);
    find_friction(f, density * s->grid.core, (const double (*)[6])own, (const double (*)[6])layer,
                  dt, friction);
    memcpy(whole, given->linear, sizeof given->linear);
    memcpy(whole + 3, given->angular, sizeof given->angular);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
            both[i][j] = layer[i][j] + own[i][j];
    vti_solve_inertia((const double (*)[6])both, whole, change);
    for (int i = 0; i < 6; i++) {
        kept[i] = whole[i];
        for (int j = 0; j < 6; j++)
            kept[i] -= own[i][j] * change[j];
    }
    const double square = vti_dot(whole + 3, whole + 3);
    const double share = square > 0 ? fmin(vti_dot(kept + 3, kept + 3) / square, 1) : 0;
    const double lost = share * share * share * share;
    for (int c = 0; c < 3; c++) {
        given->linear[c] -= kept[c];
        given->angular[c] += lost * friction[c] - kept[c + 3];
        owed.linear[c] = -kept[c] / density;
        owed.angular[c] = -(1 - lost) * kept[c + 3] / density;
        s->impulses.outer.angular[c] += lost * (friction[c] - kept[c + 3]) / density;
    }
    return owed;
}

/* product = matrix^2 */
static void square(const double (*matrix)[3], double (*product)[3])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            product[i][j] = vti_dot(matrix[i], matrix[j]);
}

/* Mean square of the arms about the centre of the body at which its normals pass it by, as a
 * matrix, of that of its surface, in the world. */
static void find_arms(const surface *f, double arms[3][3])
{
    double sum = 0;
    memset(arms, 0, 3 * sizeof *arms);
    for (int32_t at = f->body->first; at < f->body->first + f->body->count; at++) {
        double point[3], r[3], own[3], normal[3], arm[3];
        vti_pose_point_back(&f->body->pose, f->panels->center[at], point);
        vti_distance_to_body(f->body->body, point, own);
        vti_pose_direction(&f->body->pose, own, normal);
        vti_subtract(f->panels->center[at], f->body->center, r);
        vti_cross(r, normal, arm);
        sum += (double)f->panels->area[at] * vti_dot(r, r);
        for (int i = 0; i < 3; i++)
            vti_add_scaled(arms[i], (double)f->panels->area[at] * arm[i], arm);
    }
    for (int i = 0; i < 3; i++)
        for (int c = 0; c < 3; c++)
            arms[i][c] /= sum;
}

/* Pressure gives a body of revolution no couple about its axis, a sphere none at all: of a body
 * without a layer, what its panels err by there is left. Of arms of this mean square the half, of
 * others by its fourth power: a plate 50 times as wide as thick has .018 about its normal, boxes
 * .1.
 */
static const double least_arm = 0.005;

static void leave_couple(const surface *f, double couple[3])
{
    double arms[3][3], second[3][3], fourth[3][3], left[3] = {0};
    find_arms(f, arms);
    for (int i = 0; i < 3; i++)
        for (int c = 0; c < 3; c++)
            arms[i][c] /= least_arm;
    square((const double (*)[3])arms, second);
    square((const double (*)[3])second, fourth);
    for (int i = 0; i < 3; i++)
        fourth[i][i] += 1;
    (void)vti_solve_three((const double (*)[3])fourth, couple, left);
    vti_subtract(couple, left, couple);
}

/* What a free body takes of the impulse that the flow gives it, N s and N m s; what it keeps for
 * later goes to `owed`, a couple that it never takes, and that of friction, to the outer impulse.
 */
static void take_part(vt_simulation *s, const surface *f, double dt, vt_impulse *given,
                      vt_impulse *owed)
{
    const vt_body *const body = f->body->body;
    const vt_fluid fluid = vti_fluid_of(&s->def);
    const double density = vti_ambient_density(&fluid, f->body->center);
    const double whole[3] = {given->angular[0], given->angular[1], given->angular[2]};
    if (!body->rigid.free)
        return;
    if (vti_sheds(body)) {
        *owed = keep_share(s, f, density, dt, given);
        return;
    }
    leave_couple(f, given->angular);
    for (int c = 0; c < 3; c++)
        s->impulses.outer.angular[c] -= (whole[c] - given->angular[c]) / density;
}

/* Gives the body the impulse since its flow was noted, and notes the flow of now. */
static void give(vt_simulation *s, const surface *f, vt_impulse own, vt_impulse bound,
                 vt_impulse pull)
{
    vt_flow *const before = &s->bodies.items[f->body->number].flow;
    vt_flow now = {.known = VT_FLOW_KNOWN, .time = s->time, .bound = bound, .pull = pull};
    memcpy(now.center, f->body->center, sizeof now.center);
    memcpy(now.wind, f->panels->wind, sizeof now.wind);
    measure_flow(f, &now);
    vti_add_impulse(&now.bound, -1, &own);
    if (is_due(s, f->body->body)) {
        vt_impulse mean = {{0}, {0}};
        double arm[3];
        find_arm(s, f, arm);
        const double back[3] = {-arm[0], -arm[1], -arm[2]};
        vti_move_moment(&pull, arm);
        vti_add_impulse(&mean, 0.5, &pull);
        vti_add_impulse(&mean, 0.5, &before->pull);
        vti_add_impulse(&now.late, s->time - before->time, &mean);
        vti_add_impulse(&now.late, before->time - s->time, &before->pull);
        vti_move_moment(&now.late, back);
        vt_impulse given = find_given(s, f, own, bound, &mean);
        add_support(f->body->body, given, &s->impulses.support);
        vti_move_moment(&given, back);
        take_part(s, f, s->time - before->time, &given, &now.owed);
        vti_push_body(s, f->body->number, given.linear, given.angular);
        take_arm(s, f, s->bodies.open_lines);
    }
    if (before->known == VT_FLOW_BROKEN) { /* the jump has changed the bound impulse, too */
        vt_impulse begun = now.bound;
        vti_move_moment(&begun, now.center);
        vti_add_turns(-1, now.center, f->body->body->shed_strength, &begun);
        vti_add_impulse(&s->impulses.outer, 1, &begun);
    }
    *before = now;
}

static void find_flow(vt_simulation *s, const vt_paneled_body *b)
{
    const size_t mark = vti_arena_mark(&s->arena);
    float *const velocity = vti_arena_push(&s->arena, 12 * (size_t)b->count);
    const surface f = {b, &s->panels, velocity, vti_paneled_volume(b)};
    vti_find_passing_velocity(s, b, VT_APART_AND_IMAGES, velocity);
    const vt_impulse pull = find_acceleration(s, b, velocity);
    give(s, &f, own_impulse(&f), find_bound(s, &f), pull);
    vti_arena_pop(&s->arena, mark);
}

/* The flow does not know of the body from here on: what it has kept it takes now. */
static void end_flow(vt_simulation *s, int32_t n)
{
    vt_body *const body = &s->bodies.items[n];
    const vt_fluid fluid = vti_fluid_of(&s->def);
    if (body->flow.known == VT_FLOW_KNOWN && body->rigid.free) {
        const double density = vti_ambient_density(&fluid, body->flow.center);
        double linear[3] = {0}, angular[3] = {0};
        vti_add_scaled(linear, -density, body->flow.owed.linear);
        vti_add_scaled(angular, -density, body->flow.owed.angular);
        vti_push_body(s, n, linear, angular);
    }
    body->flow.known = VT_FLOW_UNKNOWN;
}

void vti_find_body_flow(vt_simulation *s)
{
    for (int32_t n = 0; n < s->bodies.count; n++) {
        const vt_paneled_body *const b = s->panels.exist ? vti_panels_of(s, n) : NULL;
        if (b && vti_has_books(b))
            find_flow(s, b);
        else
            end_flow(s, n);
    }
}

vt_impulse vti_sum_body_forces(const vt_simulation *s, double dt, const double about[3])
{
    vt_impulse sum = {{0}, {0}};
    for (int32_t n = 0; n < s->bodies.count; n++) {
        const vt_flow *const flow = &s->bodies.items[n].flow;
        vt_impulse lost = flow->late;
        double arm[3];
        vti_subtract(flow->center, about, arm);
        vti_add_impulse(&lost, dt, &flow->pull);
        vti_move_moment(&lost, arm);
        if (flow->known)
            vti_add_impulse(&sum, 1, &lost);
    }
    return sum;
}

/* ---- books ---- */

/* What the flow has still to give to a body: to its momentum, or against what holds it. */
static void add_due(const vt_simulation *s, const surface *f, const vt_impulse *bound,
                    vt_body_books *books)
{
    const vt_body *const body = f->body->body;
    if (!is_due(s, body))
        return;
    vt_impulse given = find_given(s, f, own_impulse(f), *bound, &body->flow.pull);
    add_support(body, given, &books->support);
    vti_move_moment(&given, body->flow.center);
    vti_add_impulse(&books->momentum, body->rigid.free ? 1 : 0, &given);
}

/* Adds the momentum of a free body, about the origin. */
static void add_momentum(const vt_body *body, vt_impulse *momentum)
{
    double own[6];
    vt_impulse of_body;
    if (!body->rigid.free)
        return;
    vti_find_momentum(body, 0, own);
    memcpy(of_body.linear, own, sizeof of_body.linear);
    memcpy(of_body.angular, own + 3, sizeof of_body.angular);
    vti_move_moment(&of_body, body->rigid.now.position);
    vti_add_impulse(momentum, 1, &of_body);
}

/* Impulse of a free body over the ambient density: its own momentum, with what the flow has given
 * it and is still to give in this substep, and that of the fluid that goes with it. */
static vt_impulse sum_free(const vt_simulation *s, const vt_body *body)
{
    const vt_rigid *const r = &body->rigid;
    const vt_fluid fluid = vti_fluid_of(&s->def);
    const vt_pose pose = vti_pose_of_place(&r->now, body->center, body->scale);
    vt_impulse own = impulse_of(body, &pose, r->velocity, r->angular), pushed, sum = {{0}, {0}};
    double pushed_at[3];
    memcpy(pushed.linear, r->pushed, sizeof pushed.linear);
    memcpy(pushed.angular, r->pushed + 3, sizeof pushed.angular);
    vti_integrate_winds(s, r->from, r->to, pushed_at);
    vti_add_scaled(pushed_at, 1, r->before.position);
    vti_move_moment(&pushed, pushed_at);
    vti_move_moment(&own, r->now.position);
    add_momentum(body, &sum);
    vti_add_impulse(&sum, 1, &pushed);
    vti_add_impulse(&own, 1 / vti_ambient_density(&fluid, body->flow.center), &sum);
    return own;
}

vt_impulse vti_sum_noted(const vt_simulation *s, double time)
{
    vt_impulse sum = {{0}, {0}};
    for (int32_t n = 0; n < s->bodies.count; n++) {
        const vt_body *const body = &s->bodies.items[n];
        vt_impulse noted = body->flow.bound;
        if (body->flow.known != VT_FLOW_KNOWN)
            continue;
        vti_add_impulse(&noted, -1, &body->flow.shed);
        vti_add_impulse(&noted, -1, &body->flow.owed);
        vti_add_impulse(&noted, time - body->flow.time, &body->flow.pull);
        vti_move_moment(&noted, body->flow.center);
        vti_add_turns(-1, body->flow.center, body->shed_strength, &noted);
        vti_add_impulse(&sum, 1, &noted);
        if (body->rigid.free) {
            noted = sum_free(s, body);
            vti_add_impulse(&sum, 1, &noted);
        }
    }
    return sum;
}

/* From the centre of the body to the origin, about which vortons and bodies alone have strengths
 * that do not sum to nothing. */
static void move_bound(const vt_paneled_body *b, vt_impulse *bound)
{
    vti_move_moment(bound, b->center);
    vti_add_turns(-1, b->center, b->body->shed_strength, bound);
}

void vti_find_body_books(const vt_simulation *s, vt_body_books *books)
{
    *books = (vt_body_books){.support = s->impulses.support};
    for (int32_t n = 0; n < s->bodies.count; n++)
        add_momentum(&s->bodies.items[n], &books->momentum);
    memcpy(books->open_lines, s->bodies.open_lines, sizeof books->open_lines);
    for (int32_t n = 0; n < s->bodies.count && s->panels.exist; n++) {
        const vt_paneled_body *const b = vti_panels_of(s, n);
        if (!b || !vti_has_books(b))
            continue;
        const surface f = {.body = b, .panels = &s->panels, .volume = vti_paneled_volume(b)};
        vt_impulse own = find_bound(s, &f);
        add_due(s, &f, &own, books);
        move_bound(b, &own);
        take_arm(s, &f, books->open_lines);
        vti_add_impulse(&books->bound, 1, &own);
    }
    vti_add_scaled(books->bound.angular, 1, books->open_lines);
}
