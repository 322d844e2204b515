#include "field/extent.h"

#include "base/status.h"
#include "field/room_grid.h"
#include "field/solve.h"
#include "panels/grid_request.h"
#include "state/check_columns.h"
#include "state/particles.h"
#include "state/predicates.h"

static void add_bounds(vt_extent *c, const vt_bounds *bounds, int *any)
{
    for (int t = 0; t < VT_MAX_THREADS; t++) {
        if (bounds->thread[t].least[0] > bounds->thread[t].most[0])
            continue;
        for (int a = 0; a < 3; a++) {
            const double low = bounds->thread[t].least[a], high = bounds->thread[t].most[a];
            c->least[a] = *any ? fmin(c->least[a], low) : low;
            c->most[a] = *any ? fmax(c->most[a], high) : high;
        }
        *any = 1;
    }
}

static int all_finite(const vt_bounds *bounds)
{
    int32_t finite = 1;
    for (int t = 0; t < VT_MAX_THREADS; t++)
        finite &= bounds->thread[t].finite;
    return finite;
}

/* Names the first bad row of a column. */
static vt_status report_not_finite(const char *column, int64_t count, const float *values,
                                   const int64_t *id)
{
    for (int64_t i = 0; i < 3 * count; i++)
        if (!isfinite(values[i]))
            return vti_fail(VT_NOT_FINITE,
                            "%s has %g in row %lld (id %lld); allowed are finite values", column,
                            (double)values[i], (long long)(i / 3), (long long)id[i / 3]);
    return VT_OK;
}

static vt_status report_vortons(const vt_simulation *s)
{
    const vt_vortons *const v = &s->vortons;
    const vt_status status =
        report_not_finite("vortons.position", v->set.count, v->position, v->id);
    return status ? status
                  : report_not_finite("vortons.strength", v->set.count, v->strength, v->id);
}

/* A box holds the tracers too, and counts none whose place is no number. */
static void add_tracers(vt_simulation *s, int64_t count, const float *position, vt_extent *content,
                        int *any)
{
    vt_bounds bounds;
    s->stages->bounds(count, position, position, &bounds, s->def.threads);
    add_bounds(content, &bounds, any);
}

vt_status vti_find_extent(vt_simulation *s, const vt_births *births, vt_extent *content)
{
    const int threads = s->def.threads;
    vt_bounds bounds;
    int any = 0;
    if (vti_is_viewed(s, VT_VORTONS, VT_VORTON_core)) {
        const vt_status status = vti_check_cores(s);
        if (status)
            return status;
        vti_update_smallest_core(s);
    }
    const vt_status checked = vti_check_swelling(s);
    if (checked)
        return checked;
    s->stages->bounds(s->vortons.set.count, s->vortons.position, s->vortons.strength, &bounds,
                      threads);
    if (!all_finite(&bounds))
        return report_vortons(s);
    add_bounds(content, &bounds, &any);
    content->exists = 0;
    for (int t = 0; t < VT_MAX_THREADS; t++)
        content->exists |= bounds.thread[t].carries;
    content->exists = content->exists || vti_has_charges(s) || vti_panels_stir(s);
    if (births && births->vorton_count > 0) {
        s->stages->bounds(births->vorton_count, births->vorton_position, births->vorton_strength,
                          &bounds, threads);
        add_bounds(content, &bounds, &any);
    }
    if (s->def.method.domain == VT_DOMAIN_BOX)
        add_tracers(s, s->tracers.set.count, s->tracers.position, content, &any);
    if (s->def.method.domain == VT_DOMAIN_BOX && births && births->tracer_count > 0)
        add_tracers(s, births->tracer_count, births->tracers.position, content, &any);
    const double spacing = vti_base_spacing(s);
    content->in_room = any && vti_wants_room_grid(s, spacing, content);
    if (!content->in_room)
        vti_add_panel_bounds(s, spacing, content->least, content->most, &any);
    return VT_OK;
}
