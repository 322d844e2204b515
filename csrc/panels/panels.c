#include "panels/panels.h"

#include "geometry/panel_mesh.h"
#include "panels/panel_choice.h"
#include "state/container_frame.h"
#include "state/predicates.h"
#include "state/rigid_body.h"

/* Panels narrower than this many cells give way to the coarse ones. */
static const double least_panel = 1.2;

double vti_resolving_cells(const vt_body *body)
{
    const vt_panel_set *const whole = body->panels->whole ? body->panels->whole : body->panels;
    return body->scale * whole->side / least_panel;
}

/* ---- posing ---- */

/* The panels to use: coarse ones where the fine are narrower than the cells, and only cost time.
 * In what walls enclose they cost more: of the wind around a closed room 13 % in place of 3 to 5,
 * whatever the cells. */
static const vt_panel_set *choose_set(const vt_simulation *s, const vt_body *body)
{
    const int fine = body->shedding != 0; /* a body that sheds keeps its slip panel by panel */
    return !fine && body->coarse && !body->encloses && vti_resolving_cells(body) < s->grid.spacing
               ? body->coarse
               : body->panels;
}

/* Lays the panels of a plane under the whole grid, and beside it twice as far as the grid lies
 * above it, or, without one, about its point. */
static void lay_square(const vt_simulation *s, vt_paneled_body *b)
{
    const vt_grid *const g = &s->grid;
    double axis[3], across[2][3], from[3], wide = s->fields_exist ? 0 : 1, reach = 0;
    double least = s->fields_exist ? INFINITY : 0;
    vti_pose_direction(&b->pose, b->body->solids->axis, axis);
    vti_find_across(b->body->solids->axis, across);
    for (int k = 0; k < 2; k++)
        vti_pose_direction(&b->pose, across[k], across[k]);
    for (int c = 0; c < 3; c++) {
        const double middle = (g->base[c] + 0.5 * g->cells[c]) * g->spacing;
        from[c] = s->fields_exist ? middle - b->center[c] : 0;
    }
    for (int k = 0; k < 2; k++)
        vti_add_scaled(b->center, vti_dot(from, across[k]), across[k]);
    for (int corner = 0; corner < 8 && s->fields_exist; corner++) {
        double way[3];
        for (int c = 0; c < 3; c++)
            way[c] = (g->base[c] + (corner >> c & 1 ? g->cells[c] : 0)) * g->spacing - b->center[c];
        for (int k = 0; k < 2; k++)
            wide = fmax(wide, vti_abs(vti_dot(way, across[k])));
        reach = fmax(reach, vti_sqrt(vti_dot(way, way)));
        least = fmin(least, fmax(b->set->hole ? -vti_dot(way, axis) : vti_dot(way, axis), 0));
    }
    wide += 2 * least;
    memcpy(b->laid.position, b->center, sizeof b->center);
    b->laid.scale = wide;
    b->reach = fmax(reach, 2 * wide);
}

/* frame: velocity of the fluid against which bodies move, m/s. */
static vt_paneled_body pose_body(const vt_simulation *s, int32_t n, double time,
                                 const double frame[3])
{
    const vt_body *const body = &s->bodies.items[n];
    const vt_motion motion = vti_body_motion(&s->transforms, body, time);
    const vt_panel_set *const set = choose_set(s, body);
    vt_paneled_body b = {.body = body,
                         .set = set,
                         .number = n,
                         .count = set->count,
                         .pose = vti_body_pose(&s->transforms, body, time),
                         .reach = body->reach,
                         .half_thickness = body->scale * vti_half_thickness(body)};
    vti_add_scaled(b.pose.position, -1, s->panels.way);
    vti_pose_point(&b.pose, body->center, b.center);
    memcpy(b.velocity, motion.velocity, sizeof b.velocity);
    vti_add_scaled(b.velocity, -1, frame);
    memcpy(b.angular, motion.angular, sizeof b.angular);
    b.laid = b.pose;
    if (set->open)
        lay_square(s, &b);
    return b;
}

void vti_rigid_velocity(const vt_paneled_body *b, const double point[3], double velocity[3])
{
    double arm[3];
    memcpy(arm, point, sizeof arm);
    vti_add_scaled(arm, -1, b->pose.position);
    vti_cross(b->angular, arm, velocity);
    vti_add_scaled(velocity, 1, b->velocity);
}

void vti_wall_velocity(const vt_paneled_body *b, const double point[3], double velocity[3])
{
    double local[3], wall[3];
    vti_rigid_velocity(b, point, velocity);
    if (!b->body->form)
        return;
    vti_pose_point_back(&b->pose, point, local);
    vti_form_velocity(b->body->form, b->body->solids, local, wall);
    vti_pose_direction(&b->pose, wall, wall);
    vti_add_scaled(velocity, b->pose.scale, wall);
}

void vti_centre_velocity(const vt_paneled_body *b, double velocity[3])
{
    double drift[3];
    vti_rigid_velocity(b, b->center, velocity);
    if (!b->body->form)
        return;
    vti_form_drift(b->body->form, b->body->solids, b->body->center, drift);
    vti_pose_direction(&b->pose, drift, drift);
    vti_add_scaled(velocity, b->pose.scale, drift);
}

double vti_paneled_volume(const vt_paneled_body *b)
{
    return b->set->volume * b->pose.scale * b->pose.scale * b->pose.scale;
}

static void pose_panels(vt_panels *p, const vt_paneled_body *b)
{
    const vt_panel_set *const set = b->set;
    const double scale = b->laid.scale;
    for (int32_t i = 0; i < b->count; i++) {
        vti_pose_point(&b->laid, set->center[i], p->center[b->first + i]);
        vti_pose_direction(&b->laid, set->normal[i], p->normal[b->first + i]);
        p->area[b->first + i] = (float)(scale * scale * set->area[i]);
    }
}

static void find_root(const vt_panels *p, vt_paneled_body *b)
{
    double sum[3] = {0, 0, 0}, area = 0;
    memcpy(b->root, b->center, sizeof b->root);
    if (!b->set->whole)
        return;
    for (int32_t n = 0; n < p->body_count; n++)
        for (int32_t i = p->bodies[n].first;
             i < p->bodies[n].first + p->bodies[n].count && vti_are_joined(b, &p->bodies[n]); i++) {
            vti_add_scaled(sum, (double)p->area[i], p->center[i]);
            area += (double)p->area[i];
        }
    for (int c = 0; c < 3; c++)
        b->root[c] = sum[c] / area;
}

/* The planes on which a body stands, as they lie now; both move as one. */
static void find_mirrors(const vt_simulation *s, vt_paneled_body *b)
{
    const vt_panel_set *const whole = b->set->whole;
    for (int32_t k = 0; whole && k < whole->mirrors.count; k++) {
        const int32_t number = vti_body_of_id(&s->bodies, whole->mirrors.item[k].of);
        const vt_paneled_body *const plane = number < 0 ? NULL : vti_panels_of(s, number);
        vt_mirror *const m = &b->mirrors.item[b->mirrors.count];
        if (!plane)
            continue;
        vti_pose_direction(&plane->pose, plane->body->solids->axis, m->normal);
        m->offset = vti_dot(m->normal, plane->center);
        m->of = number;
        b->mirrors.count++;
    }
}

/* How far those that are joined to a body stand out of the planes, of several the least. */
static double find_rise(const vt_panels *p, const vt_paneled_body *b)
{
    double least = INFINITY;
    for (int32_t k = 0; k < b->mirrors.count; k++) {
        const vt_mirror *const m = &b->mirrors.item[k];
        double most = 0;
        for (const vt_paneled_body *n = p->bodies; n < p->bodies + p->body_count; n++)
            for (int32_t i = n->first; i < n->first + n->count && vti_are_joined(b, n); i++)
                most = fmax(most, vti_abs(vti_dot(p->center[i], m->normal) - m->offset));
        least = fmin(least, most);
    }
    return b->mirrors.count > 0 ? least : 0;
}

/* Lays the panels of a body that deforms where its walls are; `solve` those that act. */
static void form_panels(const vt_simulation *s, vt_body *body, int solve)
{
    vt_panel_set *const sets[2] = {body->panels, body->coarse};
    const vt_panel_set *const acting = solve ? choose_set(s, body) : NULL;
    for (int which = 0; which < 2; which++)
        if (sets[which] && (!solve || sets[which] == acting))
            vti_form_panels(body->form, which, sets[which], body->center, solve, s->def.threads);
}

void vti_form_walls(vt_simulation *s, double time)
{
    for (int32_t n = 0; n < s->bodies.count; n++) {
        vt_body *const body = &s->bodies.items[n];
        vti_form_body(body, time);
        if (body->form && body->panels)
            form_panels(s, body, 0);
    }
}

/* The same, and the panels that act are solved for. */
static void solve_walls(vt_simulation *s, double time)
{
    vti_form_walls(s, time);
    for (int32_t n = 0; n < s->bodies.count; n++) {
        vt_body *const body = &s->bodies.items[n];
        if (!body->form || !body->panels)
            continue;
        form_panels(s, body, 1);
        vti_add_mass(body);
    }
}

void vti_pose_panels(vt_simulation *s, double time, const double way[3])
{
    vt_panels *const p = &s->panels;
    solve_walls(s, time);
    p->exist = vti_has_panels(s);
    if (!p->exist)
        return;
    vti_arena_pop(&p->arena, 0);
    memcpy(p->way, way, sizeof p->way);
    memcpy(p->wind, s->winds.velocity, sizeof p->wind);
    double frame[3]; /* all that goes with a container moves at the same time, if not so fast */
    if (!vti_carry(s, time, time, frame))
        memcpy(frame, p->wind, sizeof frame);
    p->bodies = vti_arena_push(&p->arena, sizeof *p->bodies * (size_t)s->bodies.count);
    p->body_count = p->count = 0;
    for (int32_t n = 0; n < s->bodies.count; n++)
        if (vti_panels_act(s, n)) {
            vt_paneled_body b = pose_body(s, n, time, frame);
            b.first = p->count;
            b.group = p->body_count;
            p->count += b.count;
            p->bodies[p->body_count++] = b;
        }
    const size_t count = (size_t)p->count;
    p->center = vti_arena_push(&p->arena, sizeof *p->center * count);
    p->normal = vti_arena_push(&p->arena, sizeof *p->normal * count);
    p->area = vti_arena_push(&p->arena, sizeof *p->area * count);
    p->density = vti_arena_push(&p->arena, sizeof *p->density * count);
    p->room = vti_arena_push(&p->arena, sizeof *p->room * count);
    p->beside = vti_arena_push(&p->arena, sizeof *p->beside * count);
    p->sees = vti_arena_push(&p->arena, sizeof *p->sees * count);
    p->onset = vti_arena_push(&p->arena, 3 * sizeof *p->onset * count);
    for (int32_t n = 0; n < p->body_count; n++)
        pose_panels(p, &p->bodies[n]);
    for (int32_t n = 0; n < p->body_count; n++)
        find_root(p, &p->bodies[n]);
    for (int32_t n = 0; n < p->body_count; n++)
        find_mirrors(s, &p->bodies[n]);
    for (int32_t n = 0; n < p->body_count; n++)
        p->bodies[n].rise = find_rise(p, &p->bodies[n]);
}

const vt_paneled_body *vti_panels_of(const vt_simulation *s, int32_t body)
{
    for (int32_t n = 0; s->panels.exist && n < s->panels.body_count; n++)
        if (s->panels.bodies[n].number == body)
            return &s->panels.bodies[n];
    return NULL;
}

/* ---- for the length of a substep ---- */

/* About a sphere in a stream U the gradient is up to 3 U / R. */
double vti_panel_gradient(const vt_simulation *s)
{
    const vt_panels *const p = &s->panels;
    double most = 0;
    for (int32_t n = 0; p->exist && n < p->body_count; n++) {
        const vt_paneled_body *const b = &p->bodies[n];
        most = fmax(most, 3 * b->stream / (b->laid.scale * b->set->length));
    }
    return most;
}

double vti_speed_through_wind(const vt_paneled_body *b)
{
    double velocity[3];
    vti_rigid_velocity(b, b->center, velocity);
    return vti_sqrt(vti_dot(velocity, velocity));
}

static double wall_speed(const vt_paneled_body *b)
{
    const double deforms = b->body->form ? b->pose.scale * b->body->form->mesh->speed : 0;
    return vti_speed_through_wind(b) + deforms +
           b->reach * vti_sqrt(vti_dot(b->angular, b->angular));
}

double vti_panel_speed(const vt_simulation *s)
{
    const vt_panels *const p = &s->panels;
    double most = 0;
    for (int32_t n = 0; p->exist && n < p->body_count; n++)
        most = fmax(most, wall_speed(&p->bodies[n]));
    return most;
}

double vti_wake_speed(const vt_simulation *s)
{
    const vt_panels *const p = &s->panels;
    double most = 0;
    for (int32_t n = 0; p->exist && n < p->body_count; n++)
        if (vti_sheds(p->bodies[n].body))
            most = fmax(most, fmax(wall_speed(&p->bodies[n]), p->bodies[n].stream));
    return most;
}
