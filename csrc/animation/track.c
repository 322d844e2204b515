#include "animation/track.h"

#include <float.h>
#include <stdio.h>

#include "base/growing_array.h"
#include "base/math_double.h"
#include "base/memory.h"
#include "base/status.h"

static const int64_t most_values = (int64_t)1 << 28; /* of one track */
enum { MOST_COMPONENTS = 16 };

/* ---- checks ---- */

static vt_status check_layout(const vt_track *track, const char *name)
{
    if (!track)
        return vti_fail(VT_INVALID_ARGUMENT, "%s: track must not be NULL", name);
    if (track->components < 1 || track->components > MOST_COMPONENTS)
        return vti_fail(VT_INVALID_ARGUMENT, "%s: components is %d; allowed is 1 to %d", name,
                        track->components, MOST_COMPONENTS);
    if (track->count < 1 || track->count > most_values / track->components)
        return vti_fail(VT_INVALID_ARGUMENT, "%s: count of keys is %lld; allowed is 1 to %lld",
                        name, (long long)track->count,
                        (long long)(most_values / track->components));
    if (!track->values)
        return vti_fail(VT_INVALID_ARGUMENT, "%s: values must not be NULL", name);
    return VT_OK;
}

static vt_status check_samples(const vt_track *track, const char *name)
{
    if (!(track->rate > 0 && track->rate <= 1e9))
        return vti_fail(VT_INVALID_ARGUMENT,
                        "%s: rate is %g samples a second; allowed is > 0 to 1e9", name,
                        track->rate);
    if (!(vti_abs(track->start) <= VT_LATEST_TIME) ||
        !(vti_key_time(track, track->count - 1) <= VT_LATEST_TIME))
        return vti_fail(VT_INVALID_ARGUMENT,
                        "%s: samples from %g s to %g s; allowed are times within %g s", name,
                        track->start, vti_key_time(track, track->count - 1), VT_LATEST_TIME);
    return VT_OK;
}

static vt_status check_times(const vt_track *track, const char *name)
{
    for (int64_t k = 0; k < track->count; k++) {
        if (!(vti_abs(track->times[k]) <= VT_LATEST_TIME))
            return vti_fail(VT_INVALID_ARGUMENT,
                            "%s: time of key %lld is %g s; allowed are finite times within %g s",
                            name, (long long)k, track->times[k], VT_LATEST_TIME);
        if (k > 0 && !(track->times[k] > track->times[k - 1]))
            return vti_fail(VT_INVALID_ARGUMENT,
                            "%s: time of key %lld is %g s; allowed is later than the key before, "
                            "%g s",
                            name, (long long)k, track->times[k], track->times[k - 1]);
    }
    return VT_OK;
}

static vt_status check_interpolation(const vt_track *track, const char *name)
{
    for (int64_t k = 0; track->interpolation && k < track->count; k++)
        if (track->interpolation[k] > VT_TRACK_SMOOTH)
            return vti_fail(VT_INVALID_ARGUMENT,
                            "%s: interpolation of key %lld is %d; allowed is 0 (constant), 1 "
                            "(linear) or 2 (smooth)",
                            name, (long long)k, track->interpolation[k]);
    return VT_OK;
}

static int is_in_range(const vt_track_range *range, double value)
{
    return (range->above ? value > range->least : value >= range->least) && value <= range->most;
}

/* VT_INVALID_ARGUMENT, "<what> <value>; allowed is ...". */
static vt_status fail_range(const vt_track_range *range, const char *what, double value)
{
    char most[64] = "";
    if (range->most < DBL_MAX)
        snprintf(most, sizeof most, " and <= %g", range->most);
    return vti_fail(VT_INVALID_ARGUMENT, "%s %g; allowed is %s%s %g%s%s%s", what, value,
                    range->most == DBL_MAX ? "finite and " : "",
                    range->above ? ">" : ">=", range->least, most, range->unit[0] ? " " : "",
                    range->unit);
}

static vt_status check_values(const vt_track *track, const char *name, const vt_track_range *range)
{
    static const vt_track_range any = {.least = -DBL_MAX, .most = DBL_MAX, .unit = ""};
    range = range ? range : &any;
    for (int64_t n = 0; n < track->count * track->components; n++) {
        const double value = track->values[n];
        const int64_t key = n / track->components;
        if (vti_is_finite(value) && is_in_range(range, value))
            continue;
        char what[128];
        snprintf(what, sizeof what, "%.60s: key %lld (t = %g s) =", name, (long long)key,
                 vti_key_time(track, key));
        return vti_is_finite(value)
                   ? fail_range(range, what, value)
                   : vti_fail(VT_INVALID_ARGUMENT, "%s %g; allowed is finite", what, value);
    }
    return VT_OK;
}

vt_status vti_check_track(const vt_track *track, const char *name, const vt_track_range *range)
{
    vt_status status = check_layout(track, name);
    if (!status && range && track->components != range->components)
        status = vti_fail(VT_INVALID_ARGUMENT, "%s: components is %d; allowed is %d", name,
                          track->components, range->components);
    if (!status)
        status = track->times ? check_times(track, name) : check_samples(track, name);
    if (!status)
        status = check_interpolation(track, name);
    return status ? status : check_values(track, name, range);
}

vt_status vt_validate_track(const vt_track *track)
{
    return vti_check_track(track, "track", NULL);
}

/* ---- copies ---- */

vt_status vti_copy_track(const vt_track *track, vt_track *copy)
{
    const size_t keys = (size_t)track->count;
    *copy = *track;
    copy->values = vti_copy_of(track->values, keys * (size_t)track->components * sizeof(double));
    copy->times = vti_copy_of(track->times, keys * sizeof(double));
    copy->interpolation = vti_copy_of(track->interpolation, keys);
    if (copy->values && !copy->times == !track->times &&
        !copy->interpolation == !track->interpolation)
        return VT_OK;
    vti_destroy_track(copy);
    return vti_fail(VT_OUT_OF_MEMORY, "no memory for a track of %lld keys",
                    (long long)track->count);
}

void vti_destroy_track(vt_track *track)
{
    vti_free((void *)(uintptr_t)track->values);
    vti_free((void *)(uintptr_t)track->times);
    vti_free((void *)(uintptr_t)track->interpolation);
    *track = (vt_track){0};
}

/* ---- polynomials ---- */

int64_t vti_find_key(const vt_track *track, double time)
{
    int64_t low = -1, high = track->count; /* time of low <= time < time of high */
    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        if (vti_key_time(track, middle) <= time)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Of the interval that begins at the key. */
static int interpolation_of(const vt_track *track, int64_t key)
{
    return track->interpolation ? track->interpolation[key] : VT_TRACK_LINEAR;
}

static double secant(const vt_track *track, int64_t key, int component)
{
    const double *const v = track->values + key * track->components + component;
    return (v[track->components] - v[0]) /
           (vti_key_time(track, key + 1) - vti_key_time(track, key));
}

/* Slope of a smooth track at a key. */
static double slope(const vt_track *track, int64_t key, int component)
{
    if (key == 0 || key == track->count - 1 ||
        interpolation_of(track, key - 1) != VT_TRACK_SMOOTH ||
        interpolation_of(track, key) != VT_TRACK_SMOOTH)
        return 0;
    const double here = vti_key_time(track, key);
    const double before = here - vti_key_time(track, key - 1);
    const double after = vti_key_time(track, key + 1) - here;
    const double left = secant(track, key - 1, component), right = secant(track, key, component);
    if (!(left > 0 && right > 0) && !(left < 0 && right < 0))
        return 0;
    return 3 * (before + after) / ((before + 2 * after) / left + (2 * before + after) / right);
}

void vti_track_polynomial(const vt_track *track, int64_t key, int component, double c[4])
{
    const double length = vti_key_time(track, key + 1) - vti_key_time(track, key);
    const int interpolation = interpolation_of(track, key);
    c[0] = track->values[key * track->components + component];
    c[1] = c[2] = c[3] = 0;
    if (interpolation == VT_TRACK_CONSTANT)
        return;
    const double mean = secant(track, key, component);
    c[1] = mean;
    if (interpolation == VT_TRACK_LINEAR)
        return;
    const double end = slope(track, key + 1, component);
    c[1] = slope(track, key, component);
    c[2] = (3 * mean - 2 * c[1] - end) / length;
    c[3] = (c[1] + end - 2 * mean) / (length * length);
}

/* ---- values and integrals ---- */

/* Rounding must not leave the range of the two keys: what was checked at the keys must hold. */
static double between(double x, double a, double b)
{
    const double low = a < b ? a : b, high = a < b ? b : a;
    return x < low ? low : x > high ? high : x;
}

void vt_evaluate_track(const vt_track *track, double time, double *value)
{
    const int64_t key = vti_find_key(track, time), last = track->count - 1;
    const double *const v = track->values + (key < 0 ? 0 : key) * track->components;
    for (int c = 0; c < track->components; c++) {
        value[c] = v[c];
        if (key < 0 || key >= last)
            continue;
        double p[4];
        vti_track_polynomial(track, key, c, p);
        value[c] = between(vti_polynomial(p, time - vti_key_time(track, key)), v[c],
                           v[c + track->components]);
    }
}

/* From the key's time, or the first key's for key -1, to `time`. */
static double integral_from_key(const vt_track *track, int64_t key, int component, double time)
{
    const int64_t from = key < 0 ? 0 : key;
    const double d = time - vti_key_time(track, from);
    double c[4] = {track->values[from * track->components + component], 0, 0, 0};
    if (key >= 0 && key < track->count - 1)
        vti_track_polynomial(track, key, component, c);
    return vti_polynomial_integral(c, d);
}

void vt_integrate_track(const vt_track *track, double from, double to, double *integral)
{
    const int64_t first = vti_find_key(track, from), last = vti_find_key(track, to);
    for (int c = 0; c < track->components; c++) {
        double sum = 0;
        for (int64_t k = first; k < last; k++)
            sum += k < 0 ? 0 : integral_from_key(track, k, c, vti_key_time(track, k + 1));
        for (int64_t k = last; k < first; k++)
            sum -= k < 0 ? 0 : integral_from_key(track, k, c, vti_key_time(track, k + 1));
        integral[c] =
            sum + integral_from_key(track, last, c, to) - integral_from_key(track, first, c, from);
    }
}

void vti_track_extremes(const vt_track *track, int component, double *least, double *most)
{
    *least = *most = track->values[component];
    for (int64_t k = 1; k < track->count; k++) {
        const double value = track->values[k * track->components + component];
        *least = value < *least ? value : *least;
        *most = value > *most ? value : *most;
    }
}

/* Rounding must not leave the range of the keys: a viscosity below 0, say. */
void vti_mean_of_track(const vt_track *track, double from, double to, double *mean)
{
    if (!(to > from)) {
        vt_evaluate_track(track, from, mean);
        return;
    }
    vt_integrate_track(track, from, to, mean);
    for (int c = 0; c < track->components; c++) {
        double low, high;
        vti_track_extremes(track, c, &low, &high);
        mean[c] = between(mean[c] / (to - from), low, high);
    }
}
