/* A vortex is born where fluid is already, or fluid where a vortex is: that turns, but is not there
 * twice. So each vorton of the vortex is made of what those around it on its side of a wall are,
 * volume and all: what they carry, and how much of it, is the same before and after, and it ends as
 * soon as they do in the mean. Where nearly all is ambient they give ambient fluid. So do the
 * layers that bodies shed: fed to the vortons that are there already, their strength would be where
 * the flow has taken these, not at the wall. */
#pragma once

#include "population/brick_lattice.h"

/* Whether there is a newborn vortex, and fluid that it could take up. */
int vti_wants_to_take_up(const vt_shell *halo);

/* Vortons of newborn vortices take up fluid from those around them; the lattice must be filled. */
void vti_take_up_fluid(const vt_shell *halo);
