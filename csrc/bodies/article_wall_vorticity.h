/* What the articles do at walls instead of panels and of masked differences.
 *
 * Boundary vorticity (parts 4 and 13): a vorton nearer to a body than 1.2 of its radii takes the
 * vorticity of its share of the sheet that would bring the fluid to rest at the wall,
 *
 *   alpha = 2 A n x (u - v),   A = V / (1.2 r)
 *
 * with n the normal, u and v the velocity of the flow and of the body at the nearest point of the
 * wall: there the flow is halfway between that before the sheet and that behind it. Vorton by
 * vorton, so the flow through the wall is less, not zero.
 *
 * Tracers that hit a body push it. The force on a spinning body then has the wrong sign: more
 * tracers come close where the surface goes with the wind, and hits can only push, while the low
 * pressure of the fast fluid there pulls.
 *
 * Poison (part 14): the part of the density gradient along the normal of the wall is taken away,
 * at the nodes inside of walls, or at those around vortons that touch one. */
#pragma once

#include "vorton.h"

/* Gives vortons near walls that vorticity, by the fields of now, at the places that their columns
 * hold. */
void vti_take_wall_vorticity(vt_simulation *s);
