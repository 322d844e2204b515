#include "state/closed.h"

#include "core/status.h"

static int is_closed(const vt_body *body)
{
    int closed = 0;
    for (int32_t i = 0; i < body->solid_count && body->hole; i++)
        closed |= body->solids[i].kind != VT_SHAPE_PLANE;
    return closed;
}

static int has_fuel(const vt_parcels *parcels)
{
    return parcels->carried[VT_CARRIED_fuel] > 0 || vt_find_animation(&parcels->animations, "fuel");
}

/* Whether what burns would swell. */
static int swells(const vt_simulation_def *def)
{
    return def->combustion.law != VT_BURN_NONE && def->combustion.heat > 0 &&
           def->ambient.kind == VT_GAS && def->method.expansion > 0 &&
           def->method.velocity == VT_VELOCITY_POISSON;
}

vt_status vt_check_room_to_burn(const vt_simulation *s, const vt_body *bodies, int32_t body_count,
                                const vt_parcels *parcels, int32_t parcels_count, int32_t first)
{
    if (!swells(&s->def))
        return VT_OK;
    for (int32_t b = 0; b < body_count; b++)
        for (int32_t p = 0; p < parcels_count; p++)
            if (is_closed(&bodies[b]) && has_fuel(&parcels[p]))
                return vt_fail(VT_INVALID_ARGUMENT,
                               "body '%s' is a closed container, in which the gas of emitter %d of "
                               "parcels (fuel) would burn and could not expand; allowed are "
                               "containers of planes alone, or method.expansion 0",
                               bodies[b].name, first + p);
    return VT_OK;
}

vt_status vt_check_fuel_in_containers(const vt_simulation *s)
{
    const float *const fuel = vt_used_column(&s->vortons.set, VT_VORTON_fuel);
    const vt_body *container = NULL;
    for (int32_t b = 0; b < s->bodies.count && !container; b++)
        container = is_closed(&s->bodies.items[b]) ? &s->bodies.items[b] : NULL;
    if (!fuel || !container || !swells(&s->def))
        return VT_OK;
    for (int64_t i = 0; i < s->vortons.set.count; i++)
        if (fuel[i] > 0)
            return vt_fail(VT_INVALID_ARGUMENT,
                           "vortons.fuel has %g in row %lld (id %lld), but body '%s' is a closed "
                           "container, in which gas that burns could not expand; allowed is 0, or "
                           "containers of planes alone, or method.expansion 0",
                           (double)fuel[i], (long long)i, (long long)s->vortons.id[i],
                           container->name);
    return VT_OK;
}
