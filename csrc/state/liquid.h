/* Liquids: the density falls in a straight line with temperature, to less than nothing. The law
 * holds for some tens of kelvin; from where it leaves a twentieth of the density on (the volume
 * would be that of twenty, ambient.h) temperatures are refused. */
#ifndef VORTON_STATE_LIQUID_H
#define VORTON_STATE_LIQUID_H

#include "state/simulation.h"

/* The temperature from which on the ambient fluid has no density, K: infinite for a gas. */
double vt_hottest(const vt_simulation_def *def);

/* VT_INVALID_ARGUMENT where a temperature, K, is not below that; `what` has it, as in "body 'x'".
 */
vt_status vt_check_temperature(const vt_simulation_def *def, const char *what, double temperature);

/* The same of all vortons: names the first. */
vt_status vt_check_warmth(const vt_simulation *s);

#endif
