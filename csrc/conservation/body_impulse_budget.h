/* Books of momentum between vortons and bodies.
 *
 * What the bodies pull at vortons with (conservation/body_forces.h) is not all that these gain:
 * near walls they move with what nodes and panels have there, contact holds them, cleaning and
 * exchange take from them, and they are merged. Whatever their linear and angular impulse
 *
 *   I = 1/2 sum x cross alpha,   A = 1/3 sum x cross (x cross alpha)
 *
 * (Saffman, Vortex Dynamics, 1992, chapter 3) gain over a substep beyond what was pulled and shed,
 * the bodies lose, by forces at their centres: their force is the change of the fluid's impulse by
 * construction. Several bodies share it by u^2 over their area, of those that shed alone where any
 * does. No body loses what a wake does that it has left behind: stretching, its bound and cleaning
 * wear that down all along, which is no force. What moment is left is outer impulse: a wake errs by
 * arms much longer than a body's own, and a light ball would spin up by that.
 *
 * What density differences give the vortons is known (vti_note_buoyant_impulse) and is not theirs:
 *
 *   d/dt (momentum of the bodies + rho (I + bound)) = rho d/dt buoyant + weight of the bodies
 *                                                     + support
 *
 * with support what holds bodies that do not move by themselves, and what these give by contact.
 * By Boussinesq that is the weight g V rho' / rho of the fluid, that of the fluid beside a body in
 * the body's place included (its buoyancy takes as much from the body). Where the local density
 * counts, the book is one of impulse over the ambient density, and one of momentum but for what the
 * fluid that a free body drives is heavier than ambient fluid.
 *
 * What fluid that expands gives is known, too (conservation/swelling_impulse.h), and outer impulse.
 * Walls of containers and planes and winds on a grid give some as well; how much of what is left is
 * theirs and how much the method's, nobody knows. There bodies keep to what pulls at them and what
 * they shed, and all else is booked as outer impulse; so is what the method could not give back to
 * vortons (conservation/impulse_correction.h) and bodies do not owe. */
#pragma once

#include "kernels/particles/invariant_sums.h"
#include "state/strength_sums.h"

/* Impulse of the vortons before something changes them. */
typedef struct vt_reaction {
    int counts;      /* whether anybody answers for the change */
    double elapsed;  /* time of the substep that is over, s */
    double about[3]; /* m: the point of the fluid that was there when the flow was noted, */
    double noted;    /* s */
    vt_strengths before;
    vt_impulse given; /* impulse given since then by gravity and swelling, about the origin */
    vt_apart *apart;  /* of each vorton, or NULL */
    double wake[3];   /* linear impulse of the wakes apart before and given, m^4/s */
} vt_reaction;

/* Between births and deaths, which are nobody's; elapsed: how much of the substep is over, s. */
void vti_open_reaction(vt_simulation *s, double elapsed, vt_reaction *reaction);

/* Until the next close bodies do not answer for what wakes lose that they have left behind. Vortons
 * keep their rows until then, and the caller the arena, on which this pushes. */
void vti_set_wakes_apart(vt_simulation *s, vt_reaction *reaction);

/* What density differences give the vortons in a substep of dt, those of wakes apart among them, is
 * no reaction (nothing without differences): before the finish of the substep, with the records of
 * its last field. */
void vti_note_buoyant_impulse(vt_simulation *s, const vt_velocity_source *field, int64_t count,
                              const vt_record *records, double dt, vt_reaction *reaction);

/* Of the change since, bodies owe this share; the rest, or all of it, is outer impulse. What
 * follows may be closed with the same reaction. */
void vti_close_reaction(vt_simulation *s, double elapsed, double share, vt_reaction *reaction);
