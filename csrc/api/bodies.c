/* What others are told of bodies, and bodies that somebody outside places, pushes or leads. */
#include <stdio.h>

#include "api/body_bounds.h"
#include "api/source_in_body_check.h"
#include "base/growing_array.h"
#include "base/memory.h"
#include "base/status.h"
#include "base/vec3.h"
#include "bodies/body_heat.h"
#include "contact/sequential_impulses.h"
#include "field/sample.h"
#include "geometry/source_panels.h"
#include "panels/panel_choice.h"
#include "panels/panels.h"
#include "panels/touching_bodies.h"
#include "panels/surface_velocity.h"
#include "state/body_mass.h"
#include "state/closed_container.h"
#include "state/container_frame.h"
#include "state/particles.h"
#include "state/predicates.h"
#include "state/rigid_body.h"
#include "state/rigid_inertia.h"
#include "step/container_jump.h"

/* ---- ids ---- */

int32_t vt_body_count(const vt_simulation *s)
{
    return s->bodies.count;
}

vt_status vt_get_body_id(const vt_simulation *s, int32_t index, int32_t *id)
{
    if (index < 0 || index >= s->bodies.count || !id)
        return vti_fail(VT_INVALID_ARGUMENT, "index is %d; allowed are 0 to %d, and an id", index,
                        s->bodies.count - 1);
    *id = s->bodies.items[index].id;
    return VT_OK;
}

static vt_status find_body(const vt_simulation *s, int32_t id, vt_body **body)
{
    const int32_t n = vti_body_of_id(&s->bodies, id);
    *body = n < 0 ? NULL : &s->bodies.items[n];
    if (*body)
        return VT_OK;
    return vti_fail(
        VT_INVALID_ARGUMENT,
        "id is %d; allowed are ids of bodies that were added and not removed: there are %d", id,
        s->bodies.count);
}

/* Enters where there is such a body; to be left after success. */
static vt_status enter_at_body(vt_simulation *s, int32_t id, vt_body **body)
{
    vt_status status = vti_enter(s);
    if (status)
        return status;
    status = find_body(s, id, body);
    return status ? vti_leave(s, status) : VT_OK;
}

/* ---- panels ---- */

/* Enters with the fields of now; *panels: NULL where the body has none. */
static vt_status enter_with_panels(vt_simulation *s, int32_t id, const vt_paneled_body **panels)
{
    vt_body *body;
    vt_status status = enter_at_body(s, id, &body);
    *panels = NULL;
    if (status)
        return status;
    status = vti_solve_current(s);
    if (!status)
        *panels = vti_panels_of(s, (int32_t)(body - s->bodies.items));
    return status ? vti_leave(s, status) : VT_OK;
}

vt_status vt_count_panels(vt_simulation *s, int32_t id, int32_t *count)
{
    const vt_paneled_body *panels;
    const vt_status status = enter_with_panels(s, id, &panels);
    if (status)
        return status;
    *count = panels ? panels->count : 0;
    return vti_leave(s, VT_OK);
}

/* Geometry and, where there is a flow, what it does at the panels. */
static void fill_panels(vt_simulation *s, const vt_paneled_body *b, const vt_panel_arrays *to)
{
    const vt_panels *const p = &s->panels;
    const double scale = b->laid.scale;
    for (int32_t i = 0; i < b->count; i++)
        for (int c = 0; c < 3; c++) {
            if (to->center)
                to->center[3 * i + c] = p->center[b->first + i][c];
            if (to->normal)
                to->normal[3 * i + c] = p->normal[b->first + i][c];
            if (to->velocity)
                to->velocity[3 * i + c] = (float)p->wind[c];
            if (to->area)
                to->area[i] = scale * scale * b->set->area[i];
            if (to->density)
                to->density[i] = s->fields_exist ? p->density[b->first + i] : 0;
        }
    if (to->velocity && s->fields_exist)
        vti_find_surface_velocity(s, b, to->velocity);
    if (to->added_mass)
        vti_scale_added_mass(b->set, scale, (double (*)[6])to->added_mass);
}

vt_status vt_get_panels(vt_simulation *s, int32_t id, const vt_panel_arrays *arrays)
{
    const vt_paneled_body *panels;
    vt_panel_arrays known = {.struct_size = sizeof known};
    if (!arrays || arrays->struct_size < sizeof(size_t))
        return vti_fail(VT_INVALID_ARGUMENT,
                        "arrays %s; allowed is a vt_panel_arrays with its struct_size set",
                        arrays ? "has struct_size 0" : "is NULL");
    vt_status status = vti_hand_out(&known, arrays, arrays->struct_size);
    if (!status)
        status = enter_with_panels(s, id, &panels);
    if (status)
        return status;
    if (panels)
        fill_panels(s, panels, &known);
    return vti_leave(s, VT_OK);
}

enum { MOST_BODIES = 4096, MOST_SOLIDS = 1 << 16 };

static vt_status check_body(const vt_simulation *s, const vt_body_def *def, vt_body *body)
{
    snprintf(body->name, sizeof body->name, "%d", s->bodies.made);
    if (def->name && strlen(def->name) < sizeof body->name)
        snprintf(body->name, sizeof body->name, "%s", def->name);
    else if (def->name)
        return vti_fail(VT_INVALID_ARGUMENT,
                        "body '%s': its name has %zu bytes; allowed are up to 63", body->name,
                        strlen(def->name));
    if (!def->shapes || def->shape_count < 1 || def->shape_count > MOST_SOLIDS)
        return vti_fail(VT_INVALID_ARGUMENT, "body '%s': it has %d shapes; allowed are 1 to %d",
                        body->name, def->shapes ? def->shape_count : 0, MOST_SOLIDS);
    const vt_transform *const parent = def->parent ? &s->transforms.items[def->parent - 1] : NULL;
    if (parent && parent->least_scale != parent->most_scale)
        return vti_fail(VT_INVALID_ARGUMENT,
                        "body '%s': its transform scales by %g to %g; bodies are rigid: allowed is "
                        "a scale that does not change",
                        body->name, parent->least_scale, parent->most_scale);
    if (def->deformed_vertices && (def->hole || def->density > 0))
        return vti_fail(VT_INVALID_ARGUMENT,
                        "body '%s': it deforms and %s; allowed are solids without density",
                        body->name, def->hole ? "is a container" : "has a density");
    return VT_OK;
}

/* Binds the shapes, as they are at rest, to the mesh that deforms. */
static vt_status make_form(const vt_simulation *s, const vt_body_def *def, vt_body *body)
{
    if (!def->deformed_vertices)
        return VT_OK;
    body->moves = 1;
    return vti_name_body_failure(
        vti_create_form(def, body->solid_count, body->solids, s->def.threads, &body->form), body,
        -1);
}

static vt_status make_body(const vt_simulation *s, const vt_body_def *def, vt_body *body)
{
    *body = (vt_body){.hole = def->hole,
                      .parent = def->parent,
                      .since = -INFINITY,
                      .until = INFINITY,
                      .aimed_panels = def->panels};
    vt_status status = check_body(s, def, body);
    if (status)
        return status;
    body->moves = vti_parent_moves(&s->transforms, def->parent);
    body->scale = vti_pose_at(&s->transforms, def->parent, s->time).scale;
    body->solids = vti_allocate(sizeof *body->solids * (size_t)def->shape_count);
    if (!body->solids)
        return vti_fail(VT_OUT_OF_MEMORY, "no memory for %d shapes", def->shape_count);
    for (int32_t n = 0; n < def->shape_count && !status; n++) {
        status = vti_create_solid(&def->shapes[n], &body->solids[n]);
        status = vti_name_body_failure(status, body, n);
        body->solid_count += !status;
    }
    if (!status) {
        vti_measure_body(body);
        status = vti_find_inside(body);
    }
    if (!status)
        status = vti_name_body_failure(vti_make_rigid(s, def, body), body, -1);
    const int is_plane = body->solid_count == 1 && body->solids->kind == VT_SHAPE_PLANE;
    body->shedding = def->hole || is_plane ? 0 : def->shedding;
    if (!status)
        status = make_form(s, def, body);
    if (!status)
        status = vti_add_panels(s, body);
    if (!status)
        vti_add_mass(body);
    if (!status)
        status = vti_make_body_heat(s, def, body);
    if (!status)
        vti_form_body(body, s->time);
    if (status)
        vti_destroy_body(body);
    return status;
}

static vt_status keep_body(vt_simulation *s, const void *data, void *result)
{
    const vt_body_def *const def = data;
    int32_t *const id = result;
    vt_bodies *const bodies = &s->bodies;
    vt_body body;
    if (bodies->count == MOST_BODIES)
        return vti_fail(VT_OUT_OF_MEMORY, "body %d; allowed are %d", bodies->count, MOST_BODIES);
    vt_status status = vti_reserve_for_bodies(s);
    if (!status)
        status = make_body(s, def, &body);
    if (status)
        return status;
    status = vti_check_sources_in_body(s, &body);
    if (!status)
        status = vti_check_space_in_body(s, &body);
    if (!status && vti_grow((void **)&bodies->items, bodies->count, sizeof body))
        status = vti_fail(VT_OUT_OF_MEMORY, "no memory for body '%s'", body.name);
    if (!status) {
        bodies->items[bodies->count] = body;
        status = vti_check_start(s, bodies->count);
    }
    if (status) {
        vti_destroy_body(&body);
        return status;
    }
    bodies->items[bodies->count++].id = bodies->made++;
    if (id)
        *id = bodies->made - 1;
    vti_clear_last_body(s);
    if (vti_has_warm_bodies(s))
        vti_use_vorton_column(s, VT_VORTON_temperature);
    vti_part_body(s, bodies->count - 1);
    return VT_OK;
}

vt_status vt_add_body(vt_simulation *s, const vt_body_def *def, int32_t *id)
{
    return vti_accept_and_use(&vti_body_definition, s, def, keep_body, id);
}

/* ---- records ---- */

/* What only bodies with mass have. */
static void fill_weighty(const vt_body *body, vt_body_state *state)
{
    const vt_rigid *const r = &body->rigid;
    double inertia[6][6];
    vti_inertia_of(body, state->rotation, 0, inertia);
    state->free = r->free;
    state->mass = r->mass;
    state->fluid_density = r->fluid_density;
    for (int i = 0; i < 3; i++)
        memcpy(state->inertia[i], inertia[i + 3] + 3, sizeof state->inertia[i]);
    vti_split_impulse(&r->from_weight, state->weight_impulse, state->weight_angular_impulse);
    vti_split_impulse(&r->from_contacts, state->contact_impulse, state->contact_angular_impulse);
}

static void fill_state(const vt_simulation *s, const vt_body *body, vt_body_state *state)
{
    const vt_pose pose = vti_body_pose(&s->transforms, body, s->time);
    const vt_motion motion = vti_body_motion(&s->transforms, body, s->time);
    double arm[3], carried[3];
    *state = (vt_body_state){
        .hole = body->hole, .temperature = body->heat.temperature, .heat_given = body->heat.given};
    memcpy(state->name, body->name, sizeof state->name);
    vti_pose_point(&pose, body->center, state->position);
    vti_pose_quaternion(&pose, state->rotation);
    vti_body_bounds(body, &pose, state->lower, state->upper);
    memcpy(state->velocity, motion.velocity, sizeof motion.velocity);
    vti_split_impulse(&body->rigid.from_flow, state->flow_impulse, state->flow_angular_impulse);
    memcpy(state->angular_velocity, motion.angular, sizeof motion.angular);
    memcpy(state->shed_strength, body->shed_strength, sizeof state->shed_strength);
    vti_subtract(state->position, pose.position, arm);
    vti_cross(motion.angular, arm, carried);
    vti_add_scaled(state->velocity, 1, carried);
    if (body->form) {
        double drift[3];
        vti_form_drift(body->form, body->solids, body->center, drift);
        vti_pose_direction(&pose, drift, drift);
        vti_add_scaled(state->velocity, pose.scale, drift);
    }
    if (body->rigid.mass > 0)
        fill_weighty(body, state);
}

vt_status vt_get_body(vt_simulation *s, int32_t id, vt_body_state *state)
{
    vt_body *body;
    vt_body_state known;
    const vt_status status = enter_at_body(s, id, &body);
    if (status)
        return status;
    fill_state(s, body, &known);
    return vti_leave(s, vti_hand_out(state, &known, sizeof known));
}

/* ---- distances ---- */

/* The exact version of vti_distance_to_body. */
static double exact_distance(const vt_body *body, const double point[3], double nearest[3],
                             double normal[3])
{
    double least = INFINITY;
    for (int32_t n = 0; n < body->solid_count; n++) {
        double candidate[3], outward[3];
        double room = vti_solid_nearest(&body->solids[n], point, candidate, outward);
        room = body->hole ? -room : room;
        if (room < least) {
            least = room;
            memcpy(nearest, candidate, sizeof candidate);
            memcpy(normal, outward, sizeof outward);
        }
    }
    for (int c = 0; c < 3 && body->hole; c++)
        normal[c] = -normal[c];
    return least;
}

static void measure_points(const vt_simulation *s, const vt_body *body, int64_t count,
                           const double *points, double *distance, double *nearest, double *normal)
{
    const vt_pose pose = vti_body_pose(&s->transforms, body, s->time);
    for (int64_t i = 0; i < count; i++) {
        double local[3], wall[3], away[3];
        vti_pose_point_back(&pose, points + 3 * i, local);
        distance[i] = pose.scale * exact_distance(body, local, wall, away);
        if (nearest)
            vti_pose_point(&pose, wall, nearest + 3 * i);
        if (normal)
            vti_pose_direction(&pose, away, normal + 3 * i);
    }
}

vt_status vt_body_distance(vt_simulation *s, int32_t id, int64_t count, const double *points,
                           double *distance, double *nearest, double *normal)
{
    vt_body *body;
    vt_status status = enter_at_body(s, id, &body);
    if (status)
        return status;
    if (count < 0 || (count > 0 && (!points || !distance)))
        status = vti_fail(VT_INVALID_ARGUMENT, "count is %lld; allowed is >= 0, with arrays",
                          (long long)count);
    for (int64_t i = 0; i < 3 * count && !status; i++)
        if (!vti_is_finite(points[i]))
            status =
                vti_fail(VT_INVALID_ARGUMENT, "points: row %lld holds %g; allowed are finite m",
                         (long long)(i / 3), points[i]);
    if (!status)
        measure_points(s, body, count, points, distance, nearest, normal);
    return vti_leave(s, status);
}

static const double fastest = 1e6, fastest_turn = 1e5; /* m/s, rad/s */

/* ---- checks ---- */

static vt_status check_numbers(const char *name, const double *values, int count, double most,
                               const char *unit)
{
    for (int c = 0; values && c < count; c++)
        if (!(vti_abs(values[c]) <= most))
            return vti_fail(VT_INVALID_ARGUMENT,
                            "%s[%d] is %g; allowed are finite numbers, at most %g %s in size", name,
                            c, values[c], most, unit);
    return VT_OK;
}

static vt_status check_rotation(const double *rotation)
{
    const vt_status status = check_numbers("rotation", rotation, 4, 1e9, "");
    double q[4];
    if (status || !rotation)
        return status;
    memcpy(q, rotation, sizeof q);
    if (vti_normalise_quaternion(q))
        return VT_OK;
    return vti_fail(VT_INVALID_ARGUMENT,
                    "rotation is 0 0 0 0; allowed are quaternions w x y z of any length but 0");
}

static vt_status check_over(const vt_body *body, const vt_body_change *change)
{
    const double over = change->over;
    if (!(over >= 0 && over <= VT_LATEST_TIME))
        return vti_fail(VT_INVALID_ARGUMENT, "over is %g s; allowed is 0 to %g", over,
                        VT_LATEST_TIME);
    if (over > 0 && (change->velocity || change->angular_velocity))
        return vti_fail(
            VT_INVALID_ARGUMENT,
            "over is %g s: its velocities follow from the way; allowed is velocity or over", over);
    if (over > 0 && body->rigid.free)
        return vti_fail(
            VT_INVALID_ARGUMENT,
            "over is %g s, but it moves by itself; allowed is 0, or a body that is held", over);
    return VT_OK;
}

static vt_status check_change(const vt_body *body, const vt_body_change *change)
{
    vt_status status;
    if ((status = check_numbers("position", change->position, 3, VT_MOST_LENGTH, "m")) ||
        (status = check_rotation(change->rotation)) ||
        (status = check_numbers("velocity", change->velocity, 3, fastest, "m/s")) ||
        (status = check_numbers("angular_velocity", change->angular_velocity, 3, fastest_turn,
                                "rad/s")) ||
        (status = check_over(body, change)))
        return status;
    if (!body->rigid.placed && body->moves)
        status =
            vti_fail(VT_INVALID_ARGUMENT,
                     "its parent moves it, or it deforms; allowed are rigid bodies whose parent "
                     "does not move");
    return status;
}

/* ---- changes ---- */

/* The rotation vector that leads from one unit quaternion to another, the shorter way. */
static void way_of_turn(const double from[4], const double to[4], double way[3])
{
    double real = 0, near[4], across[3];
    for (int c = 0; c < 4; c++)
        real += from[c] * to[c];
    for (int c = 0; c < 4; c++)
        near[c] = real < 0 ? -to[c] : to[c];
    vti_cross(from + 1, near + 1, across);
    for (int c = 0; c < 3; c++)
        way[c] = from[0] * near[c + 1] - near[0] * from[c + 1] + across[c];
    vti_normalise(way);
    const double angle = 2 * vti_quaternion_angle(from, near);
    for (int c = 0; c < 3; c++)
        way[c] *= angle;
}

/* Sets out for a place. */
static void set_out(vt_rigid *r, const vt_body_change *change, const vt_place *place)
{
    double turn[3];
    way_of_turn(r->now.rotation, place->rotation, turn);
    for (int c = 0; c < 3; c++) {
        r->velocity[c] = (place->position[c] - r->now.position[c]) / change->over;
        r->angular[c] = turn[c] / change->over;
    }
}

static void change_body(vt_simulation *s, vt_body *body, const vt_body_change *change)
{
    vt_rigid *const r = &body->rigid;
    if (!r->placed) /* one that is placed is joined to none */
        vti_part_body(s, (int32_t)(body - s->bodies.items));
    vti_keep_place(s, body);
    s->fields_current = 0; /* the next look sees it there */
    vt_place place = r->now;
    if (change->position)
        memcpy(place.position, change->position, sizeof place.position);
    if (change->rotation)
        memcpy(place.rotation, change->rotation, sizeof place.rotation);
    vti_normalise_quaternion(place.rotation);
    if (change->over > 0) {
        set_out(r, change, &place);
        return;
    }
    double before[3];
    memcpy(before, r->velocity, sizeof before);
    if (change->velocity)
        memcpy(r->velocity, change->velocity, sizeof r->velocity);
    if (change->angular_velocity)
        memcpy(r->angular, change->angular_velocity, sizeof r->angular);
    const vt_pose from = vti_body_pose(&s->transforms, body, s->time);
    const double *const after = r->velocity;
    r->before = r->now = place;
    if (body != vti_find_frame_body(s) || !(change->position || change->rotation))
        return;
    const vt_pose to = vti_body_pose(&s->transforms, body, s->time);
    vti_take_along(s, &from, &to, before, after);
}

static vt_status change_body_of(vt_simulation *s, const void *change, void *id)
{
    vt_body *body;
    vt_status status = find_body(s, *(const int32_t *)id, &body);
    if (status)
        return status;
    status = vti_name_body_failure(check_change(body, change), body, -1);
    if (!status)
        change_body(s, body, change);
    return status;
}

vt_status vt_set_body(vt_simulation *s, int32_t id, const vt_body_change *change)
{
    return vti_accept_and_use(&vti_body_change_definition, s, change, change_body_of, &id);
}

static vt_status push(vt_body *body, const double impulse[3], const double *point,
                      const double *angular)
{
    vt_status status = check_numbers("impulse", impulse, 3, 1e15, "N s");
    if (!status)
        status = check_numbers("point", point, 3, VT_MOST_LENGTH, "m");
    if (!status)
        status = check_numbers("angular_impulse", angular, 3, 1e15, "N m s");
    if (!status && !body->rigid.free)
        status = vti_fail(
            VT_INVALID_ARGUMENT,
            "it does not move by itself; allowed are bodies with a density that are not held");
    if (status)
        return status;
    double both[6] = {impulse[0], impulse[1], impulse[2], 0, 0, 0};
    for (int c = 0; c < 3 && angular; c++)
        both[c + 3] = angular[c];
    if (point) {
        double arm[3], turning[3];
        vti_subtract(point, body->rigid.now.position, arm);
        vti_cross(arm, impulse, turning);
        vti_add_scaled(both + 3, 1, turning);
    }
    double to_body[6];
    vti_kick_body(body, both, to_body);
    for (int c = 0; c < 3; c++) {
        body->rigid.from_flow.linear[c] += to_body[c] - both[c];
        body->rigid.from_flow.angular[c] += to_body[c + 3] - both[c + 3];
    }
    return VT_OK;
}

vt_status vt_apply_impulse(vt_simulation *s, int32_t id, const double impulse[3],
                           const double *point, const double *angular_impulse)
{
    vt_body *body;
    vt_status status = enter_at_body(s, id, &body);
    if (status)
        return status;
    status = push(body, impulse, point, angular_impulse);
    if (!status)
        s->fields_current = 0;
    return vti_leave(s, vti_name_body_failure(status, body, -1));
}

/* ---- removing ---- */

/* What is known of the container that carried the fluid, by its number among the bodies. */
static void forget_frame(vt_container_frame *carried, int32_t index)
{
    if (carried->by == index + 1)
        *carried = (vt_container_frame){.by = 0};
    else if (carried->by > index + 1)
        carried->by--;
}

/* All that holds the bodies by their numbers or addresses is made anew when it is needed next. */
static void remove_at(vt_simulation *s, int32_t index)
{
    vti_part_body(s, index);
    forget_frame(&s->carried, index);
    vti_destroy_body(&s->bodies.items[index]);
    vti_close_gap(s->bodies.items, index, &s->bodies.count, sizeof *s->bodies.items);
    s->populated_id = 0; /* neutral vortons are looked after at once */
    vti_forget_fields(s);
}

vt_status vt_remove_body(vt_simulation *s, int32_t id)
{
    vt_body *body;
    const vt_status status = enter_at_body(s, id, &body);
    if (status)
        return status;
    remove_at(s, (int32_t)(body - s->bodies.items));
    return vti_leave(s, VT_OK);
}
