#include "model/birth_sequence.h"

#include "base/math_double.h"
#include "base/random.h"
#include "base/status.h"
#include "geometry/region_points.h"

/* ---- streams ---- */

static vt_status sum_rate(vt_birth_stream *stream)
{
    const vt_track *const rate = vti_find_animation(&stream->animations, "rate");
    double least;
    if (!rate)
        return VT_OK;
    vti_track_extremes(rate, 0, &least, &stream->rate);
    return vti_create_rate_sum(rate, stream->start, &stream->rate_sum);
}

vt_status vti_animate_stream(const vt_definition *table, int32_t count,
                             const vt_animation *animations, vt_birth_stream *stream)
{
    const vt_status status = vti_copy_animations(table, count, animations, &stream->animations);
    return status ? status : sum_rate(stream);
}

vt_status vti_copy_stream(const vt_definition *table, const vt_birth_stream *from,
                          vt_birth_stream *to)
{
    to->rate_sum = (vt_rate_sum){0};
    to->region = (vt_region){0};
    const vt_status status =
        vti_animate_stream(table, from->animations.count, from->animations.items, to);
    if (!status && vti_copy_region(&from->region, &to->region))
        return vti_fail(VT_OUT_OF_MEMORY, "no memory for the copy of a shape");
    return status;
}

void vti_destroy_stream(vt_birth_stream *stream)
{
    vti_destroy_region(&stream->region);
    vti_destroy_rate_sum(&stream->rate_sum);
    vti_destroy_animations(&stream->animations);
}

/* ---- births ---- */

void vti_fill_region(const vt_region *region, uint64_t seed, int64_t count, float *position)
{
    int64_t born = 0;
    for (uint64_t n = 0; born < count; n++) {
        double uvw[3];
        vti_sequence_point(seed, n, uvw);
        born += vti_region_point(region, uvw, position + 3 * born);
    }
}

void vti_scatter(uint64_t seed, uint64_t birth, double radius, const float around[3],
                 float point[3])
{
    double offset[3] = {0};
    if (radius > 0) {
        const double z = 2.0 * vti_random(seed, 0, birth) - 1.0;
        const double turn = 2.0 * vti_random(seed, 1, birth);
        const double reach = radius * vti_cbrt(vti_random(seed, 2, birth));
        offset[0] = reach * vti_sqrt(1.0 - z * z) * vti_cos_pi(turn);
        offset[1] = reach * vti_sqrt(1.0 - z * z) * vti_sin_pi(turn);
        offset[2] = reach * z;
    }
    for (int c = 0; c < 3; c++)
        point[c] = (float)((double)around[c] + offset[c]);
}

/* Candidates for each birth. */
static double tries(const vt_birth_stream *stream)
{
    return stream->region.box_volume / stream->region.volume;
}

static double candidate_time(const vt_birth_stream *stream, double spacing, int64_t n)
{
    const vt_rate_sum *const sum = &stream->rate_sum;
    if (!sum->track)
        return stream->start + (double)n * spacing;
    const double time = vti_time_of_sum(sum, sum->at_start + (double)n / tries(stream));
    return time > stream->start ? time : stream->start;
}

double vti_expected_births(const vt_birth_stream *stream, double from, double to)
{
    const double first = from > stream->start ? from : stream->start;
    const double last = to < stream->end ? to : stream->end;
    if (!(last > first))
        return 0;
    if (!stream->rate_sum.track)
        return stream->rate * (last - first);
    return vti_sum_at(&stream->rate_sum, last) - vti_sum_at(&stream->rate_sum, first);
}

/* Found by division, then by the times themselves, which are the same in every interval. */
static int64_t first_event(double start, double spacing, double time)
{
    if (!(time > start))
        return 0;
    int64_t n = (int64_t)((time - start) / spacing);
    while (n > 0 && start + (double)(n - 1) * spacing >= time)
        n--;
    while (start + (double)n * spacing < time)
        n++;
    return n;
}

double vti_event_time(const vt_rate_sum *sum, double start, double spacing, int64_t n)
{
    if (!sum || !sum->track)
        return start + (double)n * spacing;
    const double time = vti_time_of_sum(sum, sum->at_start + (double)n);
    return time > start ? time : start;
}

int64_t vti_first_event_of(const vt_rate_sum *sum, double start, double spacing, double time)
{
    if (!sum || !sum->track)
        return first_event(start, spacing, time);
    if (!(time > start))
        return 0;
    const double events = vti_sum_at(sum, time) - sum->at_start;
    int64_t n = events > 0 ? (int64_t)events : 0;
    while (n > 0 && vti_event_time(sum, start, spacing, n - 1) >= time)
        n--;
    while (vti_event_time(sum, start, spacing, n) < time)
        n++;
    return n;
}

int64_t vti_stream_events(const vt_birth_stream *stream, double from, double to, int64_t *first)
{
    const double spacing = 1 / stream->rate, last = to < stream->end ? to : stream->end;
    *first = vti_first_event_of(&stream->rate_sum, stream->start, spacing, from);
    const int64_t end = vti_first_event_of(&stream->rate_sum, stream->start, spacing, last);
    return end > *first ? end - *first : 0;
}

double vti_stream_time(const vt_birth_stream *stream, int64_t n)
{
    return vti_event_time(&stream->rate_sum, stream->start, 1 / stream->rate, n);
}

/* The first candidate not before the time. */
static int64_t first_candidate(const vt_birth_stream *stream, double spacing, double time)
{
    const vt_rate_sum *const sum = &stream->rate_sum;
    if (!sum->track)
        return first_event(stream->start, spacing, time);
    if (!(time > stream->start))
        return 0;
    const double births = vti_sum_at(sum, time) - sum->at_start;
    int64_t n = births > 0 ? (int64_t)(births * tries(stream)) : 0;
    while (n > 0 && candidate_time(stream, spacing, n - 1) >= time)
        n--;
    while (candidate_time(stream, spacing, n) < time)
        n++;
    return n;
}

int64_t vti_stream_births(const vt_birth_stream *stream, double from, double to, int64_t room,
                          float *position, double *time)
{
    const vt_region *const region = &stream->region;
    const double spacing = region->volume / region->box_volume / stream->rate;
    const double last = to < stream->end ? to : stream->end;
    const int64_t end = first_candidate(stream, spacing, last);
    int64_t born = 0;
    for (int64_t n = first_candidate(stream, spacing, from); n < end && born < room; n++) {
        double uvw[3];
        float point[3];
        vti_sequence_point(stream->seed, (uint64_t)n, uvw);
        if (!vti_region_point(region, uvw, point))
            continue;
        if (region->growth.count > 0) {
            const vt_region now = vti_region_at(region, candidate_time(stream, spacing, n));
            if (!vti_region_contains(&now, point))
                continue;
        }
        if (position) {
            time[born] = candidate_time(stream, spacing, n);
            for (int c = 0; c < 3; c++)
                position[3 * born + c] = point[c];
        }
        born++;
    }
    return born;
}
