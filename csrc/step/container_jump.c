#include "step/container_jump.h"

#include "conservation/body_forces.h"
#include "state/container_frame.h"
#include "state/distance_to_bodies.h"
#include "state/predicates.h"
#include "state/rigid_body.h"
#include "state/strength_sums.h"

enum { BLOCK = 4096 };

/* ---- the way of a container and all that goes along ---- */

/* A way, and how velocities change on it besides their turning, m/s. */
typedef struct passage {
    const vt_pose *from, *to;
    double gain[3];
} passage;

/* Columns that are places, directions and velocities. */
enum { PLACES = 2, DIRECTIONS = 2, COLUMNS = PLACES + DIRECTIONS + 1 };
typedef struct along_job {
    const passage *way;
    float *column[COLUMNS]; /* places, directions, velocities; NULL: the set has no such column */
} along_job;

static void take_direction(const vt_pose *from, const vt_pose *to, double v[3])
{
    double local[3];
    vti_pose_direction_back(from, v, local);
    vti_pose_direction(to, local, v);
}

static void take_place(const vt_pose *from, const vt_pose *to, double x[3])
{
    double local[3];
    vti_pose_point_back(from, x, local);
    vti_pose_point(to, local, x);
}

static void take_block(void *data, int64_t begin, int64_t end)
{
    const along_job *const job = data;
    const passage *const way = job->way;
    for (int n = 0; n < COLUMNS; n++) {
        float *const column = job->column[n];
        for (int64_t i = begin; i < end && column; i++) {
            double v[3];
            vti_widen(column + 3 * i, v);
            if (n < PLACES)
                take_place(way->from, way->to, v);
            else
                take_direction(way->from, way->to, v);
            if (n >= PLACES + DIRECTIONS)
                vti_add_scaled(v, 1, way->gain);
            vti_narrow(v, column + 3 * i);
        }
    }
}

static void take_particles(vt_simulation *s, const passage *way, const vt_contacts *contacts)
{
    const vt_vortons *const v = &s->vortons;
    const vt_tracers *const t = &s->tracers;
    const int has_velocity = t->set.used[VT_TRACER_velocity];
    along_job vortons = {way, {v->position, NULL, v->strength, NULL, v->velocity}};
    along_job tracers = {way, {t->position, NULL, NULL, NULL, has_velocity ? t->velocity : NULL}};
    if (v->set.used[VT_VORTON_acceleration])
        vortons.column[3] = v->acceleration;
    if (contacts) {
        vortons.column[1] = contacts->start[VT_VORTONS];
        tracers.column[1] = contacts->start[VT_TRACERS];
    }
    vti_parallel_for(s->def.threads, v->set.count, BLOCK, take_block, &vortons);
    vti_parallel_for(s->def.threads, t->set.count, BLOCK, take_block, &tracers);
}

/* What a body knows of the flow, which is about its centre, but for what is faster then. */
static void take_flow(vt_body *body, const passage *way)
{
    const vt_pose *const from = way->from, *const to = way->to;
    vt_flow *const f = &body->flow;
    vt_impulse *const known[] = {&f->bound, &f->pull, &f->late, &f->shed, &f->owed};
    take_direction(from, to, body->shed_strength);
    take_direction(from, to, f->wind);
    take_place(from, to, f->center);
    for (size_t n = 0; n < sizeof known / sizeof *known; n++) {
        take_direction(from, to, known[n]->linear);
        take_direction(from, to, known[n]->angular);
    }
}

static void take_body(vt_body *body, const passage *way)
{
    const vt_pose *const from = way->from, *const to = way->to;
    vt_rigid *const r = &body->rigid;
    vt_place *const places[] = {&r->before, &r->now};
    for (int n = 0; n < 2; n++) {
        vt_pose pose = {.scale = 1};
        vti_quaternion_matrix(places[n]->rotation, pose.matrix);
        for (int c = 0; c < 3; c++) {
            double axis[3] = {pose.matrix[0][c], pose.matrix[1][c], pose.matrix[2][c]};
            take_direction(from, to, axis);
            for (int w = 0; w < 3; w++)
                pose.matrix[w][c] = axis[w];
        }
        vti_pose_quaternion(&pose, places[n]->rotation);
        take_place(from, to, places[n]->position);
    }
    take_direction(from, to, r->velocity);
    take_direction(from, to, r->angular);
    take_direction(from, to, r->turned);
    for (int n = 0; n < 6; n += 3) {
        take_direction(from, to, r->pushed + n);
        take_direction(from, to, r->hit + n);
        take_direction(from, to, r->own + n);
        take_direction(from, to, r->given + n);
    }
    take_flow(body, way);
    vti_gain_velocity(body, way->gain);
}

/* Takes along all particles, and bodies that move by themselves. */
static void take_all(vt_simulation *s, const passage *way, const vt_contacts *contacts)
{
    take_particles(s, way, contacts);
    for (int32_t n = 0; n < s->bodies.count; n++)
        if (s->bodies.items[n].rigid.free)
            take_body(&s->bodies.items[n], way);
    s->fields_current = 0;
}

/* Impulse of vortons and bodies in the books at a time. */
static vt_impulse sum_books(vt_simulation *s, double time)
{
    const vt_strengths strengths = vti_sum_strengths(s, (const double[3]){0, 0, 0});
    vt_impulse sum = vti_impulse_of(&strengths);
    const vt_impulse noted = vti_sum_noted(s, time);
    vti_add_impulse(&sum, 1, &noted);
    return sum;
}

/* Books the change of impulse by a jump as outer impulse. */
static void book_jump(vt_simulation *s, double time, const vt_impulse *before)
{
    const vt_impulse after = sum_books(s, time);
    const int counts = vti_has_known_flow(s);
    vti_add_impulse(&s->impulses.outer, counts ? 1 : 0, &after);
    vti_add_impulse(&s->impulses.outer, counts ? -1 : 0, before);
}

static passage make_passage(const vt_pose *from, const vt_pose *to, const double before[3],
                            const double after[3])
{
    passage way = {from, to, {after[0], after[1], after[2]}};
    double turned[3] = {before[0], before[1], before[2]};
    take_direction(from, to, turned);
    vti_add_scaled(way.gain, -1, turned);
    return way;
}

void vti_take_along(vt_simulation *s, const vt_pose *from, const vt_pose *to,
                    const double before[3], const double after[3])
{
    const passage way = make_passage(from, to, before, after);
    const vt_impulse books = sum_books(s, s->time);
    take_all(s, &way, NULL);
    book_jump(s, s->time, &books);
}

/* ---- the time of a jump ---- */

/* The container that carries the fluid by a transform; NULL: none does. */
static const vt_body *find_jumper(const vt_simulation *s)
{
    const vt_body *const body = vti_find_frame_body(s);
    return body && body->moves && !body->rigid.placed ? body : NULL;
}

static double next_jump(const vt_simulation *s, double until)
{
    const vt_body *const body = find_jumper(s);
    const double from = s->carried.jumped_until;
    return body ? vti_next_jump(&s->transforms, body->parent, from, until) : INFINITY;
}

/* Whether a body that jumped stays where it is in the container, so that it sees nothing of it. */
static int goes_along(const vt_body *body, const passage *way, const vt_pose *before,
                      const vt_pose *after)
{
    double center[2][3];
    vti_pose_point(before, body->center, center[0]);
    vti_pose_point(after, body->center, center[1]);
    take_place(way->from, way->to, center[0]);
    const double share = 1e-6, least = share * body->reach;
    int same = vti_square_between(center[0], center[1]) < least * least;
    for (int c = 0; c < 3; c++) {
        double axis[3] = {before->matrix[0][c], before->matrix[1][c], before->matrix[2][c]};
        const double goal[3] = {after->matrix[0][c], after->matrix[1][c], after->matrix[2][c]};
        take_direction(way->from, way->to, axis);
        same &= vti_square_between(axis, goal) < share * share;
    }
    return same;
}

/* The container, and the bodies that jump at the same time, are from now on where they go. */
static void jump(vt_simulation *s, double before, double time, const vt_contacts *contacts)
{
    const size_t mark = vti_arena_mark(&s->arena);
    const vt_pose *const start = vti_poses_at(s, before);
    const vt_body *const carrier = find_jumper(s);
    double velocity[2][3];
    vti_find_frame_velocity(s, carrier, before, velocity[0]);
    for (int32_t n = 0; n < s->bodies.count; n++) {
        vt_body *const body = &s->bodies.items[n];
        if (body->rigid.placed || !vti_body_jumps(&s->transforms, body, before, time))
            continue;
        body->since = time;
        body->until = INFINITY;
    }
    const vt_pose *const end = vti_poses_at(s, time);
    const int32_t number = (int32_t)(carrier - s->bodies.items);
    vti_find_frame_velocity(s, carrier, time, velocity[1]);
    const passage way = make_passage(&start[number], &end[number], velocity[0], velocity[1]);
    const vt_impulse books = sum_books(s, time);
    take_all(s, &way, contacts);
    for (int32_t n = 0; n < s->bodies.count; n++) {
        vt_body *const body = &s->bodies.items[n];
        if (body->since != time || body->rigid.placed || !body->flow.known)
            continue;
        if (goes_along(body, &way, &start[n], &end[n])) {
            take_flow(body, &way);
            vti_add_scaled(body->flow.wind, 1, way.gain);
        } else {
            body->flow.known = VT_FLOW_BROKEN;
        }
    }
    book_jump(s, time, &books);
    s->carried.jumped_until = time;
    vti_arena_pop(&s->arena, mark);
}

/* A jump is due now within this share of a step or substep. */
static const double soon = 1e-9;

int vti_jumps_at_start(const vt_simulation *s, double step)
{
    return next_jump(s, s->time + soon * step) < INFINITY;
}

void vti_jump_at_start(vt_simulation *s, double step)
{
    double time;
    s->carried.jump = INFINITY;
    while ((time = next_jump(s, s->time + soon * step)) < INFINITY)
        jump(s, fmin(s->time, time - soon * step), time, NULL);
}

double vti_until_jump(const vt_simulation *s, double dt)
{
    return fmin(dt, next_jump(s, s->time + dt) - s->time);
}

void vti_await_jump(vt_simulation *s, double dt)
{
    const double time = next_jump(s, s->time + dt * (1 + soon)), before = time - soon * dt;
    if (!(time < INFINITY))
        return;
    s->carried.jump = time;
    for (int32_t n = 0; n < s->bodies.count; n++) {
        vt_body *const body = &s->bodies.items[n];
        if (!body->rigid.placed && vti_body_jumps(&s->transforms, body, before, time))
            body->until = before;
    }
}

double vti_before_jump(const vt_simulation *s, double dt)
{
    return s->carried.jump - soon * dt;
}

void vti_jump_at_end(vt_simulation *s, double dt, const vt_contacts *contacts)
{
    const double time = s->carried.jump;
    if (time < INFINITY)
        jump(s, time - soon * dt, time, contacts);
    else
        s->carried.jumped_until = s->time + dt;
    s->carried.jump = INFINITY;
}
