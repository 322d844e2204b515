/* Elementary functions in double, from + - * / and sqrt alone: tables, births and reference sums
 * have the same bits whatever libm the machine has. Errors are those measured against 40-digit
 * values over the stated ranges; NaN gives NaN everywhere. Compiled once, for the baseline target,
 * with -ffp-contract=off. Denormal results may be flushed to zero. */
#pragma once

#include <stdint.h>
#include <string.h>

#define VT_PI 3.14159265358979323846
#define VT_SQRT_HALF 0.70710678118654752440
#define VT_LN2_HIGH 0x1.62e42feep-1 /* ln 2, in two parts */
#define VT_LN2_LOW 0x1.a39ef35793c76p-33

/* |x|, and the square root (correctly rounded). */
static inline double vti_abs(double x)
{
    return __builtin_fabs(x);
}

static inline double vti_sqrt(double x)
{
    return __builtin_sqrt(x);
}

static inline int vti_is_finite(double x)
{
    return x - x == 0.0;
}

/* The largest power of 2 that is at most a size, which is > 0; within 2^-60 and 2^60. */
double vti_power_below(double size);

/* Largest integer not above x, as a double; |x| < 2^62. */
double vti_floor(double x);

/* sin(pi x) and cos(pi x): exact at multiples of 1/2, 2 ulp elsewhere; |x| < 2^51, else NaN. */
double vti_sin_pi(double x);
double vti_cos_pi(double x);

/* sin(x) and cos(x), radians: absolute error 3e-16 for |x| < 1e5, NaN beyond. */
double vti_sin(double x);
double vti_cos(double x);

/* sin(2 pi x), |x| < 2^51, inline: a loop over it becomes one of vectors. Absolute error 4e-16, and
 * what rounding x to a double makes of it. */
static inline double vti_sine_of_turns(double x)
{
    static const double series[] = {1.0,
                                    -1.0 / 6.0,
                                    1.0 / 120.0,
                                    -1.0 / 5040.0,
                                    1.0 / 362880.0,
                                    -1.0 / 39916800.0,
                                    1.0 / 6227020800.0,
                                    -1.0 / 1307674368000.0,
                                    1.0 / 355687428096000.0,
                                    -1.0 / 121645100408832000.0,
                                    1.0 / 51090942171709440000.0};
    const double large = 0x1.8p52, rest = x - ((x + large) - large); /* -1/2 to 1/2 */
    const double size = vti_abs(rest), mirrored = 0.5 - size;
    const double angle = 2 * VT_PI * (size < mirrored ? size : mirrored), square = angle * angle;
    double sum = series[10];
    for (int n = 9; n >= 0; n--)
        sum = sum * square + series[n];
    return __builtin_copysign(angle * sum, rest);
}

/* e^x: 1 ulp; 0 below -708, infinity above 709.78. */
double vti_exp(double x);

/* Natural logarithm: 1 ulp; x > 0 and normal; 0 gives -infinity, negative gives NaN. */
double vti_log(double x);

/* Natural logarithm of a finite, normal x > 0, inline: a loop over it becomes one of vectors. */
static inline double vti_log_of_normal(double x)
{
    static const double series[] = {2.0 / 3.0,  2.0 / 5.0,  2.0 / 7.0,  2.0 / 9.0,  2.0 / 11.0,
                                    2.0 / 13.0, 2.0 / 15.0, 2.0 / 17.0, 2.0 / 19.0, 2.0 / 21.0};
    /* x = 2^power (1 + f), 1 + f between sqrt(1/2) and sqrt(2). */
    uint64_t bits;
    memcpy(&bits, &x, 8);
    const uint64_t shifted = bits + (0x3ff0000000000000u - 0x3fe6a09e667f3bcdu);
    const double power = (double)((int64_t)(shifted >> 52) - 1023);
    bits = (shifted & 0x000fffffffffffffu) + 0x3fe6a09e667f3bcdu;
    double f;
    memcpy(&f, &bits, 8);
    f -= 1.0;
    /* ln(1 + f) = 2 artanh(s) = 2 s + s R(s^2), s = f / (2 + f); 2 s = f - s f keeps f exact. */
    const double s = f / (2.0 + f), square = s * s;
    double sum = series[9];
    for (int i = 8; i >= 0; i--)
        sum = sum * square + series[i];
    const double rest = s * (f - square * sum);
    return power * VT_LN2_HIGH + (f - (rest - power * VT_LN2_LOW));
}

/* Error function, relative error 4e-16. */
double vti_erf(double x);

/* Cube root, 1 ulp, any sign. */
double vti_cbrt(double x);

/* Angle of the point (x, y) from the x axis, -pi .. pi: relative error 4e-16; 0 at the origin. */
double vti_atan2(double y, double x);
