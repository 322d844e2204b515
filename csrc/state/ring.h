/* The vortons of a vortex ring (vt_ring_def).
 *
 * Sections lie at equal arc lengths along the centreline: the ellipse, times 1 + a radial waviness,
 * plus an axial one. Each waviness is the sum of cosines of modes 2 .. 13 with random phases and an
 * rms of `wobble` (times the mean radius, the axial one).
 *
 * One vorton thick (layers 0): strength = circulation x arc length x tangent, core = the ring's
 * core, volume = arc length x pi core^2.
 *
 * Resolved: a vorton on the centreline and `layers` circles around it, 6 m vortons on circle m, in
 * the plane normal to the centreline. The section of a Gaussian core of radius a, made of blobs
 * exp(-d^2 / 2 sigma^2), is sampled as exp(-rho^2 / b^2) with b^2 = a^2 - 2 sigma^2: each vorton
 * has the circulation of its cell, and the radii are such that the second moment is that of the
 * whole Gaussian. Vortons with one place in all sections form a closed line, and strength follows
 * it: strength = circulation of the cell x d(line) / d(arc length) x arc length, volume = area of
 * the cell x length along the line. Circulation is exact. */
#ifndef VORTON_STATE_RING_H
#define VORTON_STATE_RING_H

#include "vorton.h"

/* The error names the field, its value and what is allowed. */
vt_status vt_check_ring(const vt_ring_def *def);

/* Number of vortons of a ring that was checked. */
int64_t vt_ring_count(const vt_ring_def *def);

/* Core radius of those vortons, m. */
double vt_ring_vorton_core(const vt_ring_def *def);

/* Fills position and strength (count x 3), core and volume (count) of a ring that was checked;
 * section by section. The strengths sum to 0 within rounding. */
void vt_fill_ring(const vt_ring_def *def, float *position, float *strength, float *core,
                  float *volume);

#endif
