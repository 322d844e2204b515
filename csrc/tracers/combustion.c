/* Tracers that burn by themselves. The vortons are as large as a cell of the grid, flames are
 * thinner: a tracer keeps the fuel, flame and smoke of the fluid that it came with, at the
 * temperature of the vortons around it, and burns as fast as it finds air,
 *
 *   dY/dt = -k(T) (1 - Z) / Z Y
 *
 * with Z the mixture fraction, the share of the mass around it that came as fuel, burnt or not, and
 * (1 - Z) / Z the air that it meets: fuel burns in a shell that eats its way inward (Burke and
 * Schumann 1928), thin tongues at once, and not as a whole. Flame and smoke follow as in
 * kernels/particles/combustion.c.
 */
#include "tracers/combustion.h"

#include "state/simulation.h"

void vti_make_own_fire(vt_simulation *s, vt_own_fire *own)
{
    const size_t bytes = sizeof(float) * (size_t)s->tracers.set.count;
    for (int n = 0; n < VT_TAKEN_COLUMNS; n++)
        own->mean[n] = n == VT_TAKEN_temperature ? NULL : vti_arena_push(&s->arena, bytes);
    own->mixture = vti_arena_push(&s->arena, bytes);
}

void vti_burn_tracers(vt_simulation *s, const vt_own_fire *own)
{
    const vt_tracers *const t = &s->tracers;
    const vt_burning law = vti_burning_of(&s->def.combustion);
    const vt_burn_rows rows = {
        .age = t->age,
        .temperature = t->temperature,
        .mixture = own->mixture,
        .mean = {own->mean[VT_TAKEN_fuel], own->mean[VT_TAKEN_flame], own->mean[VT_TAKEN_smoke]},
        .share = {t->fuel, t->flame, t->smoke}};
    s->stages->burn(&law, s->time - s->tracers_burnt, t->set.count, &rows, s->def.threads);
    s->tracers_burnt = s->time;
}
