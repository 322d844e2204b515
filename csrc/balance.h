/* The sum of the strengths, which flow without ends of vortex lines keeps. */
#ifndef VORTON_BALANCE_H
#define VORTON_BALANCE_H

#include "state/simulation.h"

/* Whether the method wants the sum kept, and nothing may change it: no wind on a grid, no walls
 * around fluid that differs in density. */
int vt_keeps_sum(const vt_simulation *s);

/* Sum of the strengths, m^3/s. */
void vt_sum_strengths(vt_simulation *s, double sum[3]);

/* Gives the strengths the sum that they had before a substep: what is missing is shared out by the
 * squares of the strengths. */
void vt_restore_sum(vt_simulation *s, const double before[3]);

#endif
