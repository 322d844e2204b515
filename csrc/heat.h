/* Burning, and the books of the heat that the vortons hold:
 *
 *   heat = released - radiated - mixed + bodies + brought
 *
 * Heat is sum of mass x heat capacity x (temperature - that of the ambient fluid at height 0). Only
 * kept where the simulation has a law of combustion, or a body that exchanges heat. */
#ifndef VORTON_HEAT_H
#define VORTON_HEAT_H

#include "state/simulation.h"

/* Whether something may burn. */
static inline int vt_burns(const vt_simulation *s)
{
    return s->def.combustion.law != VT_BURN_NONE;
}

/* Heat capacity of the fluid, J/(kg K): where something may burn that of the law of combustion,
 * else of air or water. */
static inline double vt_heat_capacity(const vt_simulation *s)
{
    const double capacity[] = {[VT_GAS] = 1005, [VT_LIQUID] = 4182};
    return vt_burns(s) ? s->def.combustion.heat_capacity : capacity[s->def.ambient.kind];
}

/* Whether there are books. */
int vt_keeps_heat_books(const vt_simulation *s);

/* Of the vortons of now, J; 0 without books. */
double vt_find_heat(vt_simulation *s);

/* Around a step: what has changed since the last one was brought by the user. */
void vt_open_heat_books(vt_simulation *s);
void vt_close_heat_books(vt_simulation *s);

/* Burns and cools over dt seconds. */
void vt_react(vt_simulation *s, double dt);

#endif
