/* The flow at the panels, for what is made of it and for programs. */
#include <string.h>

#include "core/status.h"
#include "core/vec3.h"
#include "field_now.h"
#include "panel_parts.h"
#include "state/weigh.h"

void vt_find_surface_velocity(vt_simulation *s, const vt_paneled_body *b, float *velocity)
{
    const vt_panels *const p = &s->panels;
    const size_t mark = vt_arena_mark(&s->arena);
    float *const cells = vt_arena_push(&s->arena, 12 * (size_t)b->count);
    vt_panel_cells(s, b, cells);
    vt_find_passing_velocity(s, b, velocity);
    s->stages->panel_field(b->patch_count, p->patch + b->first_patch, b->count, cells, velocity,
                           s->def.threads);
    for (int32_t i = 0; i < 3 * b->count; i++)
        velocity[i] += (float)p->wind[i % 3];
    /* with a diagonal for the panel as a whole the condition holds, not the velocity at the
     * centroid; nor is it known there on which side of the panel that is */
    for (int32_t i = 0; i < b->count; i++) {
        const double *const n = p->normal[b->first + i];
        double wall[3], through = 0;
        vt_rigid_velocity(b, p->center[b->first + i], wall);
        for (int c = 0; c < 3; c++)
            through += ((double)velocity[3 * i + c] - wall[c] - p->wind[c]) * n[c];
        for (int c = 0; c < 3; c++)
            velocity[3 * i + c] -= (float)(through * n[c]);
    }
    vt_arena_pop(&s->arena, mark);
}

/* ---- for programs ---- */

/* Enters with the fields of now; *panels: NULL where the body has none. To be left after success.
 */
static vt_status enter_with_panels(vt_simulation *s, int32_t id, const vt_paneled_body **panels)
{
    vt_status status = vt_enter(s);
    if (status)
        return status;
    status = vt_check_body_id(s, id);
    if (!status)
        status = vt_solve_now(s);
    if (!status)
        *panels = vt_panels_of(s, id);
    else
        vt_leave(s);
    return status;
}

vt_status vt_count_panels(vt_simulation *s, int32_t id, int32_t *count)
{
    const vt_paneled_body *panels;
    const vt_status status = enter_with_panels(s, id, &panels);
    if (status)
        return status;
    *count = panels ? panels->count : 0;
    vt_leave(s);
    return VT_OK;
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
        vt_find_surface_velocity(s, b, to->velocity);
    if (to->added_mass)
        vt_scale_added_mass(b->set, scale, (double (*)[6])to->added_mass);
}

vt_status vt_get_panels(vt_simulation *s, int32_t id, const vt_panel_arrays *arrays)
{
    const vt_paneled_body *panels;
    const vt_status status = enter_with_panels(s, id, &panels);
    if (status)
        return status;
    if (panels)
        fill_panels(s, panels, arrays);
    vt_leave(s);
    return VT_OK;
}
