#include "state/births.h"

#include <math.h>
#include <stdlib.h>

#include "core/mathd.h"
#include "core/random.h"
#include "core/status.h"

void vt_fill_region(const vt_region *region, uint64_t seed, int64_t count, float *position)
{
    int64_t born = 0;
    for (uint64_t n = 0; born < count; n++) {
        double uvw[3];
        vt_sequence_point(seed, n, uvw);
        born += vt_region_point(region, uvw, position + 3 * born);
    }
}

/* ---- rates that change ---- */

/* Integral from the first key to a time. */
static double sum_at(const vt_rate_sum *sum, double time)
{
    const vt_track *const track = sum->track;
    const int64_t key = vt_find_key(track, time), from = key < 0 ? 0 : key;
    double c[4] = {track->values[from], 0, 0, 0};
    if (key >= 0 && key < track->count - 1)
        vt_track_polynomial(track, key, 0, c);
    return sum->at_key[from] + vt_polynomial_integral(c, time - vt_key_time(track, from));
}

vt_status vt_create_rate_sum(const vt_track *track, double start, vt_rate_sum *sum)
{
    *sum = (vt_rate_sum){.track = track};
    sum->at_key = malloc(sizeof(double) * (size_t)track->count);
    if (!sum->at_key)
        return vt_fail(VT_OUT_OF_MEMORY, "no memory for a rate of %lld keys",
                       (long long)track->count);
    sum->at_key[0] = 0;
    for (int64_t k = 0; k + 1 < track->count; k++) {
        double c[4];
        vt_track_polynomial(track, k, 0, c);
        const double births =
            vt_polynomial_integral(c, vt_key_time(track, k + 1) - vt_key_time(track, k));
        sum->at_key[k + 1] = sum->at_key[k] + (births > 0 ? births : 0);
    }
    sum->at_start = sum_at(sum, start);
    return VT_OK;
}

void vt_destroy_rate_sum(vt_rate_sum *sum)
{
    free(sum->at_key);
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
        const double excess = vt_polynomial_integral(c, d) - births;
        const double step = excess / vt_polynomial(c, d);
        if (excess == 0 || vt_abs(step) <= 1e-16 * length)
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

/* The last time at which the sum is `value`; infinity where it stays so, or never comes. */
static double time_of_sum(const vt_rate_sum *sum, double value)
{
    const vt_track *const track = sum->track;
    const int64_t key = find_sum(sum, value), last = track->count - 1;
    const double start = vt_key_time(track, key < 0 ? 0 : key);
    const double more = value - sum->at_key[key < 0 ? 0 : key];
    if (key < 0)
        return start + more / track->values[0];
    if (key == last)
        return track->values[last] > 0 ? start + more / track->values[last] : (double)INFINITY;
    double c[4];
    vt_track_polynomial(track, key, 0, c);
    if (!(more > 0))
        return start;
    const double end = vt_key_time(track, key + 1);
    const double time =
        start + invert(c, end - start, more, sum->at_key[key + 1] - sum->at_key[key]);
    return time < end ? time : end;
}

/* ---- candidates ---- */

/* Candidates for each birth. */
static double tries(const vt_birth_stream *stream)
{
    return stream->region->box_volume / stream->region->volume;
}

static double candidate_time(const vt_birth_stream *stream, double spacing, int64_t n)
{
    if (!stream->sum)
        return stream->start + (double)n * spacing;
    const double time = time_of_sum(stream->sum, stream->sum->at_start + (double)n / tries(stream));
    return time > stream->start ? time : stream->start;
}

double vt_expected_births(const vt_birth_stream *stream, double from, double to)
{
    const double first = from > stream->start ? from : stream->start;
    const double last = to < stream->end ? to : stream->end;
    if (!(last > first))
        return 0;
    if (!stream->sum)
        return stream->rate * (last - first);
    return sum_at(stream->sum, last) - sum_at(stream->sum, first);
}

/* The first candidate not before the time: found by division, then by the times themselves, which
 * are the same in every interval. */
static int64_t first_candidate(const vt_birth_stream *stream, double spacing, double time)
{
    if (!(time > stream->start))
        return 0;
    int64_t n = stream->sum
                    ? (int64_t)((sum_at(stream->sum, time) - stream->sum->at_start) * tries(stream))
                    : (int64_t)((time - stream->start) / spacing);
    n = n > 0 ? n : 0;
    while (n > 0 && candidate_time(stream, spacing, n - 1) >= time)
        n--;
    while (candidate_time(stream, spacing, n) < time)
        n++;
    return n;
}

int64_t vt_stream_births(const vt_birth_stream *stream, double from, double to, int64_t room,
                         float *position, double *time)
{
    const vt_region *const region = stream->region;
    const double spacing = region->volume / region->box_volume / stream->rate;
    const double last = to < stream->end ? to : stream->end;
    const int64_t end = first_candidate(stream, spacing, last);
    int64_t born = 0;
    for (int64_t n = first_candidate(stream, spacing, from); n < end && born < room; n++) {
        double uvw[3];
        float point[3];
        vt_sequence_point(stream->seed, (uint64_t)n, uvw);
        if (!vt_region_point(region, uvw, point))
            continue;
        if (position) {
            time[born] = candidate_time(stream, spacing, n);
            for (int c = 0; c < 3; c++)
                position[3 * born + c] = point[c];
        }
        born++;
    }
    return born;
}
