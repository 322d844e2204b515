/* The time schemes: explicit Runge-Kutta rules in which a stage needs the rates of the one before
 * it alone, so that base values and one or two sets of rates are all that a substep keeps:
 *
 *   x_n = x + fraction_n dt f(x_n-1),   x' = x + dt (share f_last + (1 - share) f_first)
 *
 * rk2: the midpoint rule. rk3: Heun, Zeitschrift fuer Mathematik und Physik 45 (1900): the only one
 * of third order in this form. */
#pragma once

#include "vorton.h"

typedef struct vt_scheme {
    int32_t stages;     /* field solves in a substep */
    double fraction[3]; /* advance of each stage, which is also its time, in substeps */
    double share; /* share of the last rates in the result; the rest is the share of the first */
} vt_scheme;

static inline vt_scheme vti_scheme_of(const vt_method *method)
{
    static const vt_scheme schemes[] = {
        [VT_TIME_RK2] = {2, {0, 0.5, 0}, 1},
        [VT_TIME_EULER] = {1, {0, 0, 0}, 1},
        [VT_TIME_RK3] = {3, {0, 1.0 / 3.0, 2.0 / 3.0}, 0.75},
    };
    return schemes[method->time];
}

static inline double vti_last_fraction(const vt_scheme *scheme)
{
    return scheme->fraction[scheme->stages - 1];
}
