/* Taps of the filter that gives vortons their cores: along each axis the middle one and those on
 * either side.
 *
 * Of fourth order (vt_grid.fourth) they are a Gaussian divided by what the other stages do to a
 * wave of wavenumber k along an axis, so that together they make a Gaussian core (as in
 * particle-mesh Ewald sums; Hockney and Eastwood, Computer Simulation Using Particles, 1988,
 * chapters 5 and 8): with sinc = sin(k / 2) / (k / 2) and s = 4 sin^2(k / 2)
 *
 *   deposit, trilinear                  sinc^2
 *   sampling, quadratic B-splines       sinc^3
 *   the potential (poisson_direct.c)    1 / ((1 + s / 6) sinc^2) along x and y, 1 / sinc^2 along z
 *   half of the curl's differences      sqrt((1 + s / 6) cos(k / 2) sinc)
 *
 * Half, since the curl differentiates along one axis at a time. */
#pragma once

enum { VT_FILTER_REACH = 6 }; /* taps on either side of the middle one */

typedef struct vt_filter_taps {
    double weight[3][VT_FILTER_REACH + 1]; /* along x, y, z; each with a sum of 1 */
} vt_filter_taps;

/* A sampled Gaussian of that variance (cells^2; 0: no filter). */
vt_filter_taps vti_gaussian_taps(double variance);

/* What makes cores of that radius (sigma, cells, .8 and more) of fourth order. */
vt_filter_taps vti_taps_of_fourth_order(double core);
