/* The vorticity of bodies that spin.
 *
 * Vortex lines go on inside a body that turns: its own vorticity is 2 Omega, and only together with
 * it has the layer around it the field of fluid that is at rest farther away (a sphere's layer
 * alone would turn the fluid around it backwards). It is deposited for bodies along which fluid
 * does not slip: a body along which it does drives no fluid round. */
#ifndef VORTON_SPIN_H
#define VORTON_SPIN_H

#include "state/simulation.h"

/* Adds 2 Omega inside bodies that shed to the deposited strengths of the grid. */
void vt_deposit_spin(vt_simulation *s);

#endif
