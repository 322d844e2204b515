#include "sources/random_eddies.h"

#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/vec3.h"
#include "sources/random_cloud.h"

/* The least that they resolve. */
static const double cores_in_eddy = 4;

/* Of the mean: the slowest and the fastest eddy. */
static const double least_pace = 0.5, most_pace = 1.5;

/* Key of the random numbers. */
enum { PACES = 0x70616365 };

double vti_least_eddy(double core)
{
    return cores_in_eddy * core;
}

vt_random_eddies *vti_create_random_eddies(uint64_t seed, double eddy, double core,
                                           const double sweep[3], double turnover)
{
    vt_random_eddies *const swirl = vti_allocate(sizeof *swirl);
    if (!swirl)
        return NULL;
    memcpy(swirl->sweep, sweep, sizeof swirl->sweep);
    for (uint64_t n = 0; n < VT_SWIRL_WAVES; n++) {
        const double share = least_pace + (most_pace - least_pace) * vti_random(seed, PACES, n);
        const double pace = (n % 2 ? turnover : -turnover) * share;
        swirl->wave[n] = vti_make_wave(seed, eddy, core, n);
        const double square = vti_dot(swirl->wave[n].k, swirl->wave[n].k);
        swirl->frequency[n] = vti_sqrt(square) * pace;
        for (int k = 0; k < VT_MOST_FILTERS; k++)
            swirl->share[n][k] = vti_share_by_filters(swirl->wave[n].k, core, k + 1);
    }
    return swirl;
}

/* Adds value and curl of all waves at a point (either NULL: not wanted), for cores of so many
 * filters. */
static void add_waves(const vt_random_eddies *swirl, const double point[3], double time,
                      int filters, double v[3], double curl[3])
{
    double at[3];
    for (int a = 0; a < 3; a++)
        at[a] = point[a] - swirl->sweep[a] * time;
    for (int n = 0; n < VT_SWIRL_WAVES; n++) {
        vt_wave wave = swirl->wave[n];
        const double turns = swirl->frequency[n] * time / (2 * VT_PI);
        wave.phase += turns - vti_floor(turns);
        double turn[3] = {0, 0, 0};
        vti_add_wave(&wave, at, v, curl ? turn : NULL);
        if (curl)
            vti_add_scaled(curl, swirl->share[n][filters - 1], turn);
    }
}

void vti_random_eddies_at(const vt_random_eddies *swirl, const vt_pose *pose, const double point[3],
                          double time, double speed, double volume, int filters, float strength[3])
{
    const double scale = speed * vti_sqrt(2.0 / VT_SWIRL_WAVES);
    double turned[3], curl[3] = {0, 0, 0};
    add_waves(swirl, point, time, filters, NULL, curl);
    vti_pose_direction(pose, curl, turned);
    for (int a = 0; a < 3; a++) /* the speed is one of the world, over lengths that have grown */
        strength[a] = (float)(scale * turned[a] * volume / pose->scale);
}

void vti_random_eddies_value(const vt_random_eddies *swirl, const double point[3], double time,
                             double v[3])
{
    v[0] = v[1] = v[2] = 0;
    add_waves(swirl, point, time, 1, v, NULL);
    for (int a = 0; a < 3; a++)
        v[a] *= vti_sqrt(2.0 / VT_SWIRL_WAVES);
}

/* The modified Bessel function I0: the mean of exp(x cos t) over all t. */
static double mean_of_exponential(double x)
{
    double term = 1, sum = 1;
    for (int n = 1; term > 1e-17 * sum; n++) {
        term *= 0.25 * x * x / (n * n);
        sum += term;
    }
    return sum;
}

double vti_random_eddies_gust(const vt_random_eddies *swirl, double rms, double time)
{
    static const double origin[3] = {0, 0, 0};
    double v[3] = {0, 0, 0}, square = 0, mean = 1;
    for (int n = 0; n < VT_SWIRL_WAVES; n++) {
        const double *const a = swirl->wave[n].amplitude;
        square += 0.5 * (a[0] + a[1] + a[2]) * (a[0] + a[1] + a[2]);
    }
    const double scale = vti_sqrt(vti_log(1 + rms * rms) / square);
    for (int n = 0; n < VT_SWIRL_WAVES; n++) {
        const double *const a = swirl->wave[n].amplitude;
        mean *= mean_of_exponential(scale * (a[0] + a[1] + a[2]));
    }
    add_waves(swirl, origin, time, 1, v, NULL);
    return vti_exp(scale * (v[0] + v[1] + v[2])) / mean;
}

double vti_random_eddies_noise(const vt_random_eddies *swirl, const double point[3], double time)
{
    double v[3] = {0, 0, 0};
    add_waves(swirl, point, time, 1, v, NULL);
    return vti_sqrt(2.0 / VT_SWIRL_WAVES) * (v[0] + v[1] + v[2]);
}
