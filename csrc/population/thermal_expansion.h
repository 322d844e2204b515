/* Thermal expansion: at constant pressure the volume of a vorton follows its temperature, and the
 * fluid that this makes pushes the rest away (field/scalar_potential.h).
 *
 *   V = m v(T),   gas v = T / (rho0 T0),   liquid v = 1 / (rho0 (1 - expansion (T - T0)))
 *
 * m is the mass of the vorton, which stays (model/fluid_law.h has the laws); the column
 * `volume_temperature` is the T for which it has its volume. Method.expansion is the power to which
 * v is taken: 0 keeps the volumes, as if the fluid were of the density rho0 for all but its weight.
 * Fluid that an emitter which goes on has just made was ambient fluid of the same mass
 * (vti_is_heated_at_birth): what it has more of volume than that counts as swelling, too.
 * A change of less than VT_LEAST_CONTRAST of T waits until more has come to it. In a substep a
 * volume changes by a fifth at most: what is left of a sudden heating follows in the next ones, so
 * that none needs to be short. */
#pragma once

#include "vorton.h"

/* To be called before anything changes the temperatures of a substep: newborn vortons have their
 * volume at the temperature of their birth. */
void vti_note_volumes(vt_simulation *s);

/* After everything that changed the temperatures in a substep of dt seconds: volumes, and swelling
 * for the fields of the next one. */
void vti_expand(vt_simulation *s, double dt);
