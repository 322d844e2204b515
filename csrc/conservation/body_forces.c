#include "conservation/body_forces.h"

#include "bodies/rigid_motion.h"
#include "panels/body_vorticity.h"
#include "panels/panels.h"
#include "panels/source_densities.h"
#include "panels/surface_velocity.h"
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

/* The impulse of the body, about its centre. */
static vt_impulse find_bound(const vt_simulation *s, const surface *f)
{
    double velocity[3], sources[3];
    memcpy(sources, f->body->wide_dipole, sizeof sources);
    for (int32_t at = f->body->first; at < f->body->first + f->body->count; at++) {
        const double charge = (double)f->panels->density[at] * (double)f->panels->area[at];
        for (int c = 0; c < 3; c++)
            sources[c] += charge * (f->panels->center[at][c] - f->body->center[c]);
    }
    vti_centre_velocity(f->body, velocity);
    vt_impulse bound = impulse_of(f->body->body, &f->body->pose, velocity, f->body->angular);
    memcpy(bound.linear, sources, sizeof sources);
    vti_add_scaled(bound.linear, -f->volume, velocity);
    vti_add_body_vorticity(s, f->body, &bound, NULL);
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
    vti_add_body_vorticity(s, b, NULL, &pull);
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
    vti_move_moment(&own, arm);
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

/* How much the flow loads the body, for its share in what bodies owe: slip^2 over its area. */
static double measure_load(const surface *f)
{
    double load = 0;
    for (int32_t p = 0; p < f->body->count; p++) {
        const int32_t at = f->body->first + p;
        double rigid[3], slip[3];
        vti_wall_velocity(f->body, f->panels->center[at], rigid);
        for (int c = 0; c < 3; c++)
            slip[c] = (double)f->velocity[3 * p + c] - rigid[c];
        load += (double)f->panels->area[at] * vti_dot(slip, slip);
    }
    return load;
}

/* Gives the body the impulse since its flow was noted, and notes the flow of now. */
static void give(vt_simulation *s, const surface *f, vt_impulse own, vt_impulse bound,
                 vt_impulse pull)
{
    vt_flow *const before = &s->bodies.items[f->body->number].flow;
    vt_flow now = {.known = VT_FLOW_KNOWN,
                   .time = s->time,
                   .bound = bound,
                   .pull = pull,
                   .load = measure_load(f)};
    memcpy(now.center, f->body->center, sizeof now.center);
    memcpy(now.wind, f->panels->wind, sizeof now.wind);
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

/* x with matrix x = right, by Cramer's rule; 0: the matrix is singular. */
static int solve_three(const double matrix[3][3], const double right[3], double x[3])
{
    double minor[3][3];
    for (int r = 0; r < 3; r++)
        vti_cross(matrix[(r + 1) % 3], matrix[(r + 2) % 3], minor[r]);
    const double determinant = vti_dot(matrix[0], minor[0]);
    if (!(fabs(determinant) > 0))
        return 0;
    for (int c = 0; c < 3; c++)
        x[c] = (right[0] * minor[0][c] + right[1] * minor[1][c] + right[2] * minor[2][c]) /
               determinant;
    return 1;
}

/* How deep under the panels the velocity is looked at that a layer above them leaves: there nothing
 * is left of its width, which would be taken for slip. Not beyond the middle of a thin body. */
static double depth_of(const vt_simulation *s, const vt_body *body)
{
    double depth = s->grid.core;
    for (int32_t n = 0; n < body->solid_count; n++)
        depth = fmin(depth, body->scale * body->solids[n].inscribed / 2);
    return depth;
}

/* Velocity less that of the body at a panel, in its space. */
static void find_slip_at(const vt_simulation *s, const surface *f, int32_t panel, double depth,
                         int32_t *patch, float slip[3])
{
    const int32_t at = f->body->first + panel;
    const double *const center = f->panels->center[at];
    double below[3], rigid[3], velocity[3];
    float inside[3], outside[3];
    memcpy(below, center, sizeof below);
    vti_add_scaled(below, -depth, f->panels->normal[at]);
    vti_vortical_panel_velocity(s, f->body, at, depth, patch, inside);
    vti_vortical_panel_velocity(s, f->body, at, 0, patch, outside);
    vti_wall_velocity(f->body, below, rigid);
    for (int c = 0; c < 3; c++)
        velocity[c] = (double)f->velocity[3 * panel + c] - f->panels->wind[c] - rigid[c] +
                      (double)inside[c] - (double)outside[c];
    vti_pose_direction_back(&f->body->pose, velocity, velocity);
    vti_narrow(velocity, slip);
}

/* A layer is as wide as a core. Where another wall is nearer than that it is none: what would be
 * shed acts on both walls alike, hardly slows the slip that it is shed for, and grows without
 * bound. Share that is left of the layer: none from half a core down. */
static double share_of_layer(const vt_panels *p, double core, int32_t panel)
{
    const double room = (double)p->room[panel];
    return fmin(fmax(2 * room / core - 1, 0), 1);
}

static void find_slip(const vt_simulation *s, const surface *f, float *slip)
{
    const double depth = depth_of(s, f->body->body);
    int32_t patch = f->body->first_patch;
    for (int32_t p = 0; p < f->body->count; p++)
        find_slip_at(s, f, p, depth, &patch, slip + 3 * (int64_t)p);
}

/* What bodies that touch, or a single one, have of layers. */
typedef struct layers {
    double core;         /* m */
    double sum[3];       /* of n cross slip over the panels, in the world, m^3/s */
    double spread[3][3]; /* of area x (1 - n n^T), m^2 */
    double missing[3];   /* m^3/s */
} layers;

static void add_layers(const vt_panels *p, const vt_paneled_body *b, const float *slip, layers *l)
{
    for (int32_t i = 0; i < b->count; i++) {
        const double *const n = p->normal[b->first + i];
        const double area =
            share_of_layer(p, l->core, b->first + i) * (double)p->area[b->first + i];
        const double along[3] = {(double)slip[3 * i], (double)slip[3 * i + 1],
                                 (double)slip[3 * i + 2]};
        double world[3], sheet[3];
        vti_pose_direction(&b->pose, along, world);
        vti_cross(n, world, sheet);
        vti_add_scaled(l->sum, area, sheet);
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++)
                l->spread[r][c] += area * ((r == c) - n[r] * n[c]);
    }
}

/* Each panel takes its part of what is missing, and is left its share of the layer. */
static void end_layer(const vt_panels *p, const vt_paneled_body *b, double core,
                      const double made_up[3], float *slip)
{
    for (int32_t i = 0; i < b->count; i++) {
        double along[3];
        vti_cross(made_up, p->normal[b->first + i], along);
        for (int c = 0; c < 3; c++)
            for (int w = 0; w < 3; w++)
                slip[3 * i + c] += (float)(b->pose.matrix[w][c] * along[w]);
        for (int c = 0; c < 3; c++)
            slip[3 * i + c] *= (float)share_of_layer(p, core, b->first + i);
    }
}

/* Vortex lines end nowhere: what bodies that touch have shed, the layer that slips and their own
 * vorticity sum to nothing. A layer that is seen as wide as a core does not keep to that by itself,
 * and fluid around a body that spins would turn backwards in the end: n cross slip gets the
 * tangential part of the one vector that makes up for what is missing. `slip` is that of each body
 * with panels, NULL: it sheds nothing. */
static void close_lines(const vt_simulation *s, int32_t group, float *const *slip)
{
    const vt_panels *const p = &s->panels;
    layers l = {.core = s->grid.core};
    double made_up[3] = {0};
    for (int32_t n = group; n < p->body_count; n++) {
        const vt_paneled_body *const b = &p->bodies[n];
        const double volume = vti_paneled_volume(b);
        for (int c = 0; c < 3 && b->group == group; c++)
            l.missing[c] -= b->body->shed_strength[c] + 2 * volume * b->angular[c];
        if (b->group == group && slip[n])
            add_layers(p, b, slip[n], &l);
    }
    vti_subtract(l.missing, l.sum, l.missing);
    (void)solve_three((const double (*)[3])l.spread, l.missing, made_up);
    for (int32_t n = group; n < p->body_count; n++)
        if (p->bodies[n].group == group && slip[n])
            end_layer(p, &p->bodies[n], l.core, made_up, slip[n]);
}

/* Whether the flow reaches a body: any of it is in the grid, or it stirs the fluid by itself
 * (panels/grid_request.h). */
static int is_reached(const vt_simulation *s, const vt_paneled_body *b)
{
    const vt_grid *const g = &s->grid;
    double square = 0;
    for (int c = 0; c < 3; c++) {
        const double low = g->base[c] * g->spacing, high = low + g->cells[c] * g->spacing;
        const double away = fmax(fmax(low - b->center[c], b->center[c] - high), 0);
        square += away * away;
    }
    return vti_panels_stir(s) || square < b->reach * b->reach;
}

/* slip: NULL where the body sheds nothing, or is not reached. */
static void find_flow(vt_simulation *s, const vt_paneled_body *b, float *slip)
{
    const size_t mark = vti_arena_mark(&s->arena);
    float *const velocity = vti_arena_push(&s->arena, 12 * (size_t)b->count);
    const surface f = {b, &s->panels, velocity, vti_paneled_volume(b)};
    vti_find_passing_velocity(s, b, velocity);
    const vt_impulse pull = find_acceleration(s, b, velocity);
    give(s, &f, own_impulse(&f), find_bound(s, &f), pull);
    if (slip) {
        vti_find_surface_velocity(s, b, velocity);
        find_slip(s, &f, slip);
    }
    vti_arena_pop(&s->arena, mark);
}

/* Whether a body has books: the inside of a plane, or the outside of a container, is no body. */
static int has_books(const vt_paneled_body *b)
{
    return !b->body->hole && !b->set->open;
}

void vti_find_body_flow(vt_simulation *s, float *slip)
{
    const size_t mark = vti_arena_mark(&s->arena);
    const int32_t count = s->panels.exist ? s->panels.body_count : 0;
    float **const slip_of = vti_arena_push(&s->arena, sizeof *slip_of * (size_t)count);
    for (int32_t n = 0; n < count; n++)
        slip_of[n] = NULL;
    for (int32_t n = 0; n < s->bodies.count; n++) {
        vt_body *const body = &s->bodies.items[n];
        const vt_paneled_body *const b = s->panels.exist ? vti_panels_of(s, n) : NULL;
        const int sheds = vti_sheds(body);
        if (b && has_books(b)) {
            float **const own = &slip_of[b - s->panels.bodies];
            if (sheds && is_reached(s, b))
                *own = slip;
            else if (sheds)
                memset(slip, 0, 12 * (size_t)b->count);
            find_flow(s, b, *own);
        } else {
            body->flow.known = VT_FLOW_UNKNOWN;
        }
        if (sheds)
            slip += 3 * (int64_t)body->panels->count;
    }
    for (int32_t n = 0; n < count; n++)
        if (s->panels.bodies[n].group == n)
            close_lines(s, n, slip_of);
    vti_arena_pop(&s->arena, mark);
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
        if (!b || !has_books(b))
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
