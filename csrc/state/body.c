#include "state/body.h"

#include <stdio.h>

#include "base/growing_array.h"
#include "base/memory.h"
#include "base/status.h"
#include "geometry/panel_mesh.h"
#include "geometry/source_panels.h"

/* ---- memory ---- */

void vti_destroy_body(vt_body *body)
{
    for (int32_t n = 0; n < body->solid_count; n++)
        vti_destroy_solid(&body->solids[n]);
    vti_free(body->solids);
    vti_free(body->points);
    vti_free(body->warm.spots);
    vti_destroy_animations(&body->rigid.animations);
    vti_release_panels(body->panels);
    vti_release_panels(body->coarse);
    for (int which = 0; which < 2; which++)
        vti_release_panels(body->alone[which]);
    vti_destroy_form(body->form);
    *body = (vt_body){.name = ""};
}

void vti_destroy_bodies(vt_bodies *bodies)
{
    for (int32_t n = 0; n < bodies->count; n++)
        vti_destroy_body(&bodies->items[n]);
    vti_free(bodies->items);
    *bodies = (vt_bodies){0};
}

/* Panels that stay are shared, those of a body that deforms are copied with its form. 0, or -1. */
static int copy_panels(const vt_body *from, vt_body *to)
{
    if (!from->form) {
        vti_share_panels(to->panels);
        vti_share_panels(to->coarse);
        for (int which = 0; which < 2; which++)
            vti_share_panels(to->alone[which]);
        return 0;
    }
    to->panels = vti_copy_panels(from->panels);
    to->coarse = vti_copy_panels(from->coarse);
    const int failed = vti_copy_form(from->form, &to->form);
    return failed || (from->panels && !to->panels) || (from->coarse && !to->coarse) ? -1 : 0;
}

/* `to` has the plain values of `from` already; 0, or -1 with nothing to destroy. */
static int copy_body(const vt_body *from, vt_body *to)
{
    to->solid_count = 0;
    to->points = vti_copy_of(from->points, sizeof *from->points * (size_t)from->point_count);
    to->warm.spots =
        vti_copy_of(from->warm.spots, sizeof *from->warm.spots * (size_t)from->warm.spot_count);
    const int failed = copy_panels(from, to);
    to->solids = vti_allocate(sizeof *to->solids * (size_t)from->solid_count);
    const vt_animations *const forces = &from->rigid.animations;
    if (vti_copy_animations(&vti_body_definition, forces->count, forces->items,
                            &to->rigid.animations) ||
        failed || (from->points && !to->points) || (from->warm.spots && !to->warm.spots)) {
        vti_destroy_body(to);
        return -1;
    }
    for (int32_t n = 0; to->solids && n < from->solid_count; n++) {
        if (vti_copy_solid(&from->solids[n], &to->solids[n])) {
            vti_destroy_body(to);
            return -1;
        }
        to->solid_count = n + 1;
    }
    if (to->solids)
        return 0;
    vti_destroy_body(to);
    return -1;
}

vt_status vti_copy_bodies(const vt_bodies *from, vt_bodies *to)
{
    *to = (vt_bodies){.made = from->made,
                      .joined = from->joined,
                      .items = vti_copy_grown(from->items, from->count, sizeof *from->items)};
    memcpy(to->open_lines, from->open_lines, sizeof to->open_lines);
    for (int32_t n = 0; to->items && n < from->count; n++) {
        if (copy_body(&from->items[n], &to->items[n]))
            return vti_fail(VT_OUT_OF_MEMORY, "no memory for the copy of body '%s'",
                            from->items[n].name);
        to->count = n + 1;
    }
    return to->items ? VT_OK : vti_fail(VT_OUT_OF_MEMORY, "no memory for %d bodies", from->count);
}

/* ---- walls ---- */

double vti_distance_to_body(const vt_body *body, const double point[3], double normal[3])
{
    return vti_room_at_body(body, point, INFINITY, normal);
}

double vti_room_at_body(const vt_body *body, const double point[3], double within, double normal[3])
{
    double least = within;
    for (int32_t n = 0; n < body->solid_count; n++) {
        double outward[3];
        const double enough = body->hole ? (double)INFINITY : least;
        double room = vti_solid_room(&body->solids[n], point, enough, normal ? outward : NULL);
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

vt_status vti_name_body_failure(vt_status status, const vt_body *body, int32_t shape)
{
    char message[512];
    if (!status)
        return VT_OK;
    snprintf(message, sizeof message, "%s", vt_error_message());
    if (shape < 0)
        return vti_fail(status, "body '%s': %s", body->name, message);
    return vti_fail(status, "body '%s', shape %d: %s", body->name, shape, message);
}

double vti_area_of_solids(const vt_body *body)
{
    double area = 0;
    for (int32_t n = 0; n < body->solid_count; n++)
        area += body->scale * body->scale * vti_solid_area(&body->solids[n]);
    return area;
}

void vti_bound_body(vt_body *body)
{
    double reach = 0;
    for (int32_t n = 0; n < body->solid_count; n++) {
        double way[3];
        vti_subtract(body->solids[n].center, body->center, way);
        reach = fmax(reach, vti_sqrt(vti_dot(way, way)) + body->solids[n].circumscribed);
    }
    body->reach = body->scale * reach;
}

void vti_measure_body(vt_body *body)
{
    double volume = 0, sum[3] = {0, 0, 0};
    body->volume = 0;
    for (int32_t n = 0; n < body->solid_count; n++) {
        const vt_solid *const solid = &body->solids[n];
        const double weight = isfinite(solid->volume) ? solid->volume : 0;
        volume += weight;
        body->volume += solid->volume;
        vti_add_scaled(sum, weight, solid->center);
    }
    for (int c = 0; c < 3; c++)
        body->center[c] = volume > 0 ? sum[c] / volume : body->solids[0].center[c];
    vti_bound_body(body);
}

vt_status vti_find_inside(vt_body *body)
{
    double normal[3];
    memcpy(body->inside, body->center, sizeof body->inside);
    double step = isfinite(body->reach) ? 0.25 * body->reach / body->scale : 1;
    for (int n = 0; n < 4096 && body->hole; n++) {
        const double room = vti_distance_to_body(body, body->inside, normal);
        if (room > step)
            return VT_OK;
        vti_add_scaled(body->inside, 1.01 * (step - room), normal);
        step *= 0.99;
    }
    if (!body->hole || vti_distance_to_body(body, body->inside, normal) > 0)
        return VT_OK;
    return vti_fail(VT_INVALID_ARGUMENT,
                    "body '%s': the shapes of a container must have an inside in common",
                    body->name);
}

void vti_form_body(vt_body *body, double time)
{
    if (!body->form || body->form->time == time)
        return;
    vti_form_solids(body->form, body->solids, time);
    vti_measure_body(body);
    body->heat.area = body->warm.exposed * vti_area_of_solids(body);
}

void vti_form_bodies(vt_bodies *bodies, double time)
{
    for (int32_t n = 0; n < bodies->count; n++)
        vti_form_body(&bodies->items[n], time);
}

double vti_half_thickness(const vt_body *body)
{
    return body->hole ? INFINITY : vti_least_inscribed(body->solid_count, body->solids);
}

int32_t vti_body_of_id(const vt_bodies *bodies, int64_t id)
{
    int32_t low = 0, high = bodies->count;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (bodies->items[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < bodies->count && bodies->items[low].id == id ? low : -1;
}
