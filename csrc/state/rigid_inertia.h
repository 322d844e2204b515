/* The inertia of a body, of the fluid that it takes along too, for both kinds of velocity together:
 * (linear momentum, angular momentum about the centre) = matrix (velocity, angular velocity). */
#pragma once

#include "state/body.h"

/* In the axes of the world, for a body turned so (unit quaternion); fluid_density in kg/m^3, 0:
 * that of the body alone. */
void vti_inertia_of(const vt_body *body, const double rotation[4], double fluid_density,
                    double matrix[6][6]);

/* matrix x = right side; the matrix is symmetric and positive. */
void vti_solve_inertia(const double (*matrix)[6], const double right[6], double x[6]);

/* Linear and angular momentum of the body itself, or with fluid of a density that it sets in
 * motion.
 */
void vti_find_momentum(const vt_body *body, double driven_density, double momentum[6]);

/* Changes the velocities of a free body by an impulse, N s, and an angular impulse about its
 * centre, N m s, against the inertia of body and fluid; to_body (may be NULL) receives what of both
 * changes the momentum of the body itself: the rest goes to the fluid. */
void vti_kick_body(vt_body *body, const double impulse[6], double to_body[6]);
