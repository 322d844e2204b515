/* Burning, and the books of the heat that the vortons hold:
 *
 *   heat = released - radiated - mixed + brought
 *
 * Heat is sum of mass x heat capacity x (temperature - that of the ambient fluid at height 0). Only
 * kept where the simulation has a law of combustion. */
#ifndef VORTON_HEAT_H
#define VORTON_HEAT_H

#include "state/simulation.h"

/* Whether something may burn. */
static inline int vt_burns(const vt_simulation *s)
{
    return s->def.combustion.law != VT_BURN_NONE;
}

/* Of the vortons of now, J; 0 where nothing burns. */
double vt_find_heat(vt_simulation *s);

/* Around a step: what has changed since the last one was brought by the user. */
void vt_open_heat_books(vt_simulation *s);
void vt_close_heat_books(vt_simulation *s);

/* Burns and cools over dt seconds. */
void vt_react(vt_simulation *s, double dt);

#endif
