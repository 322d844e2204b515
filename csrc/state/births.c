#include "state/births.h"

#include "core/mathd.h"
#include "core/random.h"

void vt_fill_region(const vt_region *region, uint64_t seed, int64_t count, float *position)
{
    int64_t born = 0;
    for (uint64_t n = 0; born < count; n++) {
        double uvw[3];
        vt_sequence_point(seed, n, uvw);
        born += vt_region_point(region, uvw, position + 3 * born);
    }
}

/* Candidates for each birth. */
static double tries(const vt_birth_stream *stream)
{
    return stream->region->box_volume / stream->region->volume;
}

static double candidate_time(const vt_birth_stream *stream, double spacing, int64_t n)
{
    if (!stream->sum)
        return stream->start + (double)n * spacing;
    const double time =
        vt_time_of_sum(stream->sum, stream->sum->at_start + (double)n / tries(stream));
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
    return vt_sum_at(stream->sum, last) - vt_sum_at(stream->sum, first);
}

/* The first candidate not before the time: found by division, then by the times themselves, which
 * are the same in every interval. */
static int64_t first_candidate(const vt_birth_stream *stream, double spacing, double time)
{
    if (!(time > stream->start))
        return 0;
    int64_t n =
        stream->sum
            ? (int64_t)((vt_sum_at(stream->sum, time) - stream->sum->at_start) * tries(stream))
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
