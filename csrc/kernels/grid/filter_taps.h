/* Taps of the filter that gives vortons their cores: along each axis the middle one and those on
 * either side.
 *
 * Of fourth order (vt_grid.fourth) they are a Gaussian divided by what the other stages do to a
 * wave of wavenumber k along an axis, so that together they make a Gaussian core (as in
 * particle-mesh Ewald sums; Hockney and Eastwood, Computer Simulation Using Particles, 1988,
 * chapters 5 and 8): with sinc = sin(k / 2) / (k / 2) and s = 4 sin^2(k / 2)
 *
 *   deposit, quadratic B-splines        sinc^3
 *   sampling, quadratic B-splines       sinc^3
 *   the potential (poisson_direct.c)    1 / ((1 + s / 6) sinc^2) along x and y, 1 / sinc^2 along z
 *   half of the curl's differences      sqrt((1 + s / 6 + s^2 / 30) cos(k / 2) sinc)
 *
 * Half, since the curl differentiates along one axis at a time. Deposit and sampling also bring
 * waves that the nodes do not tell from shorter ones: divided by U^2 = sinc^6 the longer ones would
 * take the share of both, so that the least mean error (Hockney and Eastwood, eq. 8-22) has
 *
 *   U^2 / (sum over all of them of U^2)^2,  sum = 1 - s / 4 + s^2 / 120. */
#pragma once

#include <stdint.h>

enum {
    VT_FILTER_REACH = 12,    /* taps on either side of the middle one, at most */
    VT_NEAR_REACH = 6,       /* enough for a core of 2.1 cells */
    VT_MOST_FILTERS = 8,     /* that a sharp core is made of: vti_core_filters */
    VT_MOST_NEAR_FILTERS = 4 /* and where nodes are filtered one by one */
};

typedef struct vt_filter_taps {
    double weight[3][VT_FILTER_REACH + 1]; /* along x, y, z; each with a sum of 1 */
} vt_filter_taps;

/* From deposited nodes to the right side of the Poisson equation: the sum of share x filter. */
typedef struct vt_filter_sum {
    int32_t count, reach; /* of the taps of all */
    double share[VT_MOST_FILTERS];
    vt_filter_taps taps[VT_MOST_FILTERS];
} vt_filter_sum;

/* A sampled Gaussian of that variance (cells^2; 0: no filter), with so many taps. */
vt_filter_taps vti_gaussian_taps(double variance, int reach);

/* What the nodes are to hold: the vorticity; the velocity, or the gradient of a potential, itself;
 * or the coefficients of the splines that have it. */
typedef enum vt_node_values {
    VT_NODES_VORTICITY,
    VT_NODES_VELOCITY,
    VT_NODES_SPLINES
} vt_node_values;

/* What makes cores of that radius (sigma, cells, .8 and more) of fourth order, so many taps. */
vt_filter_taps vti_taps_of_fourth_order(double core, vt_node_values values, int reach);
