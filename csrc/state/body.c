#include "state/body.h"

#include <stdio.h>

#include "base/growing_array.h"
#include "base/status.h"
#include "geometry/source_panels.h"
#include "model/columns.h"

/* ---- memory ---- */

void vti_destroy_body(vt_body *body)
{
    for (int32_t n = 0; n < body->solid_count; n++)
        vti_destroy_solid(&body->solids[n]);
    free(body->solids);
    free(body->points);
    vti_destroy_animations(&body->rigid.animations);
    vti_release_panels(body->panels);
    vti_release_panels(body->coarse);
    *body = (vt_body){.name = ""};
}

void vti_destroy_bodies(vt_bodies *bodies)
{
    for (int32_t n = 0; n < bodies->count; n++)
        vti_destroy_body(&bodies->items[n]);
    free(bodies->items);
    *bodies = (vt_bodies){0};
}

/* `to` has the plain values of `from` already; 0, or -1 with nothing to destroy. */
static int copy_body(const vt_body *from, vt_body *to)
{
    const size_t bytes = sizeof *from->points * (size_t)from->point_count;
    to->solid_count = 0;
    to->points = from->points ? malloc(bytes) : NULL;
    vti_share_panels(to->panels);
    vti_share_panels(to->coarse);
    to->solids = malloc(sizeof *to->solids * (size_t)from->solid_count);
    if (vti_copy_force(&from->rigid, &to->rigid) || (from->points && !to->points)) {
        vti_destroy_body(to);
        return -1;
    }
    if (to->points)
        memcpy(to->points, from->points, bytes);
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

void vti_bound_body(vt_body *body)
{
    double reach = 0;
    for (int32_t n = 0; n < body->solid_count; n++) {
        double way[3];
        memcpy(way, body->solids[n].center, sizeof way);
        vti_add_scaled(way, -1, body->center);
        reach = fmax(reach, vti_sqrt(vti_dot(way, way)) + body->solids[n].circumscribed);
    }
    body->reach = body->scale * reach;
}

int vti_copy_force(const vt_rigid *from, vt_rigid *to)
{
    return vti_copy_animations(&vti_body_definition, from->animations.count, from->animations.items,
                               &to->animations)
               ? -1
               : 0;
}
