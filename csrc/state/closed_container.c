#include "state/closed_container.h"

#include "base/status.h"
#include "model/fluid_composition.h"
#include "state/predicates.h"

/* Of all volume in a step, by what was written into temperatures. */
static const double most_growth = 1e-3;

static int is_closed(const vt_body *body)
{
    int closed = 0;
    for (int32_t i = 0; i < body->solid_count && body->hole; i++)
        closed |= body->solids[i].kind != VT_SHAPE_PLANE;
    return closed;
}

/* Whether what becomes warmer would swell. */
static int expands(const vt_simulation_def *def)
{
    return def->ambient.kind == VT_GAS && def->method.expansion > 0 &&
           def->method.velocity == VT_VELOCITY_POISSON;
}

/* Whether what burns would. */
static int swells(const vt_simulation_def *def)
{
    return def->combustion.law != VT_BURN_NONE && def->combustion.heat > 0 && expands(def);
}

static const vt_body *find_closed(const vt_simulation *s)
{
    const vt_body *container = NULL;
    for (int32_t b = 0; b < s->bodies.count && !container; b++)
        container = is_closed(&s->bodies.items[b]) ? &s->bodies.items[b] : NULL;
    return container;
}

static vt_status check_capacity(const vt_simulation *s, const vt_body *body, uint32_t members,
                                const char *what, int32_t number)
{
    if (!(members >> VT_CARRIED_fuel & 1) || !is_closed(body) || !swells(&s->def))
        return VT_OK;
    return vti_fail(VT_INVALID_ARGUMENT,
                    "body '%s' is a closed container, in which the gas of %s %d (fuel) would burn "
                    "and could not expand; allowed are planes as bodies, or "
                    "method.expansion 0",
                    body->name, what, number);
}

vt_status vti_check_space_to_burn(const vt_simulation *s, uint32_t members, const char *what,
                                  int32_t number)
{
    vt_status status = VT_OK;
    for (int32_t b = 0; b < s->bodies.count && !status; b++)
        status = check_capacity(s, &s->bodies.items[b], members, what, number);
    return status;
}

vt_status vti_check_space_in_body(const vt_simulation *s, const vt_body *body)
{
    const vt_sources *const sources = &s->sources;
    vt_status status = VT_OK;
    for (int32_t p = 0; p < sources->fluid_emitter_count && !status; p++) {
        const vt_fluid_emitter *const parcels = &sources->parcels[p];
        status = check_capacity(
            s, body, vti_fluid_members(&parcels->stream.fluid, &parcels->stream.animations),
            "emitter of parcels", p);
    }
    for (int32_t n = 0; n < sources->structures.count && !status; n++) {
        const vt_structure *const structure = &sources->structures.item[n];
        status = check_capacity(s, body, structure->members, structure->kind->name, n);
    }
    return status;
}

vt_status vti_check_fuel_in_containers(const vt_simulation *s)
{
    const float *const fuel = vti_used_column(&s->vortons.set, VT_VORTON_fuel);
    const vt_body *const container = find_closed(s);
    if (!fuel || !container || !swells(&s->def))
        return VT_OK;
    for (int64_t i = 0; i < s->vortons.set.count; i++)
        if (fuel[i] > 0)
            return vti_fail(VT_INVALID_ARGUMENT,
                            "vortons.fuel has %g in row %lld (id %lld), but body '%s' is a closed "
                            "container, in which gas that burns could not expand; allowed is 0, or "
                            "planes as bodies, or method.expansion 0",
                            (double)fuel[i], (long long)i, (long long)s->vortons.id[i],
                            container->name);
    return VT_OK;
}

/* Volume that the vortons have still to grow by, as a share of all; the row that grows most. */
static double share_to_grow(const vt_simulation *s, const float *temperature, int64_t *row)
{
    const vt_vortons *const v = &s->vortons;
    double volume = 0, growth = 0, most = 0;
    for (int64_t i = 0; i < v->set.count; i++) {
        const double own = (double)temperature[i] / (double)vti_volume_temperature(v, i) - 1;
        volume += (double)v->volume[i];
        growth += (double)v->volume[i] * own;
        if (own > most) {
            most = own;
            *row = i;
        }
    }
    return volume > 0 ? growth / volume : 0;
}

vt_status vti_check_heat_in_containers(const vt_simulation *s)
{
    const float *const temperature = vti_used_column(&s->vortons.set, VT_VORTON_temperature);
    const vt_body *const container = expands(&s->def) ? find_closed(s) : NULL;
    int64_t row = 0;
    for (int32_t b = 0; b < s->bodies.count && container; b++)
        if (s->bodies.items[b].heat.temperature > 0 && s->bodies.items[b].heat.conductance > 0)
            return vti_fail(
                VT_INVALID_ARGUMENT,
                "body '%s' exchanges heat, but body '%s' is a closed container, in which "
                "gas that becomes warmer could not expand; allowed are planes "
                "as bodies, or method.expansion 0",
                s->bodies.items[b].name, container->name);
    /* written by hand: what is still to follow from a step before is less */
    if (container && temperature && vti_is_viewed(s, VT_VORTONS, VT_VORTON_temperature) &&
        share_to_grow(s, temperature, &row) > most_growth)
        return vti_fail(
            VT_INVALID_ARGUMENT,
            "vortons.temperature has %g K in row %lld (id %lld), which has its volume at "
            "%g K, but body '%s' is a closed container, in which gas could not expand; "
            "allowed are planes as bodies, or method.expansion 0",
            (double)temperature[row], (long long)row, (long long)s->vortons.id[row],
            (double)vti_volume_temperature(&s->vortons, row), container->name);
    return VT_OK;
}
