/* Sequential impulses (Catto, Iterative Dynamics with Temporal Coherence, 2005): contact by
 * contact, in a fixed order, again and again, each with an impulse that never pulls and with
 * friction inside of Coulomb's cone, against the inertia of body and added mass. Contacts are known
 * before they happen: two surfaces may approach each other by the gap between them, no faster, so
 * that nothing goes through anything however thin. */
#include "contact/sequential_impulses.h"

#include "base/status.h"
#include "state/rigid_body.h"
#include "state/rigid_inertia.h"
#include "state/simulation.h"

enum { ROUNDS = 24, MOST_TOUCHES = 1 << 16 };

/* What bodies may be deep in each other without being moved apart, in radii; and how much of the
 * rest is taken away each time. */
static const double slop = 2e-4, recovery = 0.2;

/* One direction of a contact: how it looks to both bodies, and what it has done so far. */
typedef struct row {
    double jacobian[2][6], change[2][6]; /* velocities by an impulse of 1 N s */
    double inertia;                      /* inertia of both bodies together along the row, kg */
    double led;                          /* speed along the row that a transform gives them, m/s */
    double impulse;                      /* N s */
} row;

typedef struct contact {
    const vt_body_contact *touch;
    row rows[3];             /* along the normal, and two along the wall */
    double friction, target; /* least speed along the normal afterwards, m/s */
} contact;

/* ---- bodies ---- */

static vt_motion motion_now(const vt_simulation *s, const vt_body *body, double time)
{
    const vt_rigid *const r = &body->rigid;
    vt_motion motion;
    if (!r->placed)
        return vti_body_motion(&s->transforms, body, time);
    memcpy(motion.velocity, r->velocity, sizeof motion.velocity);
    memcpy(motion.angular, r->angular, sizeof motion.angular);
    return motion;
}

/* ---- finding ---- */

/* How fast any two points of both may approach each other, m/s. */
static double approach(const vt_simulation *s, const vt_body *a, const vt_body *b, double time)
{
    const vt_motion m = motion_now(s, b, time);
    double relative[3];
    memcpy(relative, a->rigid.velocity, sizeof relative);
    if (b->rigid.placed)
        vti_add_scaled(relative, -1, m.velocity);
    const double turn_a = vti_sqrt(vti_dot(a->rigid.angular, a->rigid.angular));
    const double turn_b = vti_sqrt(vti_dot(m.angular, m.angular));
    double speed = vti_sqrt(vti_dot(relative, relative)) + turn_a * a->reach;
    if (!b->rigid.placed)
        speed += vti_sqrt(vti_dot(m.velocity, m.velocity));
    return speed + (turn_b > 0 ? turn_b * fmin(b->reach, 1e9) : 0);
}

static int are_apart(const vt_body *a, const vt_body *b, const vt_pose *pose, double margin)
{
    double center[3];
    const double near = a->reach + b->reach + margin;
    if (b->hole || !isfinite(b->reach))
        return 0;
    vti_pose_point(pose, b->center, center);
    return vti_square_between(a->rigid.now.position, center) > near * near;
}

static int is_pair(const vt_simulation *s, int32_t a, int32_t b)
{
    const vt_rigid *const other = &s->bodies.items[b].rigid;
    return s->bodies.items[a].rigid.free && a != b && (b > a || !other->free);
}

static void find_all(vt_simulation *s, double time, double dt, vt_collisions *found)
{
    const int32_t bodies = s->bodies.count;
    vt_pose *const now = vti_arena_push(&s->arena, sizeof *now * (size_t)bodies);
    for (int32_t n = 0; n < bodies; n++)
        now[n] = vti_pose_now(&s->transforms, &s->bodies.items[n], time);
    found->count = 0;
    found->touches = vti_arena_push(&s->arena, sizeof *found->touches * MOST_TOUCHES);
    for (int32_t a = 0; a < bodies; a++)
        for (int32_t b = 0; b < bodies; b++) {
            if (!is_pair(s, a, b))
                continue;
            const vt_body *const own = &s->bodies.items[a], *const other = &s->bodies.items[b];
            const double margin = approach(s, own, other, time) * dt + slop * own->reach;
            if (!are_apart(own, other, &now[b], margin))
                found->count +=
                    vti_find_body_contacts(s, now, a, b, margin, found->touches + found->count,
                                           MOST_TOUCHES - found->count);
        }
}

/* What a body may at first jut out of a container and, since these are pushed apart, into another
 * that moves by itself: in radii. */
static const double most_excess = 0.01, most_overlap = 0.25;

/* How deep a body is in another, or juts out of a container, m. */
static double find_excess(vt_simulation *s, const vt_pose *now, int32_t body, int32_t other)
{
    enum { MOST = 4096 };
    const size_t mark = vti_arena_mark(&s->arena);
    vt_body_contact *const touches = vti_arena_push(&s->arena, sizeof *touches * MOST);
    const int32_t count = vti_find_body_contacts(s, now, body, other, 0, touches, MOST);
    double excess = 0;
    for (int32_t t = 0; t < count; t++)
        excess = fmax(excess, -touches[t].gap);
    vti_arena_pop(&s->arena, mark);
    return excess;
}

/* Looks from one key to the next: as many as the way of the body in the room has radii of it. */
static int32_t count_looks(const vt_simulation *s, const vt_body *body, const vt_body *room,
                           double from, double to)
{
    const double fewest = 16, most = 4096;
    double way[2][3];
    for (int end = 0; end < 2; end++) {
        const vt_pose there = vti_pose_now(&s->transforms, room, end ? to : from);
        double center[3];
        vt_pose own = vti_pose_now(&s->transforms, body, end ? to : from);
        vti_pose_point(&own, body->center, center);
        vti_pose_point_back(&there, center, way[end]);
    }
    const double length = room->scale * vti_sqrt(vti_square_between(way[0], way[1]));
    return (int32_t)fmin(fewest + length / body->reach, most);
}

/* Whether keys lead a body into a container that it starts outside of, one of them or both. */
static int will_enter(const vt_simulation *s, vt_pose *now, int32_t n, int32_t container)
{
    const vt_body *const body = &s->bodies.items[n], *const room = &s->bodies.items[container];
    double from = s->time;
    for (double to = from; to < INFINITY; from = to) {
        to = fmin(vti_next_key(&s->transforms, body->parent, from),
                  vti_next_key(&s->transforms, room->parent, from));
        const int32_t looks = to < INFINITY ? count_looks(s, body, room, from, to) : 0;
        for (int32_t look = 1; look <= looks; look++) {
            const double time = from + (to - from) * look / looks;
            now[n] = vti_pose_now(&s->transforms, body, time);
            now[container] = vti_pose_now(&s->transforms, room, time);
            if (!vti_is_outside(s, now, n, container, most_excess * body->reach))
                return 1;
        }
    }
    return 0;
}

static vt_status check_inside(vt_simulation *s, vt_pose *now, int32_t n, int32_t container)
{
    const vt_body *const body = &s->bodies.items[n];
    const char *const room = s->bodies.items[container].name;
    if (!body->rigid.free && vti_is_outside(s, now, n, container, most_excess * body->reach)) {
        const vt_pose start[2] = {now[n], now[container]};
        const int enters = will_enter(s, now, n, container);
        now[n] = start[0];
        now[container] = start[1];
        return enters
                   ? VT_OK
                   : vti_fail(VT_INVALID_ARGUMENT,
                              "body '%s': it starts outside of container '%s', all of it, and no "
                              "keys lead it in; allowed is a place that is inside in part, "
                              "or keys that do",
                              body->name, room);
    }
    const double excess = body->rigid.free ? find_excess(s, now, n, container) : 0;
    if (excess > most_excess * body->reach)
        return vti_fail(VT_INVALID_ARGUMENT,
                        "body '%s': it starts %g m outside of container '%s'; allowed is a place "
                        "inside",
                        body->name, excess, room);
    return VT_OK;
}

static vt_status check_apart(vt_simulation *s, const vt_pose *now, int32_t n, int32_t m)
{
    const vt_body *const body = &s->bodies.items[n], *const other = &s->bodies.items[m];
    if (!body->rigid.free || !other->rigid.free || are_apart(body, other, &now[m], 0))
        return VT_OK;
    const double excess = find_excess(s, now, n, m);
    if (excess > most_overlap * fmin(body->reach, other->reach))
        return vti_fail(
            VT_INVALID_ARGUMENT,
            "body '%s': it starts %g m inside of body '%s', and both move by themselves; "
            "allowed is a place beside it",
            body->name, excess, other->name);
    return VT_OK;
}

vt_status vti_check_start(vt_simulation *s, int32_t n)
{
    const vt_body *const items = s->bodies.items;
    vt_status status = VT_OK;
    const size_t mark = vti_arena_mark(&s->arena);
    vt_pose *const now = vti_arena_push(&s->arena, sizeof *now * (size_t)(n + 1));
    for (int32_t m = 0; m <= n; m++)
        now[m] = vti_pose_now(&s->transforms, &items[m], s->time);
    for (int32_t m = 0; m < n && !status; m++) {
        if (items[m].hole != items[n].hole)
            status = check_inside(s, now, items[n].hole ? m : n, items[n].hole ? n : m);
        else if (!items[n].hole)
            status = check_apart(s, now, n, m);
    }
    vti_arena_pop(&s->arena, mark);
    return status;
}

/* ---- contacts ---- */

/* How a direction at a point looks to one of the bodies, and its part of 1 / inertia. */
static double fill_row(const vt_simulation *s, const contact *c, int side,
                       const double direction[3], row *r)
{
    const vt_body *const body = &s->bodies.items[c->touch->body[side]];
    double arm[3], *const j = r->jacobian[side];
    memset(j, 0, sizeof r->jacobian[side]);
    memset(r->change[side], 0, sizeof r->change[side]);
    if (!body->rigid.placed)
        return 0;
    for (int i = 0; i < 3; i++) {
        j[i] = side ? -direction[i] : direction[i];
        arm[i] = c->touch->point[i] - body->rigid.now.position[i];
    }
    vti_cross(arm, j, j + 3);
    if (!body->rigid.free)
        return 0;
    double inertia[6][6], sum = 0;
    vti_inertia_of(body, body->rigid.now.rotation, body->rigid.driven_density, inertia);
    vti_solve_inertia((const double (*)[6])inertia, j, r->change[side]);
    for (int i = 0; i < 6; i++)
        sum += j[i] * r->change[side][i];
    return sum;
}

/* Speed along a direction that a transform gives a body at the touch. */
static double led_speed(const vt_simulation *s, const contact *c, int side, double time,
                        const double direction[3])
{
    const vt_body *const body = &s->bodies.items[c->touch->body[side]];
    if (body->rigid.placed || !body->moves)
        return 0;
    const vt_motion motion = vti_body_motion(&s->transforms, body, time);
    const vt_pose pose = vti_body_pose(&s->transforms, body, time);
    double arm[3], carried[3];
    vti_subtract(c->touch->point, pose.position, arm);
    vti_cross(motion.angular, arm, carried);
    return vti_dot(motion.velocity, direction) + vti_dot(carried, direction);
}

/* Speed of the first body relative to the second along a row, m/s. */
static double relative_speed(const vt_simulation *s, const contact *c, const row *r)
{
    double speed = r->led;
    for (int side = 0; side < 2; side++) {
        const vt_rigid *const rigid = &s->bodies.items[c->touch->body[side]].rigid;
        speed += vti_dot(r->jacobian[side], rigid->velocity) +
                 vti_dot(r->jacobian[side] + 3, rigid->angular);
    }
    return speed;
}

static void directions_of(const vt_body_contact *touch, double directions[3][3])
{
    static const double x_axis[3] = {1, 0, 0};
    memcpy(directions[0], touch->normal, sizeof directions[0]);
    vti_normal_to(touch->normal, x_axis, directions[1]);
    vti_cross(touch->normal, directions[1], directions[2]);
}

/* Slower than what gravity gives in four parts of a substep, a contact does not bounce. */
static double rest_speed(const vt_simulation *s, double dt)
{
    return 4 * dt * vti_sqrt(vti_dot(s->def.gravity, s->def.gravity));
}

static void make_contact(const vt_simulation *s, const vt_body_contact *touch, double time,
                         double dt, contact *c)
{
    const vt_rigid *const a = &s->bodies.items[touch->body[0]].rigid,
                          *const b = &s->bodies.items[touch->body[1]].rigid;
    double directions[3][3];
    *c = (contact){.touch = touch, .friction = vti_sqrt(a->friction * b->friction)};
    directions_of(touch, directions);
    for (int n = 0; n < 3; n++) {
        row *const r = &c->rows[n];
        const double own = fill_row(s, c, 0, directions[n], r);
        r->inertia = 1 / (own + fill_row(s, c, 1, directions[n], r));
        r->led = -led_speed(s, c, 1, time, directions[n]);
    }
    const double speed = relative_speed(s, c, &c->rows[0]);
    const double restitution = fmax(a->restitution, b->restitution);
    c->target = touch->gap > 0 ? -touch->gap / dt : 0;
    if (speed < -rest_speed(s, dt) && touch->gap + speed * dt < 0)
        c->target = -restitution * speed;
}

/* Gives both bodies an impulse along a row. */
static void give(vt_simulation *s, const contact *c, const row *r, double impulse)
{
    for (int side = 0; side < 2; side++) {
        vt_rigid *const rigid = &s->bodies.items[c->touch->body[side]].rigid;
        vti_add_scaled(rigid->velocity, impulse, r->change[side]);
        vti_add_scaled(rigid->angular, impulse, r->change[side] + 3);
    }
}

static void solve_contact(vt_simulation *s, contact *c)
{
    double wanted[2];
    row *const n = &c->rows[0];
    const double speed = relative_speed(s, c, n);
    const double before = n->impulse;
    n->impulse = fmax(0, before + n->inertia * (c->target - speed));
    give(s, c, n, n->impulse - before);
    for (int t = 0; t < 2; t++)
        wanted[t] =
            c->rows[t + 1].impulse - c->rows[t + 1].inertia * relative_speed(s, c, &c->rows[t + 1]);
    const double most = c->friction * n->impulse;
    const double size = vti_sqrt(wanted[0] * wanted[0] + wanted[1] * wanted[1]);
    for (int t = 0; t < 2; t++) {
        row *const r = &c->rows[t + 1];
        const double impulse = size > most ? wanted[t] * (most / size) : wanted[t];
        give(s, c, r, impulse - r->impulse);
        r->impulse = impulse;
    }
}

static void record(vt_simulation *s, const contact *c)
{
    vt_impulse free = {{0}, {0}}; /* given to bodies that move by themselves, about the origin */
    for (int side = 0; side < 2; side++) {
        vt_rigid *const r = &s->bodies.items[c->touch->body[side]].rigid;
        for (int n = 0; n < 3; n++) {
            const double impulse = c->rows[n].impulse, *const j = c->rows[n].jacobian[side];
            vt_impulse here = {{0}, {0}};
            vti_add_scaled(here.linear, impulse, j);
            vti_add_scaled(here.angular, impulse, j + 3);
            vti_add_impulse(&r->from_contacts, 1, &here);
            vti_add_scaled(r->given, impulse, j);
            vti_add_scaled(r->given + 3, impulse, j + 3);
            vti_move_moment(&here, r->now.position);
            vti_add_impulse(&free, r->free ? 1 : 0, &here);
        }
    }
    vti_add_impulse(&s->impulses.support, 1, &free);
}

static void solve_all(vt_simulation *s, int32_t count, contact *contacts)
{
    for (int round = 0; round < ROUNDS; round++)
        for (int32_t n = 0; n < count; n++)
            solve_contact(s, &contacts[n]);
    for (int32_t n = 0; n < count; n++)
        record(s, &contacts[n]);
}

void vti_collide(vt_simulation *s, double time, double dt, vt_collisions *collisions)
{
    find_all(s, time, dt, collisions);
    if (collisions->count == 0)
        return;
    const size_t mark = vti_arena_mark(&s->arena);
    contact *const contacts =
        vti_arena_push(&s->arena, sizeof *contacts * (size_t)collisions->count);
    for (int32_t n = 0; n < collisions->count; n++)
        make_contact(s, &collisions->touches[n], time, dt, &contacts[n]);
    solve_all(s, collisions->count, contacts);
    vti_arena_pop(&s->arena, mark);
}

/* Moves both bodies apart along the normal, the lighter one farther. */
static void part(vt_simulation *s, const vt_body_contact *touch)
{
    double inverse[2];
    for (int side = 0; side < 2; side++) {
        const vt_rigid *const r = &s->bodies.items[touch->body[side]].rigid;
        inverse[side] = r->free ? 1 / r->mass : 0;
    }
    const double allowed = slop * s->bodies.items[touch->body[0]].reach;
    const double way = recovery * (-touch->gap - allowed);
    for (int side = 0; side < 2 && way > 0; side++) {
        vt_rigid *const r = &s->bodies.items[touch->body[side]].rigid;
        const double share = inverse[side] / (inverse[0] + inverse[1]);
        vti_add_scaled(r->now.position, side ? -share * way : share * way, touch->normal);
    }
}

void vti_settle(vt_simulation *s, double time, double dt, const vt_collisions *collisions)
{
    const size_t mark = vti_arena_mark(&s->arena);
    contact *const contacts =
        vti_arena_push(&s->arena, sizeof *contacts * (size_t)(collisions->count + 1));
    int32_t count = 0;
    for (int32_t n = 0; n < collisions->count; n++) {
        const vt_body_contact *const touch = &collisions->touches[n];
        const double near = slop * s->bodies.items[touch->body[0]].reach;
        make_contact(s, touch, time, dt, &contacts[count]);
        contacts[count].target = 0;
        part(s, touch);
        /* the gap was there before they moved, by at most as much; faster ones are still to bounce
         */
        const double speed = relative_speed(s, &contacts[count], &contacts[count].rows[0]);
        count += touch->gap + speed * dt <= near && speed > -rest_speed(s, dt);
    }
    solve_all(s, count, contacts);
    vti_arena_pop(&s->arena, mark);
}
