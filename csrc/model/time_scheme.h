/* The time schemes: explicit Runge-Kutta rules in which a stage needs the rates of the one before
 * it alone, so that base values and one or two sets of rates are all that a substep keeps:
 *
 *   x_n = x + fraction_n dt f(x_n-1),   x' = x + dt (share f_last + (1 - share) f_first)
 *
 * rk2: the midpoint rule; from the second substep of a vorton on its ways bend with its
 * acceleration (kernels/particles/vorton_way.h). Tracers, which move in the field of the last stage
 * alone, look three times there (kernels/particles/join_looks.h). rk3: Heun, Zeitschrift fuer
 * Mathematik und Physik 45 (1900): the only one of third order in this form; on the grid, whose
 * field has kinks, its error is smaller than that of rk2, but of no higher order.
 *
 * extrapolated: rk2, but f_first is that of the way to the midpoint, extrapolated in a straight
 * line from the last two solves, which were at t_1 and t_2, to the middle of that way:
 *
 *   f_first = f_1 + (t + dt / 4 - t_1) / (t_1 - t_2) (f_1 - f_2)
 *
 * Even substeps make x' = x + dt (15 f_n - 10 f_n-1 + 3 f_n-2) / 8 of a linear f: a rule of order 2
 * whose leading error is 1 / 24, and which damps what turns by up to .7 a substep
 * where rk2 feeds it. */
#pragma once

#include "vorton.h"

typedef struct vt_scheme {
    int32_t stages;     /* field solves in a substep */
    double fraction[3]; /* advance of each stage, which is also its time, in substeps */
    double share; /* share of the last rates in the result; the rest is the share of the first */
    int32_t extrapolates; /* rates of the two last solves stand for the first stage, if known */
} vt_scheme;

static inline vt_scheme vti_scheme_of(const vt_method *method)
{
    static const vt_scheme schemes[] = {
        [VT_TIME_RK2] = {2, {0, 0.5, 0}, 1},
        [VT_TIME_EULER] = {1, {0, 0, 0}, 1},
        [VT_TIME_RK3] = {3, {0, 1.0 / 3.0, 2.0 / 3.0}, 0.75},
        [VT_TIME_EXTRAPOLATED] = {2, {0, 0.5, 0}, 1, 1},
    };
    return schemes[method->time];
}

static inline double vti_last_fraction(const vt_scheme *scheme)
{
    return scheme->fraction[scheme->stages - 1];
}
