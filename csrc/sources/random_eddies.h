/* Random eddies in the fluid that leaves an emitter: velocity
 *
 *   v = speed sqrt(2 / waves) sum_n a_n cos(k_n . (x - sweep t) + pace_n |k_n| t + phase_n),
 *
 * |a_n| = 1, with the waves of a cloud (sources/random_cloud.h), whose curl has no divergence. The
 * pattern moves with the velocity sweep, and each eddy turns over in the time that a wavelength
 * takes at the speed pace_n, of either sign: one that stays for long would lean all that is born
 * towards one side. */
#pragma once

#include "model/pose.h"
#include "state/sources.h"

/* The least size of eddies that vortons of the given core (m) resolve. */
double vti_least_eddy(double core);

/* Of a size (m), as strong once vortons of the given core (m) have smoothed them; from malloc, NULL
 * without memory. The mean of |pace| is `turnover`, m/s. */
vt_random_eddies *vti_create_random_eddies(uint64_t seed, double eddy, double core,
                                           const double sweep[3], double turnover);

/* Strength of a vorton of a volume (of the world, m^3) that is born at a point of the space of the
 * pose, whose core is made of so many filters (vti_core_filters); speed in m/s of the world, rms.
 */
void vti_random_eddies_at(const vt_random_eddies *swirl, const vt_pose *pose, const double point[3],
                          double time, double speed, double volume, int filters, float strength[3]);

/* v of speed 1, rms, at a point of that space. */
void vti_random_eddies_value(const vt_random_eddies *swirl, const double point[3], double time,
                             double v[3]);

/* A positive factor that changes at random in time, of mean 1 over long times: the exponential of
 * the waves at the origin. Were these normally distributed its deviations would have the root mean
 * square `rms`; as a sum of few waves they have one a little smaller. */
double vti_random_eddies_gust(const vt_random_eddies *swirl, double rms, double time);

/* A random number at a point of that space, of mean 0 and variance 1, that changes as smoothly. */
double vti_random_eddies_noise(const vt_random_eddies *swirl, const double point[3], double time);
