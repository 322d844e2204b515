/* Rigid bodies in fluid (part 9; Kirchhoff's equations: Lamb, Hydrodynamics, 1932, chapter VI).
 * With M the inertia of body and added mass together, in the world, and (P, L) = M (v, omega):
 *
 *   dP/dt = F,   dL/dt = T - v x P,   dx/dt = v,   dR/dt = omega x R
 *
 * A part of a substep is half a kick by F and T, free motion, the other half. Free motion keeps P
 * and L + x x P; velocities are those of the pose half-way (midpoint rule, by iteration): it is
 * reversible and of second order, so that energy does not drift and spin stays stable. */
#include "bodies/rigid_motion.h"

#include "bodies/body_buoyancy.h"
#include "contact/sequential_impulses.h"
#include "state/body_mass.h"
#include "state/rigid_body.h"
#include "state/rigid_inertia.h"
#include "state/simulation.h"
#include "state/wind_at_time.h"

enum { MOST_PARTS = 1024, ITERATIONS = 12 };

/* A body moves in parts of a step no longer than this, s, and turns no farther in one, radians.
 * With four times as much of both a ball of restitution .9 bounces up to 1.265 m and not to 1.215,
 * what rolls is 2 % too fast, and bodies that meet part wrongly (tests/test_rigid_contact.py). */
static const double longest_part = 1.0 / 240, part_turn = 0.1;

double vti_body_rate(const vt_simulation *s)
{
    double rate = 0;
    for (int32_t n = 0; n < s->bodies.count; n++) {
        const vt_rigid *const r = &s->bodies.items[n].rigid;
        if (r->placed)
            rate = fmax(rate, vti_sqrt(vti_dot(r->angular, r->angular)));
    }
    return rate;
}

/* ---- free motion ---- */

static void turn_by(double rotation[4], const double angular[3], double dt)
{
    const double by[3] = {dt * angular[0], dt * angular[1], dt * angular[2]};
    vti_turn(rotation, by);
}

static void drift_uniformly(vt_rigid *r, double dt)
{
    vti_add_scaled(r->now.position, dt, r->velocity);
    turn_by(r->now.rotation, r->angular, dt);
}

/* Velocities at momenta about the centre, for a body turned so. */
static void find_velocities(const vt_body *body, const double rotation[4], const double momentum[6],
                            double velocity[6])
{
    double inertia[6][6];
    vti_inertia_of(body, rotation, body->rigid.driven_density, inertia);
    vti_solve_inertia((const double (*)[6])inertia, momentum, velocity);
}

/* Momenta after `dt` at this velocity: the angular one is about the centre, which moves. */
static void carry_momenta(const double from[6], const double velocity[6], double dt, double to[6])
{
    double moment[3];
    memcpy(to, from, 6 * sizeof *to);
    vti_cross(velocity, from, moment);
    vti_add_scaled(to + 3, -dt, moment);
}

static void move_freely(vt_body *body, double dt)
{
    vt_rigid *const r = &body->rigid;
    double start[6], half_way[6], velocity[6], rotation[4];
    vti_find_momentum(body, r->driven_density, start);
    memcpy(velocity, r->velocity, sizeof r->velocity);
    memcpy(velocity + 3, r->angular, sizeof r->angular);
    for (int n = 0; n < ITERATIONS; n++) {
        memcpy(rotation, r->now.rotation, sizeof rotation);
        turn_by(rotation, velocity + 3, 0.5 * dt);
        carry_momenta(start, velocity, 0.5 * dt, half_way);
        find_velocities(body, rotation, half_way, velocity);
    }
    memcpy(r->velocity, velocity, sizeof r->velocity);
    memcpy(r->angular, velocity + 3, sizeof r->angular);
    drift_uniformly(r, dt);
    vti_add_scaled(r->turned, dt, r->angular);
    carry_momenta(start, velocity, dt, half_way);
    find_velocities(body, r->now.rotation, half_way, velocity);
    memcpy(r->velocity, velocity, sizeof r->velocity);
    memcpy(r->angular, velocity + 3, sizeof r->angular);
}

/* ---- forces ---- */

static void record(vt_impulse *received, const double impulse[6])
{
    vti_add_scaled(received->linear, 1, impulse);
    vti_add_scaled(received->angular, 1, impulse + 3);
}

static void add(double sum[6], double factor, const double more[6])
{
    for (int c = 0; c < 6; c++)
        sum[c] += factor * more[c];
}

/* Weight and buoyancy over dt, of the body where it is now. What the ambient fluid does to it when
 * a container takes both along comes from the flow, but not what differs from that fluid. */
static void find_weight(const vt_simulation *s, const vt_body *body, const vt_surroundings *around,
                        double dt, double impulse[6])
{
    const vt_body_buoyancy displaced = vti_find_body_buoyancy(s, body, around);
    const double *const carried = s->carried.acceleration;
    double moment[3], more[3];
    vti_cross(s->def.gravity, displaced.moment, moment);
    vti_cross(displaced.more_moment, carried, more);
    for (int c = 0; c < 3; c++) {
        impulse[c] = dt * (body->rigid.mass - displaced.mass) * s->def.gravity[c] +
                     dt * displaced.more * carried[c];
        impulse[c + 3] = dt * (moment[c] + more[c]);
    }
}

/* Half of what weight, buoyancy and force give in a time. */
static void half_kick(const vt_simulation *s, vt_body *body, const vt_surroundings *around,
                      double from, double to)
{
    vt_rigid *const r = &body->rigid;
    double impulse[6], force[6];
    find_weight(s, body, around, 0.5 * (to - from), impulse);
    record(&r->from_weight, impulse);
    vti_integrate_force(r, from, to, force);
    add(impulse, 0.5, force);
    add(r->given, 1, impulse);
    vti_kick_body(body, impulse, NULL);
}

/* Damps the motion of the body relative to the fluid, body and added mass together. */
static void damp(vt_body *body, const double wind[3], double dt)
{
    vt_rigid *const r = &body->rigid;
    const double left = vti_exp(-r->damping * dt);
    for (int c = 0; c < 3 && r->damping > 0; c++) {
        r->velocity[c] = wind[c] + left * (r->velocity[c] - wind[c]);
        r->angular[c] *= left;
    }
}

/* ---- the substep ---- */

static void begin(const vt_simulation *s, vt_body *body, const vt_surroundings *around, double to)
{
    vt_rigid *const r = &body->rigid;
    r->before = r->now;
    r->from = s->time;
    r->to = to;
    memset(r->turned, 0, sizeof r->turned);
    memset(r->given, 0, sizeof r->given);
    if (r->mass > 0) {
        const double scale = body->scale;
        r->fluid_density = vti_find_body_buoyancy(s, body, around).mass /
                           (scale * scale * scale * body->bulk.volume);
        const vt_fluid fluid = vti_fluid_of(&s->def);
        r->driven_density =
            fluid.local ? r->fluid_density : vti_ambient_density(&fluid, r->now.position);
        vti_find_momentum(body, 0, r->own);
    }
}

static void move_free_body(vt_body *body, double dt)
{
    const vt_rigid *const r = &body->rigid;
    const double turns = vti_sqrt(vti_dot(r->angular, r->angular)) * dt / part_turn;
    const int32_t parts = (int32_t)fmin(fmax(1, ceil(turns)), MOST_PARTS);
    for (int32_t n = 0; n < parts; n++)
        move_freely(body, dt / parts);
}

/* Moves a body on keys to its place, and notes the impulse that it would receive. */
static void lead_body(const vt_simulation *s, vt_body *body, const vt_surroundings *around,
                      double dt)
{
    vt_rigid *const r = &body->rigid;
    drift_uniformly(r, dt);
    vti_add_scaled(r->turned, dt, r->angular);
    if (r->mass > 0) {
        double weight[6];
        find_weight(s, body, around, dt, weight);
        record(&r->from_weight, weight);
    }
}

static int32_t count_parts(const vt_simulation *s, double dt)
{
    for (int32_t n = 0; n < s->bodies.count; n++)
        if (s->bodies.items[n].rigid.free)
            return (int32_t)fmax(1, ceil(dt / longest_part - 1e-9));
    return 1;
}

static void kick_all(vt_simulation *s, const vt_surroundings *around, double from, double to)
{
    for (int32_t n = 0; n < s->bodies.count; n++)
        if (s->bodies.items[n].rigid.free)
            half_kick(s, &s->bodies.items[n], &around[n], from, to);
}

static void move_part(vt_simulation *s, const vt_surroundings *around, double from, double to)
{
    const size_t mark = vti_arena_mark(&s->arena);
    vt_collisions collisions;
    double wind[3];
    vti_integrate_winds(s, from, to, wind);
    for (int c = 0; c < 3; c++)
        wind[c] /= to - from;
    kick_all(s, around, from, to);
    vti_collide(s, from, to - from, &collisions);
    for (int32_t n = 0; n < s->bodies.count; n++) {
        vt_body *const body = &s->bodies.items[n];
        if (body->rigid.free) {
            damp(body, wind, 0.5 * (to - from));
            move_free_body(body, to - from);
            damp(body, wind, 0.5 * (to - from));
        } else if (body->rigid.placed)
            lead_body(s, body, &around[n], to - from);
    }
    kick_all(s, around, from, to);
    vti_settle(s, to, to - from, &collisions);
    vti_arena_pop(&s->arena, mark);
}

void vti_move_bodies(vt_simulation *s, int has_field, double dt)
{
    const int32_t parts = count_parts(s, dt);
    if (s->bodies.count == 0)
        return;
    const size_t mark = vti_arena_mark(&s->arena);
    const vt_surroundings *const around = vti_look_around(s, has_field, dt);
    for (int32_t n = 0; n < s->bodies.count; n++)
        if (s->bodies.items[n].rigid.placed)
            begin(s, &s->bodies.items[n], &around[n], s->time + dt);
    for (int32_t p = 0; p < parts; p++)
        move_part(s, around, s->time + dt * p / parts, s->time + dt * (p + 1) / parts);
    for (int32_t n = 0; n < s->bodies.count; n++)
        for (int c = 0; c < 3; c++)
            s->bodies.items[n].rigid.turned[c] /= dt;
    vti_arena_pop(&s->arena, mark);
}

void vti_push_body(vt_simulation *s, int32_t n, const double impulse[3],
                   const double angular_impulse[3])
{
    vt_rigid *const r = &s->bodies.items[n].rigid;
    vti_add_scaled(r->pushed, 1, impulse);
    vti_add_scaled(r->pushed + 3, 1, angular_impulse);
}

/* A couple, N m s, that the body takes with the next from the flow. */
static void owe_couple(const vt_simulation *s, vt_body *body, const double couple[3])
{
    const vt_fluid fluid = vti_fluid_of(&s->def);
    if (body->flow.known == VT_FLOW_KNOWN)
        vti_add_scaled(body->flow.owed.angular, -1 / vti_ambient_density(&fluid, body->flow.center),
                       couple);
    else
        vti_add_scaled(body->rigid.pushed + 3, 1, couple);
}

/* What has changed the momentum of the body itself, and was not given to it, came from the flow. */
static void finish_free_body(const vt_simulation *s, vt_body *body)
{
    vt_rigid *const r = &body->rigid;
    double own[6], way[3], moment[3];
    /* where it was pushed it has left: what that lacks of the angular momentum about a point of the
     * fluid is a couple, which the flow still owes */
    vti_integrate_winds(s, r->from, r->to, way);
    for (int c = 0; c < 3; c++)
        way[c] += r->before.position[c] - r->now.position[c];
    vti_cross(way, r->pushed, moment);
    owe_couple(s, body, moment);
    vti_kick_body(body, r->pushed, NULL);
    vti_kick_body(body, r->hit, NULL);
    vti_find_momentum(body, 0, own);
    add(own, -1, r->own);
    add(own, -1, r->given);
    record(&r->from_flow, own);
}

void vti_finish_bodies(vt_simulation *s)
{
    for (int32_t n = 0; n < s->bodies.count; n++) {
        vt_rigid *const r = &s->bodies.items[n].rigid;
        if (r->free) {
            finish_free_body(s, &s->bodies.items[n]);
        } else {
            record(&r->from_flow, r->pushed);
            record(&r->from_flow, r->hit);
        }
        memset(r->pushed, 0, sizeof r->pushed);
        memset(r->hit, 0, sizeof r->hit);
        r->to = r->from; /* the body has arrived, even where the time of the step is rounded down */
    }
}
