#include "state/bodies.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "body_heat.h"
#include "collide.h"
#include "contacts.h"
#include "core/grow.h"
#include "core/status.h"
#include "core/vec3.h"
#include "state/added_mass.h"
#include "state/closed.h"
#include "state/covered.h"
#include "state/simulation.h"
#include "state/weigh.h"

enum {
    MOST_BODIES = 4096,
    MOST_SOLIDS = 1 << 16,
    LEAST_PANELS = 20,
    COARSER = 4, /* panels of the coarse set */
    MOST_PANELS = 2048,
    MOST_SHEDDING = 1000000 /* 1/s */
};

vt_body_def vt_default_body(void)
{
    return (vt_body_def){
        .panels = 320, .shedding = 30, .restitution = 0.3, .friction = 0.5, .conductance = -1};
}

/* ---- memory ---- */

static void destroy_body(vt_body *body)
{
    for (int32_t n = 0; n < body->solid_count; n++)
        vt_destroy_solid(&body->solids[n]);
    free(body->solids);
    free(body->points);
    vt_destroy_animations(&body->rigid.animations);
    vt_release_panels(body->panels);
    vt_release_panels(body->coarse);
    *body = (vt_body){.name = ""};
}

void vt_destroy_bodies(vt_bodies *bodies)
{
    for (int32_t n = 0; n < bodies->count; n++)
        destroy_body(&bodies->items[n]);
    free(bodies->items);
    *bodies = (vt_bodies){0};
}

/* `to` has the plain values of `from` already; 0, or -1 with nothing to destroy. */
static int copy_body(const vt_body *from, vt_body *to)
{
    const size_t bytes = sizeof *from->points * (size_t)from->point_count;
    to->solid_count = 0;
    to->points = from->points ? malloc(bytes) : NULL;
    vt_share_panels(to->panels);
    vt_share_panels(to->coarse);
    to->solids = malloc(sizeof *to->solids * (size_t)from->solid_count);
    if (vt_copy_force(&from->rigid, &to->rigid) || (from->points && !to->points)) {
        destroy_body(to);
        return -1;
    }
    if (to->points)
        memcpy(to->points, from->points, bytes);
    for (int32_t n = 0; to->solids && n < from->solid_count; n++) {
        if (vt_copy_solid(&from->solids[n], &to->solids[n])) {
            destroy_body(to);
            return -1;
        }
        to->solid_count = n + 1;
    }
    if (to->solids)
        return 0;
    destroy_body(to);
    return -1;
}

vt_status vt_copy_bodies(const vt_bodies *from, vt_bodies *to)
{
    *to = (vt_bodies){.items = vt_copy_grown(from->items, from->count, sizeof *from->items)};
    memcpy(to->open_lines, from->open_lines, sizeof to->open_lines);
    for (int32_t n = 0; to->items && n < from->count; n++) {
        if (copy_body(&from->items[n], &to->items[n]))
            return vt_fail(VT_OUT_OF_MEMORY, "no memory for the copy of body '%s'",
                           from->items[n].name);
        to->count = n + 1;
    }
    return to->items ? VT_OK : vt_fail(VT_OUT_OF_MEMORY, "no memory for %d bodies", from->count);
}

/* ---- walls ---- */

double vt_body_room(const vt_body *body, const double point[3], double normal[3])
{
    double least = INFINITY;
    for (int32_t n = 0; n < body->solid_count; n++) {
        double outward[3];
        double room = vt_solid_distance(&body->solids[n], point, normal ? outward : NULL);
        room = body->hole ? -room : room;
        if (room < least) {
            least = room;
            if (normal)
                memcpy(normal, outward, sizeof outward);
        }
    }
    for (int c = 0; c < 3 && body->hole && normal; c++)
        normal[c] = -normal[c];
    return least;
}

/* ---- making ---- */

/* The message of a failure, after the name of the body and the number of the shape (-1: none). */
static vt_status name_failure(vt_status status, const vt_body *body, int32_t shape)
{
    char message[512];
    snprintf(message, sizeof message, "%s", vt_error_message());
    if (shape < 0)
        return vt_fail(status, "body '%s': %s", body->name, message);
    return vt_fail(status, "body '%s', shape %d: %s", body->name, shape, message);
}

static vt_status check_body(const vt_simulation *s, const vt_body_def *def, vt_body *body)
{
    snprintf(body->name, sizeof body->name, "%d", s->bodies.count);
    if (def->name && strlen(def->name) < sizeof body->name)
        snprintf(body->name, sizeof body->name, "%s", def->name);
    else if (def->name)
        return vt_fail(VT_INVALID_ARGUMENT,
                       "body '%s': its name has %zu bytes; allowed are up to 63", body->name,
                       strlen(def->name));
    if (!def->shapes || def->shape_count < 1 || def->shape_count > MOST_SOLIDS)
        return vt_fail(VT_INVALID_ARGUMENT, "body '%s': it has %d shapes; allowed are 1 to %d",
                       body->name, def->shapes ? def->shape_count : 0, MOST_SOLIDS);
    if (def->hole != 0 && def->hole != 1)
        return vt_fail(VT_INVALID_ARGUMENT, "body '%s': hole is %d; allowed are 0 and 1",
                       body->name, def->hole);
    if (def->panels != 0 && !(def->panels >= LEAST_PANELS && def->panels <= MOST_PANELS))
        return vt_fail(VT_INVALID_ARGUMENT, "body '%s': panels is %d; allowed are 0 and %d to %d",
                       body->name, def->panels, LEAST_PANELS, MOST_PANELS);
    if (!(def->shedding >= 0 && def->shedding <= MOST_SHEDDING))
        return vt_fail(VT_INVALID_ARGUMENT,
                       "body '%s': shedding is %g 1/s; allowed are rates from 0 to %d", body->name,
                       def->shedding, MOST_SHEDDING);
    const vt_status status = vt_check_parent(&s->transforms, def->parent);
    if (status)
        return name_failure(status, body, -1);
    const vt_transform *const parent = def->parent ? &s->transforms.items[def->parent - 1] : NULL;
    if (parent && parent->least_scale != parent->most_scale)
        return vt_fail(VT_INVALID_ARGUMENT,
                       "body '%s': its transform scales by %g to %g; bodies are rigid: allowed is "
                       "a scale that does not change",
                       body->name, parent->least_scale, parent->most_scale);
    return VT_OK;
}

void vt_reach_body(vt_body *body)
{
    double reach = 0;
    for (int32_t n = 0; n < body->solid_count; n++) {
        double way[3];
        memcpy(way, body->solids[n].center, sizeof way);
        vt_add_scaled(way, -1, body->center);
        reach = fmax(reach, vt_sqrt(vt_dot(way, way)) + body->solids[n].circumscribed);
    }
    body->reach = body->scale * reach;
}

static void measure_body(vt_body *body)
{
    double volume = 0, sum[3] = {0, 0, 0};
    for (int32_t n = 0; n < body->solid_count; n++) {
        const vt_solid *const solid = &body->solids[n];
        const double weight = isfinite(solid->volume) ? solid->volume : 0;
        volume += weight;
        vt_add_scaled(sum, weight, solid->center);
    }
    for (int c = 0; c < 3; c++)
        body->center[c] = volume > 0 ? sum[c] / volume : body->solids[0].center[c];
    body->volume = 0;
    for (int32_t n = 0; n < body->solid_count; n++)
        body->volume += body->solids[n].volume;
    vt_reach_body(body);
}

/* Whether two bodies of the same panels have the same surface. */
static int have_same_shapes(const vt_body *a, const vt_body *b)
{
    if (a->solid_count != b->solid_count)
        return 0;
    for (int32_t n = 0; n < a->solid_count; n++)
        if (!vt_same_solid(&a->solids[n], &b->solids[n]))
            return 0;
    return 1;
}

/* Another body of the same shape that has its panels; NULL: there is none. */
static const vt_body *find_same(const vt_simulation *s, const vt_body *body)
{
    for (int32_t n = 0; n < s->bodies.count; n++) {
        const vt_body *const other = &s->bodies.items[n];
        if (other->panels && other->hole == body->hole &&
            other->aimed_panels == body->aimed_panels && have_same_shapes(other, body))
            return other;
    }
    return NULL;
}

static int takes_panels(const vt_method *method)
{
    return method->bodies == VT_BODIES_PANELS && method->velocity == VT_VELOCITY_POISSON;
}

static vt_status add_panels(const vt_simulation *s, vt_body *body)
{
    const int32_t aim = body->aimed_panels;
    if (aim == 0 || !takes_panels(&s->def.method))
        return VT_OK;
    const vt_body *const same = find_same(s, body);
    if (same) {
        body->panels = vt_share_panels(same->panels);
        body->coarse = vt_share_panels(same->coarse);
        return VT_OK;
    }
    vt_status status = vt_create_panels(body->solid_count, body->solids, body->hole, aim,
                                        body->center, s->def.threads, &body->panels);
    if (!status && body->panels && !body->panels->open && aim / COARSER >= LEAST_PANELS)
        status = vt_create_panels(body->solid_count, body->solids, body->hole, aim / COARSER,
                                  body->center, s->def.threads, &body->coarse);
    if (status == VT_INVALID_ARGUMENT && body->panels) /* the coarse ones alone: without them */
        status = VT_OK;
    return status ? name_failure(status, body, -1) : VT_OK;
}

static void remove_panels(vt_body *body)
{
    vt_release_panels(body->panels);
    vt_release_panels(body->coarse);
    body->panels = body->coarse = NULL;
}

static void add_mass(vt_body *body)
{
    if (body->rigid.mass > 0 || body->panels)
        vt_added_mass(body, body->rigid.added);
}

vt_status vt_fit_panels(vt_simulation *s)
{
    const int wanted = takes_panels(&s->def.method);
    uint8_t *const made = calloc((size_t)s->bodies.count + 1, 1);
    vt_status status = made ? VT_OK : vt_fail(VT_OUT_OF_MEMORY, "no memory for panels");
    for (int32_t n = 0; n < s->bodies.count && wanted && !status; n++) {
        vt_body *const body = &s->bodies.items[n];
        made[n] = !body->panels;
        if (made[n])
            status = add_panels(s, body);
    }
    for (int32_t n = 0; n < s->bodies.count; n++) {
        vt_body *const body = &s->bodies.items[n];
        if (status && made && made[n])
            remove_panels(body);
        if (status || (wanted && !made[n]))
            continue;
        if (!wanted)
            remove_panels(body);
        body->flow = (vt_flow){0};
        add_mass(body);
    }
    free(made);
    return status;
}

/* A point inside all shapes of a hole, by steps from wall to wall; and not just inside. */
static vt_status find_inside(vt_body *body)
{
    double normal[3];
    memcpy(body->inside, body->center, sizeof body->inside);
    double step = isfinite(body->reach) ? 0.25 * body->reach / body->scale : 1;
    for (int n = 0; n < 4096 && body->hole; n++) {
        const double room = vt_body_room(body, body->inside, normal);
        if (room > step)
            return VT_OK;
        vt_add_scaled(body->inside, 1.01 * (step - room), normal);
        step *= 0.99;
    }
    if (!body->hole || vt_body_room(body, body->inside, normal) > 0)
        return VT_OK;
    return vt_fail(VT_INVALID_ARGUMENT,
                   "body '%s': the shapes of a container must have an inside in common",
                   body->name);
}

static int is_plane(const vt_body *body)
{
    return body->solid_count == 1 && body->solids->kind == VT_SHAPE_PLANE;
}

static vt_status make_body(const vt_simulation *s, const vt_body_def *def, vt_body *body)
{
    *body =
        (vt_body){.hole = def->hole, .parent = def->parent, .since = -INFINITY, .until = INFINITY};
    vt_status status = check_body(s, def, body);
    if (status)
        return status;
    body->moves = vt_parent_moves(&s->transforms, def->parent);
    body->scale = vt_pose_at(&s->transforms, def->parent, s->time).scale;
    body->solids = malloc(sizeof *body->solids * (size_t)def->shape_count);
    if (!body->solids)
        return vt_fail(VT_OUT_OF_MEMORY, "no memory for %d shapes", def->shape_count);
    for (int32_t n = 0; n < def->shape_count && !status; n++) {
        status = vt_create_solid(&def->shapes[n], &body->solids[n]);
        if (status)
            status = name_failure(status, body, n);
        else
            body->solid_count = n + 1;
    }
    if (!status) {
        measure_body(body);
        status = find_inside(body);
    }
    if (!status && (status = vt_make_rigid(s, def, body)))
        status = name_failure(status, body, -1);
    body->aimed_panels = def->panels;
    body->shedding = def->hole || is_plane(body) ? 0 : def->shedding;
    if (!status)
        status = add_panels(s, body);
    if (!status)
        add_mass(body);
    if (!status)
        status = vt_make_body_heat(s, def, body);
    if (status)
        destroy_body(body);
    return status;
}

/* ---- adding ---- */

static vt_status keep_body(vt_simulation *s, const vt_body_def *def, int32_t *id)
{
    vt_bodies *const bodies = &s->bodies;
    vt_body body;
    if (bodies->count == MOST_BODIES)
        return vt_fail(VT_OUT_OF_MEMORY, "body %d; allowed are %d", bodies->count, MOST_BODIES);
    vt_status status = make_body(s, def, &body);
    if (status)
        return status;
    status = vt_check_covered(s, &body);
    if (!status)
        status = vt_check_room_in_body(s, &body);
    if (!status && vt_grow((void **)&bodies->items, bodies->count, sizeof body))
        status = vt_fail(VT_OUT_OF_MEMORY, "no memory for body '%s'", body.name);
    if (!status) {
        bodies->items[bodies->count] = body;
        status = vt_check_start(s, bodies->count);
    }
    if (status) {
        destroy_body(&body);
        return status;
    }
    bodies->count++;
    if (id)
        *id = bodies->count - 1;
    vt_clear_last_body(s);
    if (vt_has_warm_bodies(s))
        vt_use_vorton_column(s, VT_VORTON_temperature);
    return VT_OK;
}

vt_status vt_add_body(vt_simulation *s, const vt_body_def *def, int32_t *id)
{
    if (!def)
        return vt_fail(VT_INVALID_ARGUMENT, "def is NULL; allowed is a vt_body_def");
    vt_status status = vt_enter(s);
    if (status)
        return status;
    status = keep_body(s, def, id);
    vt_leave(s);
    return status;
}
