#include "animation/rate_integral.h"

#include <math.h>

#include "animation/track.h"
#include "base/math_double.h"
#include "base/memory.h"
#include "base/status.h"

double vti_sum_at(const vt_rate_sum *sum, double time)
{
    const vt_track *const track = sum->track;
    const int64_t key = vti_find_key(track, time), from = key < 0 ? 0 : key;
    double c[4] = {track->values[from], 0, 0, 0};
    if (key >= 0 && key < track->count - 1)
        vti_track_polynomial(track, key, 0, c);
    return sum->at_key[from] + vti_polynomial_integral(c, time - vti_key_time(track, from));
}

vt_status vti_create_rate_sum(const vt_track *track, double start, vt_rate_sum *sum)
{
    *sum = (vt_rate_sum){.track = track};
    sum->at_key = vti_allocate(sizeof(double) * (size_t)track->count);
    if (!sum->at_key)
        return vti_fail(VT_OUT_OF_MEMORY, "no memory for a rate of %lld keys",
                        (long long)track->count);
    sum->at_key[0] = 0;
    for (int64_t k = 0; k + 1 < track->count; k++) {
        double c[4];
        vti_track_polynomial(track, k, 0, c);
        const double births =
            vti_polynomial_integral(c, vti_key_time(track, k + 1) - vti_key_time(track, k));
        sum->at_key[k + 1] = sum->at_key[k] + (births > 0 ? births : 0);
    }
    sum->at_start = vti_sum_at(sum, start);
    return VT_OK;
}

void vti_destroy_rate_sum(vt_rate_sum *sum)
{
    vti_free(sum->at_key);
    *sum = (vt_rate_sum){0};
}

/* The last key at which the sum is <= value, -1 before the first. */
static int64_t find_sum(const vt_rate_sum *sum, double value)
{
    int64_t low = -1, high = sum->track->count;
    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        if (sum->at_key[middle] <= value)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Where in an interval of the length the integral of the polynomial is `births`: Newton's method,
 * kept inside a bracket by halving. */
static double invert(const double c[4], double length, double births, double whole)
{
    double low = 0, high = length, d = length * (births / whole);
    while (low < high) {
        const double excess = vti_polynomial_integral(c, d) - births;
        const double step = excess / vti_polynomial(c, d);
        if (excess == 0 || vti_abs(step) <= 1e-16 * length)
            return d;
        if (excess > 0)
            high = d;
        else
            low = d;
        d -= step;
        if (!(d > low && d < high))
            d = low + 0.5 * (high - low);
        if (!(d > low && d < high))
            return low;
    }
    return low;
}

double vti_time_of_sum(const vt_rate_sum *sum, double value)
{
    const vt_track *const track = sum->track;
    const int64_t key = find_sum(sum, value), last = track->count - 1;
    const double start = vti_key_time(track, key < 0 ? 0 : key);
    const double more = value - sum->at_key[key < 0 ? 0 : key];
    if (key < 0)
        return start + more / track->values[0];
    if (key == last)
        return track->values[last] > 0 ? start + more / track->values[last] : (double)INFINITY;
    double c[4];
    vti_track_polynomial(track, key, 0, c);
    if (!(more > 0))
        return start;
    const double end = vti_key_time(track, key + 1);
    const double time =
        start + invert(c, end - start, more, sum->at_key[key + 1] - sum->at_key[key]);
    return time < end ? time : end;
}
