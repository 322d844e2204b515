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

/* The wave, which turns over at a pace (m/s), becomes number n. */
static void keep_wave(vt_random_eddies *swirl, uint64_t n, vt_wave wave, double core, double pace)
{
    const double turns = 1 / (2 * VT_PI);
    swirl->frequency[n] = turns * vti_sqrt(vti_dot(wave.k, wave.k)) * pace;
    swirl->phase[n] = wave.phase;
    for (int a = 0; a < 3; a++) {
        swirl->wavenumber[a][n] = turns * wave.k[a];
        swirl->amplitude[a][n] = wave.amplitude[a];
        for (int k = 0; k < VT_MOST_FILTERS; k++)
            swirl->curl[k][a][n] = vti_share_by_filters(wave.k, core, k + 1) * wave.curl[a];
    }
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
        keep_wave(swirl, n, vti_make_wave(seed, eddy, core, n), core, pace);
    }
    return swirl;
}

/* Turns of each wave at a point: what its cosine is taken of. */
static void find_turns(const vt_random_eddies *swirl, const double point[3], double time,
                       double turns[VT_SWIRL_WAVES])
{
    double at[3];
    for (int a = 0; a < 3; a++)
        at[a] = point[a] - swirl->sweep[a] * time;
    for (int n = 0; n < VT_SWIRL_WAVES; n++)
        turns[n] = swirl->wavenumber[0][n] * at[0] + swirl->wavenumber[1][n] * at[1] +
                   swirl->wavenumber[2][n] * at[2] + swirl->frequency[n] * time + swirl->phase[n];
}

/* The sum over all waves of `part` x the sine of their turns and of a share of one. */
static void add_waves(const double turns[VT_SWIRL_WAVES], double share,
                      const double part[3][VT_SWIRL_WAVES], double sum[3])
{
    double sine[VT_SWIRL_WAVES];
    for (int n = 0; n < VT_SWIRL_WAVES; n++)
        sine[n] = vti_sine_of_turns(turns[n] + share);
    sum[0] = sum[1] = sum[2] = 0;
    for (int n = 0; n < VT_SWIRL_WAVES; n++)
        for (int a = 0; a < 3; a++)
            sum[a] += part[a][n] * sine[n];
}

void vti_random_eddies_at(const vt_random_eddies *swirl, const vt_pose *pose, const double point[3],
                          double time, double speed, double volume, int filters, float strength[3])
{
    const double scale = speed * vti_sqrt(2.0 / VT_SWIRL_WAVES);
    double turns[VT_SWIRL_WAVES], turned[3], curl[3];
    find_turns(swirl, point, time, turns);
    add_waves(turns, 0.5, swirl->curl[filters - 1], curl); /* minus the sine */
    vti_pose_direction(pose, curl, turned);
    for (int a = 0; a < 3; a++) /* the speed is one of the world, over lengths that have grown */
        strength[a] = (float)(scale * turned[a] * volume / pose->scale);
}

/* Sum of a_n cos(...). */
static void add_amplitudes(const vt_random_eddies *swirl, const double point[3], double time,
                           double v[3])
{
    double turns[VT_SWIRL_WAVES];
    find_turns(swirl, point, time, turns);
    add_waves(turns, 0.25, swirl->amplitude, v);
}

void vti_random_eddies_value(const vt_random_eddies *swirl, const double point[3], double time,
                             double v[3])
{
    add_amplitudes(swirl, point, time, v);
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
    double v[3], all[VT_SWIRL_WAVES], square = 0, mean = 1;
    for (int n = 0; n < VT_SWIRL_WAVES; n++) {
        all[n] = swirl->amplitude[0][n] + swirl->amplitude[1][n] + swirl->amplitude[2][n];
        square += 0.5 * all[n] * all[n];
    }
    const double scale = vti_sqrt(vti_log(1 + rms * rms) / square);
    for (int n = 0; n < VT_SWIRL_WAVES; n++)
        mean *= mean_of_exponential(scale * all[n]);
    add_amplitudes(swirl, origin, time, v);
    return vti_exp(scale * (v[0] + v[1] + v[2])) / mean;
}

double vti_random_eddies_noise(const vt_random_eddies *swirl, const double point[3], double time)
{
    double v[3];
    add_amplitudes(swirl, point, time, v);
    return vti_sqrt(2.0 / VT_SWIRL_WAVES) * (v[0] + v[1] + v[2]);
}
