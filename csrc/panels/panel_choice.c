#include "panels/panel_choice.h"

#include "base/memory.h"
#include "base/status.h"
#include "geometry/source_panels.h"
#include "state/added_mass.h"
#include "state/simulation.h"

/* Whether two bodies of the same panels have the same surface. */
static int have_same_shapes(const vt_body *a, const vt_body *b)
{
    if (a->solid_count != b->solid_count)
        return 0;
    for (int32_t n = 0; n < a->solid_count; n++)
        if (!vti_same_solid(&a->solids[n], &b->solids[n]))
            return 0;
    return 1;
}

/* Another body of the same shape that has its panels; NULL: there is none. */
static const vt_body *find_same(const vt_simulation *s, const vt_body *body)
{
    for (int32_t n = 0; n < s->bodies.count; n++) {
        const vt_body *const other = &s->bodies.items[n];
        if (other->panels && !other->form && !body->form && other->hole == body->hole &&
            other->aimed_panels == body->aimed_panels && have_same_shapes(other, body))
            return other;
    }
    return NULL;
}

static int takes_panels(const vt_method *method)
{
    return method->bodies == VT_BODIES_PANELS && method->velocity == VT_VELOCITY_POISSON;
}

/* The panels of a body that deforms, made as it is at rest, go with its mesh. */
static vt_status bind_panels(const vt_simulation *s, vt_body *body)
{
    const vt_panel_set *const sets[2] = {body->panels, body->coarse};
    vt_status status = VT_OK;
    for (int which = 0; which < 2 && !status; which++)
        if (sets[which])
            status = vti_bind_panels(body->form, which, sets[which], s->def.threads);
    return status;
}

vt_panel_set *vti_own_panels(const vt_body *body, int which)
{
    vt_panel_set *const now = which ? body->coarse : body->panels;
    return body->alone[0] ? body->alone[which] : now;
}

vt_status vti_add_panels(const vt_simulation *s, vt_body *body)
{
    const int32_t aim = body->aimed_panels;
    if (aim == 0 || !takes_panels(&s->def.method))
        return VT_OK;
    const vt_body *const same = find_same(s, body);
    if (same) {
        body->panels = vti_share_panels(vti_own_panels(same, 0));
        body->coarse = vti_share_panels(vti_own_panels(same, 1));
        return VT_OK;
    }
    if (body->form) {
        vti_form_at_rest(body->form, body->solids);
        vti_measure_body(body);
    }
    vt_status status = vti_create_panels(body->solid_count, body->solids, body->hole, aim,
                                         body->center, s->def.threads, &body->panels);
    if (!status && body->panels && !body->panels->open &&
        aim / VT_COARSER_PANELS >= VT_LEAST_PANELS)
        status =
            vti_create_panels(body->solid_count, body->solids, body->hole, aim / VT_COARSER_PANELS,
                              body->center, s->def.threads, &body->coarse);
    if (!status && body->form)
        status = bind_panels(s, body);
    if (status == VT_INVALID_ARGUMENT && body->panels) /* the coarse ones alone: without them */
        status = VT_OK;
    return vti_name_body_failure(status, body, -1);
}

static void remove_panels(vt_body *body)
{
    vti_release_panels(body->panels);
    vti_release_panels(body->coarse);
    vti_release_panels(body->alone[0]);
    vti_release_panels(body->alone[1]);
    body->panels = body->coarse = body->alone[0] = body->alone[1] = NULL;
}

void vti_add_mass(vt_body *body)
{
    if (body->rigid.mass > 0 || body->panels)
        vti_added_mass(body, body->rigid.added);
}

vt_status vti_fit_panels(vt_simulation *s)
{
    const int wanted = takes_panels(&s->def.method);
    uint8_t *const made = vti_allocate_zeroed((size_t)s->bodies.count + 1, 1);
    vt_status status = made ? VT_OK : vti_fail(VT_OUT_OF_MEMORY, "no memory for panels");
    for (int32_t n = 0; n < s->bodies.count && wanted && !status; n++) {
        vt_body *const body = &s->bodies.items[n];
        made[n] = !body->panels;
        if (made[n])
            status = vti_add_panels(s, body);
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
        vti_add_mass(body);
    }
    s->bodies.joined = 0;
    if (!wanted && !status &&
        s->vortons.set.used[VT_VORTON_panel]) /* those that grow at them grow no longer */
        memset(s->vortons.panel, 0, sizeof *s->vortons.panel * (size_t)s->vortons.set.count);
    vti_form_bodies(&s->bodies, s->time); /* panels are made at rest */
    vti_free(made);
    return status;
}
