/* Velocity and potential of a triangle with sources spread evenly over it. */
#pragma once

#include "geometry/panel_set.h"

/* Velocity and potential at x of a triangle with source density 1 and the outward normal. */
void vti_triangle_velocity(vt_triangle corner, const double normal[3], const double x[3],
                           double u[3]);
double vti_triangle_potential(vt_triangle corner, const double normal[3], const double x[3]);

/* Of what a point source of 1 m^3/s at x emits, what passes a triangle along its normal. */
double vti_triangle_flux(vt_triangle corner, const double normal[3], const double x[3]);
