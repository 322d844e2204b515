/* Elementary functions in double, from + - * / and sqrt alone: tables, births and reference sums
 * have the same bits whatever libm the machine has. Errors are those measured against 40-digit
 * values over the stated ranges; NaN gives NaN everywhere. Compiled once, for the baseline target,
 * with -ffp-contract=off. Denormal results may be flushed to zero. */
#ifndef VORTON_CORE_MATHD_H
#define VORTON_CORE_MATHD_H

#define VT_PI 3.14159265358979323846
#define VT_SQRT_HALF 0.70710678118654752440

/* |x|, and the square root (correctly rounded). */
static inline double vt_abs(double x)
{
    return __builtin_fabs(x);
}

static inline double vt_sqrt(double x)
{
    return __builtin_sqrt(x);
}

static inline int vt_is_finite(double x)
{
    return x - x == 0.0;
}

/* Largest integer not above x, as a double; |x| < 2^62. */
double vt_floor(double x);

/* sin(pi x) and cos(pi x): exact at multiples of 1/2, 2 ulp elsewhere; |x| < 2^51, else NaN. */
double vt_sin_pi(double x);
double vt_cos_pi(double x);

/* sin(x) and cos(x), radians: absolute error 3e-16 for |x| < 1e5, NaN beyond. */
double vt_sin(double x);
double vt_cos(double x);

/* e^x: 1 ulp; 0 below -708, infinity above 709.78. */
double vt_exp(double x);

/* Natural logarithm: 1 ulp; x > 0 and normal; 0 gives -infinity, negative gives NaN. */
double vt_log(double x);

/* Error function, relative error 4e-16. */
double vt_erf(double x);

/* Cube root, 1 ulp, any sign. */
double vt_cbrt(double x);

/* Angle of the point (x, y) from the x axis, -pi .. pi: relative error 4e-16; 0 at the origin. */
double vt_atan2(double y, double x);

#endif
