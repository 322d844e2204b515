/* Books of momentum between vortons and bodies.
 *
 * What the bodies pull at vortons with (body_flow.h) is not all that these gain: near walls they
 * move with what nodes and panels have there, contact holds them, cleaning and exchange take from
 * them, and they are merged. Whatever their linear and angular impulse
 *
 *   I = 1/2 sum x cross alpha,   A = 1/3 sum x cross (x cross alpha)
 *
 * (Saffman, Vortex Dynamics, 1992, chapter 3) gain over a substep beyond what was pulled and shed,
 * the bodies lose: their force is the change of the fluid's impulse by construction. Several bodies
 * share it by u^2 over their area, of those that shed alone where any does. Where other forces act,
 * nobody knows how much that is, and bodies keep to what pulls at them. */
#ifndef VORTON_REACTION_H
#define VORTON_REACTION_H

#include "strengths.h"

/* What the vortons had before something changed them. */
typedef struct vt_reaction {
    int counts;      /* whether bodies answer for the change */
    double elapsed;  /* of the substep, s */
    double about[3]; /* m: the point of the fluid that was there when the flow was noted */
    vt_strengths before;
} vt_reaction;

/* Between births and deaths, which are nobody's; elapsed: how much of the substep is over, s. */
void vt_open_reaction(vt_simulation *s, double elapsed, vt_reaction *reaction);

/* Of the change since, bodies owe this share. What follows may be closed with the same reaction. */
void vt_close_reaction(vt_simulation *s, double elapsed, double share, vt_reaction *reaction);

/* Takes from lines (m^5/s) what such sums, being no longer 0, add to the angular impulse about a
 * point that is `arm` (m) away. */
void vt_take_open_lines(const double moment[3][3], const double arm[3], double lines[3]);

#endif
