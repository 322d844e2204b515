/* The vorticity of bodies that spin.
 *
 * Vortex lines go on inside a body that turns: its own vorticity is 2 Omega, and only together with
 * it has the layer around it the field of fluid that is at rest farther away (a sphere's layer
 * alone would turn the fluid around it backwards). The body has as much of it as its layer has been
 * shed: minus the sum of what it has shed. A body along which fluid slips drives no fluid round. */
#ifndef VORTON_SPIN_H
#define VORTON_SPIN_H

#include "state/simulation.h"

/* Adds the vorticity inside bodies to the deposited strengths of the grid. */
void vt_deposit_spin(vt_simulation *s);

/* What the vorticity of a body adds to its impulse and to what the flow pulls at it with
 * (body_flow.h), about its centre, where not NULL: bound also loses the angular momentum of fluid
 * that would turn with it in its place. */
void vt_add_spin(const vt_simulation *s, const vt_paneled_body *b, vt_impulse *bound,
                 vt_impulse *pull);

#endif
