/* A vortex is born where fluid is already, or fluid where a vortex is: that turns, but is not there
 * twice. So each vorton of the vortex is made of what those around it are, volume and all: what
 * they carry, and how much of it, is the same before and after. Where nearly all is ambient they
 * give ambient fluid. */
#pragma once

#include "population/brick_lattice.h"

/* Whether there is a newborn vortex, and fluid that it could take up. */
int vti_wants_to_take_up(const vt_shell *halo);

/* Vortons of newborn vortices take up fluid from those around them; the lattice must be filled. */
void vti_take_up_fluid(const vt_shell *halo);
