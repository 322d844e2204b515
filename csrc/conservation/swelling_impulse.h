/* Impulse that fluid which appears or disappears gives the vortons.
 *
 * With div u = q curl (u cross omega) moves vorticity as ever, its fall in fluid that expands
 * included, and u cross omega = grad u^2/2 - div (u u) + q u: of the divergences nothing is left
 * far away, where the flow falls as fast as that of charges. So
 *
 *   dI/dt = integral q (u - wind) = sum m (u - wind),   dA/dt = sum m x cross (u - wind)
 *
 * with charges m, m^3/s, for any density and form of buoyancy, whose own part comes on top
 * (conservation/impulse_correction.h). What charges and the sources of bodies give each other sums
 * to nothing: the pull at bodies (conservation/body_forces.h) has the other half of it. Of the
 * angular impulse of vortons with cores the vorticity around charges has another part, m 2 core^2
 * omega, which is left out: it is small where cores are small beside the flow, and about an axis of
 * symmetry it sums to nothing. */
#pragma once

#include "conservation/body_impulse_budget.h"

typedef struct vt_swelling {
    vt_impulse all;  /* about the origin, of places as they were at the start in fluid at rest */
    double apart[3]; /* linear, of those of vortons of wakes apart */
} vt_swelling;

/* That of a substep of dt, after its finish: vortons have moved, their swelling is still that which
 * moved them. */
vt_swelling vti_sum_swelling(vt_simulation *s, double dt, const vt_reaction *reaction);

/* No body answers for it: it is outer impulse. */
void vti_note_swelling(vt_simulation *s, const vt_swelling *swelling, vt_reaction *reaction);
