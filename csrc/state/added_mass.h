/* Added mass: the fluid that an accelerated body has to set in motion. */
#pragma once

#include "state/body.h"

/* Kinetic energy of unbounded fluid of density 1 that a body of finite size drives: 1/2 q^T matrix
 * q with q = (velocity of the centre, angular velocity), in the axes of its space and the lengths
 * of the world: m^3, m^4, m^5. That of its panels, where it has some and is not thinner than they
 * are wide; else of the ellipsoid with the same second moments, scaled to its volume: exact for
 * spheres (half the volume) and ellipsoids, while cubes get .50 instead of .64. */
void vti_added_mass(const vt_body *body, double matrix[6][6]);
