/* The vorticity of bodies that spin.
 *
 * Vortex lines go on inside a body that turns: its own vorticity is 2 Omega, and only together with
 * it has the layer around it the field of fluid that is at rest farther away (a sphere's layer
 * alone would turn the fluid around it backwards). The body has as much of it as its layer has been
 * shed: minus the sum of what it has shed. A body along which fluid slips drives no fluid round. */
#pragma once

#include "state/panels.h"

/* Adds the vorticity inside bodies to the deposited strengths of the grid. */
void vti_deposit_body_vorticity(vt_simulation *s);

/* Adds the impulse of the vorticity of a body about its centre, less the angular momentum of fluid
 * that would turn with it in its place. */
void vti_add_bound_vorticity(const vt_simulation *s, const vt_paneled_body *b, vt_impulse *bound);

/* Adds what the flow pulls at it with (conservation/body_forces.h), about its centre. */
void vti_add_pull_at_vorticity(vt_simulation *s, const vt_paneled_body *b, vt_impulse *pull);
