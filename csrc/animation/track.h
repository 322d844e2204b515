/* Tracks (vt_track in vorton.h): functions of time, piecewise polynomials between keys.
 *
 * From key k to key k + 1, with u = (t - t_k) / (t_k+1 - t_k) in [0, 1):
 *
 *   constant   v_k
 *   linear     v_k + u (v_k+1 - v_k)
 *   smooth     the cubic of Hermite with the slopes of Fritsch and Butland (1984): the harmonic
 *              mean of the slopes of the two neighbouring intervals, weighted by their lengths, and
 *              0 where these differ in sign. At the two ends of a run of smooth intervals the slope
 *              is 0, so that two smooth keys ease in and out.
 *
 * Each component stays between the values of its two keys, so what holds for the keys holds at all
 * times. Before the first key the value is the first, after the last the last. */
#pragma once

#include "vorton.h"

/* Steps and keys are no later, s: births are numbered by time x rate, up to 1e9 a second, which
 * must stay a whole number of 64 bits. */
#define VT_LATEST_TIME 1e9

/* What the keys of a track may be. */
typedef struct vt_track_range {
    int32_t components;
    double least, most; /* of every value, -infinity and infinity for none */
    int32_t above;      /* least itself is not allowed */
    const char *unit;   /* for messages */
} vt_track_range;

/* Checks a track that stands for the parameter `name`: the error names it, the key, its time and
 * value and what is allowed. range NULL: any finite values. */
vt_status vti_check_track(const vt_track *track, const char *name, const vt_track_range *range);

/* A copy in memory of its own of a track that was checked; VT_OUT_OF_MEMORY leaves nothing to
 * destroy. */
vt_status vti_copy_track(const vt_track *track, vt_track *copy);

/* Only for copies; one that is all 0 is allowed. */
void vti_destroy_track(vt_track *track);

/* Time of a key, s. */
static inline double vti_key_time(const vt_track *track, int64_t key)
{
    return track->times ? track->times[key] : track->start + (double)key / track->rate;
}

/* The last key with a time <= time, or -1 before the first. */
int64_t vti_find_key(const vt_track *track, double time);

/* Coefficients of one component from key k < count - 1 to the next: at t it is c[0] + c[1] d +
 * c[2] d^2 + c[3] d^3 with d = t - time of key k. */
void vti_track_polynomial(const vt_track *track, int64_t key, int component, double c[4]);

/* Smallest and largest value of one component of a track over all times. */
void vti_track_extremes(const vt_track *track, int component, double *least, double *most);

/* The mean from one time to another, or the value where they are equal. */
void vti_mean_of_track(const vt_track *track, double from, double to, double *mean);

/* The polynomial at d, and its integral from 0 to d. */
static inline double vti_polynomial(const double c[4], double d)
{
    return c[0] + d * (c[1] + d * (c[2] + d * c[3]));
}

static inline double vti_polynomial_integral(const double c[4], double d)
{
    return d * (c[0] + d * (c[1] / 2 + d * (c[2] / 3 + d * (c[3] / 4))));
}
