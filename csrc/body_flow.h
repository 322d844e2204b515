/* What the flow gives to bodies, and the layers that they leave in it.
 *
 * In fluid of density rho the impulse of the flow around bodies, over rho, is that of the vortons
 * and of the surfaces, n pointing into the fluid, x from a point that does not move:
 *
 *   P = 1/2 sum x cross alpha + 1/2 surface integral of x cross (n cross u)
 *   L = -1/2 sum |x|^2 alpha  - 1/2 surface integral of |x|^2 n cross u
 *
 * and a body feels the negative of what the fluid gains (Wu, AIAA Journal 19, 1981; Saffman, Vortex
 * Dynamics, 1992, chapter 4). Vortons that move change their own part by the integral of u cross
 * omega, which is one over the surfaces, so that each body finds its share there:
 *
 *   F = rho (-d/dt (its surface's part of P + that of the vortons which it sheds)
 *            + surface integral of (|u|^2 / 2 n - u (u . n)) + V d wind/dt)
 *
 * and the moment likewise. No tracer and no vorton is counted, wherever it is. u is in the frame of
 * the uniform wind. What the acceleration of a free body itself adds, the added mass, is solved for
 * with its motion (body_motion.h) and left out here. */
#ifndef VORTON_BODY_FLOW_H
#define VORTON_BODY_FLOW_H

#include "state/simulation.h"

/* After the field of the start of a substep has been solved: what the flow has given to each body
 * in the substep before goes to it. slip (x 3, m/s, in the space of the body) receives velocity
 * less that of the body at the panels of all bodies that shed, one after the other. */
void vt_find_body_flow(vt_simulation *s, float *slip);

/* How many panels shed: the most vortons that a substep adds. */
int64_t vt_count_shedding(const vt_simulation *s);

/* VT_OVER_CAPACITY where the policy refuses that many. */
vt_status vt_check_shedding(const vt_simulation *s);

/* At the end of a substep of dt, a share 1 - exp(-shedding dt) of the layer that slips along each
 * of them, n cross (u - v_b) per area, becomes strength of a vorton one core above it: of the one
 * that the panel has shed last, while that is near, else of a newborn one. What there is no room
 * for stays with the body. */
void vt_shed_layers(vt_simulation *s, double dt, const float *slip);

/* Whether the panels of a body shed. */
int vt_sheds(const vt_body *body);

#endif
