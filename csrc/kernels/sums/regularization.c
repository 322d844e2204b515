#include "kernels/sums/regularization.h"

#include "base/math_double.h"
#include "base/threads.h"
#include "vorton.h"

#define SQRT_2_OVER_PI 0.79788456080286535588

/* sqrt(2 / pi) times the sum over k of (-s / 2)^k / (k! (2 k + first)), s < 1. With first = 1, 3, 5
 * it is the potential, the velocity and minus the gradient of the Gaussian core. */
static inline double gaussian_series(double s, int first)
{
    enum { TERMS = 15 };
    double sum = 1.0 / (2 * TERMS + first);
    for (int k = TERMS - 1; k >= 0; k--)
        sum = 1.0 / (2 * k + first) - s * (0.5 / (k + 1)) * sum;
    return SQRT_2_OVER_PI * sum;
}

static double gaussian_velocity(double s)
{
    if (s < 1.0)
        return gaussian_series(s, 3);
    const double p = vti_sqrt(s);
    if (s > 80.0) /* a point to 1e-16 */
        return 1.0 / (s * p);
    const double q = vti_erf(p * VT_SQRT_HALF) - SQRT_2_OVER_PI * p * vti_exp(-0.5 * s);
    return q / (s * p);
}

static double gaussian_gradient(double s)
{
    if (s < 1.0)
        return -gaussian_series(s, 5);
    const double bell = s > 80.0 ? 0.0 : SQRT_2_OVER_PI * vti_exp(-0.5 * s);
    return (bell - 3.0 * gaussian_velocity(s)) / s;
}

static double gaussian_potential(double s)
{
    if (s < 1.0)
        return gaussian_series(s, 1);
    const double p = vti_sqrt(s);
    return vti_erf(p * VT_SQRT_HALF) / p;
}

double vti_core_velocity(int kernel, double s)
{
    if (kernel == VT_KERNEL_GAUSSIAN)
        return gaussian_velocity(s);
    if (kernel == VT_KERNEL_WL)
        return (s + 2.5) / ((s + 1.0) * (s + 1.0) * vti_sqrt(s + 1.0));
    return s < 1.0 ? 1.0 : 1.0 / (s * vti_sqrt(s));
}

double vti_core_gradient(int kernel, double s)
{
    if (kernel == VT_KERNEL_GAUSSIAN)
        return gaussian_gradient(s);
    if (kernel == VT_KERNEL_WL)
        return -(3.0 * s + 10.5) / ((s + 1.0) * (s + 1.0) * (s + 1.0) * vti_sqrt(s + 1.0));
    return s < 1.0 ? 0.0 : -3.0 / (s * s * vti_sqrt(s));
}

double vti_core_potential(int kernel, double s)
{
    if (kernel == VT_KERNEL_GAUSSIAN)
        return gaussian_potential(s);
    if (kernel == VT_KERNEL_WL)
        return (s + 1.5) / ((s + 1.0) * vti_sqrt(s + 1.0));
    return s < 1.0 ? 0.5 * (3.0 - s) : 1.0 / vti_sqrt(s);
}

/* ---- the table ---- */

/* Coefficients of the polynomial through values at nodes: divided differences, multiplied out. */
static void interpolate(const double node[VT_CORE_TERMS], double value[VT_CORE_TERMS])
{
    for (int order = 1; order < VT_CORE_TERMS; order++)
        for (int i = VT_CORE_TERMS - 1; i >= order; i--)
            value[i] = (value[i] - value[i - 1]) / (node[i] - node[i - order]);
    for (int first = VT_CORE_TERMS - 2; first >= 0; first--)
        for (int i = first; i < VT_CORE_TERMS - 1; i++)
            value[i] -= node[first] * value[i + 1];
}

static void fill_table(float table[VT_CORE_TERMS][VT_CORE_INTERVALS], double (*core)(double))
{
    const double width = (double)VT_CORE_END / VT_CORE_INTERVALS;
    for (int interval = 0; interval < VT_CORE_INTERVALS; interval++) {
        double node[VT_CORE_TERMS], value[VT_CORE_TERMS];
        for (int k = 0; k < VT_CORE_TERMS; k++) { /* Chebyshev's nodes: no ripple at the ends */
            node[k] = 0.5 - 0.5 * vti_cos_pi((k + 0.5) / VT_CORE_TERMS);
            value[k] = core(width * (interval + node[k]));
        }
        interpolate(node, value);
        for (int k = 0; k < VT_CORE_TERMS; k++)
            table[k][interval] = (float)value[k];
    }
}

static vt_core_table gaussian_table;

static void make_gaussian_table(void)
{
    fill_table(gaussian_table.velocity, gaussian_velocity);
    fill_table(gaussian_table.gradient, gaussian_gradient);
}

const vt_core_table *vti_gaussian_table(void)
{
    static vt_once once = VT_NEW_ONCE;
    vti_call_once(&once, make_gaussian_table);
    return &gaussian_table;
}
