/* What the flow gives to bodies, and the layers that they leave in it.
 *
 * A body stands in the flow as sources q on its panels and, where fluid does not slip along it, as
 * the vorticity beta inside (panels/body_vorticity.h). In fluid of density rho they bind the
 * impulse
 *
 *   P = sum q x + 1/2 sum (x - centre) cross beta - V v_b
 *
 * of the fluid outside (Landweber and Miloh, Journal of Fluid Mechanics 96, 1980), V being its
 * volume; the vortons have 1/2 sum x cross alpha (Saffman, Vortex Dynamics, 1992, chapter 3). With
 * u the velocity that all but itself make at the body
 *
 *   F = -rho (d/dt (P + what it sheds) + sum q u - sum (u - v_b) cross beta) + rho V d wind/dt
 *
 * (Lagally; Joukowski): what it pulls at the vortons with, they pull at it with; what else these
 * gain or lose beside it comes from it, too (conservation/body_impulse_budget.h), so that the force
 * is the change of the fluid's impulse. The moment likewise, where the angular impulse of a body
 * that moves is that of its added mass. No tracer is counted. u is in the frame of the uniform
 * wind. What the acceleration of a free body itself adds is solved for with its motion
 * (bodies/rigid_motion.h) and left out here. Of the rest a free body that sheds takes what its own
 * inertia has of that of both, itself and the layer of fluid that goes with its wall, and the
 * remainder in the substeps that follow; of a couple that would stay with the layer for long it
 * takes nothing, but turns with the layer by friction. One that sheds nothing takes no couple that
 * pressure along its normals cannot make. */
#pragma once

#include "state/body.h"
#include "state/panels.h"

/* Whether a body has books: the inside of a plane, or the outside of a container, is no body. */
static inline int vti_has_books(const vt_paneled_body *b)
{
    return !b->body->hole && !b->set->open;
}

/* After the field of the start of a substep has been solved: what the flow has given to each body
 * in the substep before goes to it. */
void vti_find_body_flow(vt_simulation *s);

/* What all bodies are pulled at with in a substep of dt, about a point (m^4/s, m^5/s): what the
 * vortons lose by them. Bodies get the mean of its start and its end; the difference follows. */
vt_impulse vti_sum_body_forces(const vt_simulation *s, double dt, const double about[3]);

/* Books of all bodies in the fields of now, about the origin. Momentum + density x (impulse of the
 * vortons + bound) changes by support and forces from outside alone. */
typedef struct vt_body_books {
    vt_impulse bound;     /* what all bodies bind, open_lines included, m^4/s and m^5/s */
    double open_lines[3]; /* see conservation/body_impulse_budget.h, m^5/s */
    vt_impulse momentum;  /* of those that move by themselves, with what the flow has given them
                             since the last substep began, N s and N m s */
    vt_impulse support;   /* what holds the others against the flow (likewise), and what they give
                             by contact to those that move by themselves, N s and N m s */
} vt_body_books;

void vti_find_body_books(const vt_simulation *s, vt_body_books *books);

/* The impulse that bodies whose flow is known have in the books at a time, vortons aside: their own
 * momentum, and what the flow has to give for the time since it was noted but for what they bind
 * then; about the origin, over the ambient density. */
vt_impulse vti_sum_noted(const vt_simulation *s, double time);

/* A free body that goes faster by `gain`, m/s, together with all the fluid around it: nothing has
 * pushed it. */
void vti_gain_velocity(vt_body *body, const double gain[3]);
