#include "step/switch_method.h"

#include "panels/panel_choice.h"
#include "population/thermal_expansion.h"
#include "state/closed_container.h"
#include "state/particles.h"
#include "state/predicates.h"
#include "tracers/scalars.h"

/* The volumes follow from now on, from what they are, or stay as they are and push nothing. */
static void begin_expansion(vt_simulation *s, int expands)
{
    int32_t *const used = s->vortons.set.used;
    if (!expands && used[VT_VORTON_swelling])
        vti_fill_column(&s->vortons.set, VT_VORTON_swelling, 0, s->vortons.set.count, 0);
    used[VT_VORTON_volume_temperature] = used[VT_VORTON_birth_volume] = 0;
    if (expands)
        vti_note_volumes(s);
}

/* The fire of the tracers goes on from what the fluid around them has. */
static void begin_flames(vt_simulation *s)
{
    s->tracers_burnt = s->time;
    for (int n = 0; n < VT_TAKEN_COLUMNS; n++)
        vti_use_tracer_column(s, vti_taken_column[n]);
}

static void follow(vt_simulation *s, const vt_method *before, int did_expand, int did_burn)
{
    const vt_method *const m = &s->def.method;
    int32_t *const used = s->vortons.set.used;
    if (m->buoyancy != before->buoyancy)
        used[VT_VORTON_acceleration] = 0;
    if (m->buoyancy == VT_BUOYANCY_FULL)
        vti_use_vorton_column(s, VT_VORTON_acceleration);
    if (vti_expands(s) != did_expand)
        begin_expansion(s, !did_expand);
    if (vti_tracers_burn(s) && !did_burn)
        begin_flames(s);
    s->placement = (vt_placement){.level = 0};
    s->populated_id = 0; /* the population is brought to the wishes of the new method at once */
    s->strained = 0;
    s->shell_width = 0;
    if (m->diffusion == VT_DIFFUSION_NONE)
        memset(s->undiffused, 0, sizeof s->undiffused);
    s->fields_current = s->fields_exist = 0;
}

static int is_same(const vt_method *a, const vt_method *b)
{
    int same = 1;
#define VT_CHOICE(name, value, article, choices, description) same &= a->name == b->name;
#define VT_WHOLE(name, value, article, least, most, description) same &= a->name == b->name;
#define VT_NUMBER VT_WHOLE
#include "vorton/method.def"
    return same;
}

vt_status vti_switch_method(vt_simulation *s, const void *method, void *unused)
{
    const vt_method before = s->def.method;
    const int expands = vti_expands(s), burn = vti_tracers_burn(s);
    vt_status status = VT_OK;
    (void)unused;
    if (is_same(&before, method))
        return VT_OK;
    s->def.method = *(const vt_method *)method;
    for (int32_t b = 0; b < s->bodies.count && !status; b++)
        status = vti_check_space_in_body(s, &s->bodies.items[b]);
    if (status || (status = vti_check_fuel_in_containers(s)) ||
        (status = vti_check_heat_in_containers(s)) || (status = vti_fit_panels(s)))
        s->def.method = before;
    else
        follow(s, &before, expands, burn);
    return status;
}
