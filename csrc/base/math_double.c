#include "base/math_double.h"

/* coefficients[0] + x coefficients[1] + ... by Horner's rule. */
static inline double polynomial(double x, const double *coefficients, int count)
{
    double sum = coefficients[count - 1];
    for (int i = count - 2; i >= 0; i--)
        sum = sum * x + coefficients[i];
    return sum;
}

#define POLYNOMIAL(x, table) polynomial(x, table, (int)(sizeof(table) / sizeof((table)[0])))

static inline double not_a_number(void)
{
    return __builtin_nan("");
}

/* 2^exponent, -1022 .. 1023. */
static inline double power_of_two(int64_t exponent)
{
    const uint64_t bits = (uint64_t)(exponent + 1023) << 52;
    double power;
    memcpy(&power, &bits, 8);
    return power;
}

double vti_power_below(double size)
{
    double power = 1;
    while (power > size && power > 0x1p-60)
        power /= 2;
    while (2 * power <= size && power < 0x1p60)
        power *= 2;
    return power;
}

double vti_floor(double x)
{
    const double whole = (double)(int64_t)x;
    return whole > x ? whole - 1.0 : whole;
}

/* Nearest integer, |x| < 2^51: the sum has no bits left below 1. */
static inline double nearest(double x)
{
    const double large = 0x1.8p52;
    return (x + large) - large;
}

/* ---- trigonometry: reduced to |x| <= pi / 4, Taylor series ---- */

static double sine_of_reduced(double x)
{
    static const double series[] = {
        -1.0 / 6.0,        1.0 / 120.0,        -1.0 / 5040.0,          1.0 / 362880.0,
        -1.0 / 39916800.0, 1.0 / 6227020800.0, -1.0 / 1307674368000.0, 1.0 / 355687428096000.0};
    const double square = x * x;
    return x + x * square * POLYNOMIAL(square, series);
}

static double cosine_of_reduced(double x)
{
    static const double series[] = {
        1.0 / 24.0,        -1.0 / 720.0,         1.0 / 40320.0,          -1.0 / 3628800.0,
        1.0 / 479001600.0, -1.0 / 87178291200.0, 1.0 / 20922789888000.0, -1.0 / 6402373705728000.0};
    const double square = x * x, half = 0.5 * square, rough = 1.0 - half;
    /* What the subtraction rounded away is added back. */
    return rough + (((1.0 - rough) - half) + square * square * POLYNOMIAL(square, series));
}

/* Sine of x + quarters x 90 degrees, |x| <= pi / 4. */
static double sine_of_quarters(double x, int64_t quarters)
{
    const double value = quarters & 1 ? cosine_of_reduced(x) : sine_of_reduced(x);
    return quarters & 2 ? -value : value;
}

static double sine_of_half_turns(double x, int64_t shift)
{
    if (!(vti_abs(x) < 0x1p51))
        return not_a_number();
    const double quarters = nearest(2.0 * x);
    return sine_of_quarters(VT_PI * (x - 0.5 * quarters), (int64_t)quarters + shift);
}

double vti_sin_pi(double x)
{
    return sine_of_half_turns(x, 0);
}

double vti_cos_pi(double x)
{
    return sine_of_half_turns(x, 1);
}

static double sine_of_radians(double x, int64_t shift)
{
    /* pi / 2 in three parts; the first two have 33 bits, so that their multiples are exact. */
    static const double part[3] = {0x1.921fb544p+0, 0x1.0b4611a6p-34, 0x1.3198a2e037073p-69};
    if (!(vti_abs(x) < 1e5))
        return not_a_number();
    const double quarters = nearest(x * (2.0 / VT_PI));
    const double reduced = ((x - quarters * part[0]) - quarters * part[1]) - quarters * part[2];
    return sine_of_quarters(reduced, (int64_t)quarters + shift);
}

double vti_sin(double x)
{
    return sine_of_radians(x, 0);
}

double vti_cos(double x)
{
    return sine_of_radians(x, 1);
}

/* ---- exponential and logarithm ---- */

/* ln 2 in two parts; the first has 32 bits. */
static const double ln2_high = VT_LN2_HIGH, ln2_low = VT_LN2_LOW;

double vti_exp(double x)
{
    static const double series[] = {1.0 / 2.0,        1.0 / 6.0,         1.0 / 24.0,
                                    1.0 / 120.0,      1.0 / 720.0,       1.0 / 5040.0,
                                    1.0 / 40320.0,    1.0 / 362880.0,    1.0 / 3628800.0,
                                    1.0 / 39916800.0, 1.0 / 479001600.0, 1.0 / 6227020800.0};
    if (x < -708.0)
        return 0.0;
    if (!(x < 709.79))
        return x > 0.0 ? __builtin_inf() : not_a_number();
    const double power = nearest(x * 1.4426950408889634074);
    const double high = x - power * ln2_high, low = power * ln2_low, r = high - low;
    const double fraction = 1.0 + (high + ((r * r) * POLYNOMIAL(r, series) - low));
    /* Two factors, as 2^1024 is no double. */
    return (fraction * 2.0) * power_of_two((int64_t)power - 1);
}

double vti_log(double x)
{
    if (!(x > 0.0))
        return x == 0.0 ? -__builtin_inf() : not_a_number();
    return vti_is_finite(x) ? vti_log_of_normal(x) : x;
}

/* ---- error function ---- */

double vti_erf(double x)
{
    /* 2 / sqrt(pi) times the sum of (-1)^n x^(2n) / (n! (2n + 1)) for |x| < 1 */
    static const double series[] = {-1.0 / 3.0,
                                    1.0 / 10.0,
                                    -1.0 / 42.0,
                                    1.0 / 216.0,
                                    -1.0 / 1320.0,
                                    1.0 / 9360.0,
                                    -1.0 / 75600.0,
                                    1.0 / 685440.0,
                                    -1.0 / 6894720.0,
                                    1.0 / 76204800.0,
                                    -1.0 / 918086400.0,
                                    1.0 / 11975040000.0,
                                    -1.0 / 168129561600.0,
                                    1.0 / 2528170444800.0,
                                    -1.0 / 40537905408000.0,
                                    1.0 / 690452066304000.0};
    /* (1 - erf x) e^(x^2) on [1, 6], near-minimax in u = (72 / (x + 3) - 13) / 5, -1 .. 1 */
    static const double scaled[] = {
        2.07983291333428862e-1,   1.54361174294369172e-1,   4.96984454033946414e-2,
        1.27131476956921971e-2,   2.47931469707818565e-3,   3.31602960576412497e-4,
        1.95635832461371139e-5,   -2.42555747190503165e-6,  -5.54127447846771324e-7,
        4.52670076424874073e-9,   1.13395380617447066e-8,   2.63815089850807326e-10,
        -2.57151142960325499e-10, -6.04740594599170402e-12, 6.08579159068709146e-12};
    const double size = vti_abs(x), square = x * x;
    if (size < 1.0)
        return x * (1.12837916709551257390 +
                    1.12837916709551257390 * square * POLYNOMIAL(square, series));
    if (size > 6.0)
        return x > 0.0 ? 1.0 : -1.0;
    const double u = (72.0 / (size + 3.0) - 13.0) / 5.0;
    const double value = 1.0 - vti_exp(-square) * POLYNOMIAL(u, scaled);
    return x > 0.0 ? value : -value; /* NaN comes through the polynomial */
}

/* ---- cube root ---- */

double vti_cbrt(double x)
{
    const double size = vti_abs(x);
    if (size == 0.0 || !vti_is_finite(x))
        return x;
    /* A third of the exponent gives 5 % ; Halley's rule cubes the error each time. */
    uint64_t bits;
    memcpy(&bits, &size, 8);
    bits = bits / 3 + 0x2a9f789300000000u;
    double root;
    memcpy(&root, &bits, 8);
    for (int i = 0; i < 3; i++) {
        const double cube = root * root * root;
        root = root * ((cube + (size + size)) / ((cube + cube) + size));
    }
    return x > 0.0 ? root : -root;
}

/* ---- angles ---- */

double vti_atan2(double y, double x)
{
    const double tan_eighth = 0.41421356237309504880; /* of pi / 8 */
    const double wide = vti_abs(x), high = vti_abs(y);
    const double most = wide > high ? wide : high, least = wide > high ? high : wide;
    if (!(most > 0.0))
        return most == 0.0 ? 0.0 : x + y;
    double t = least / most, turn = 0.0;
    if (t > tan_eighth) {
        t = (least - most) / (least + most);
        turn = VT_PI / 4;
    }
    /* atan t = t - t^3 / 3 + t^5 / 5 ... */
    const double square = t * t;
    double sum = 0.0;
    for (int n = 45; n >= 3; n -= 2)
        sum = square * ((n % 4 == 3 ? -1.0 : 1.0) / n + sum);
    double angle = turn + (t + t * sum);
    angle = high > wide ? VT_PI / 2 - angle : angle;
    angle = x < 0.0 ? VT_PI - angle : angle;
    return y < 0.0 ? -angle : angle;
}
