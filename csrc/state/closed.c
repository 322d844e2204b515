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

vt_status vt_check_room_to_burn(const vt_simulation *s, const vt_body *bodies, int32_t body_count,
                                const vt_parcels *parcels, int32_t parcels_count, int32_t first)
{
    const vt_simulation_def *const def = &s->def;
    if (def->combustion.law == VT_BURN_NONE || !(def->combustion.heat > 0) ||
        def->ambient.kind != VT_GAS || !(def->method.expansion > 0) ||
        def->method.velocity != VT_VELOCITY_POISSON)
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
