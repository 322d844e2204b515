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

/* Found by division, then by the times themselves, which are the same in every interval. */
int64_t vt_first_event(double start, double spacing, double time)
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

int64_t vt_stream_births(const vt_birth_stream *stream, double from, double to, int64_t room,
                         float *position, double *time)
{
    const vt_region *const region = stream->region;
    const double spacing = region->volume / region->box_volume / stream->rate;
    const double last = to < stream->end ? to : stream->end;
    const int64_t end = vt_first_event(stream->start, spacing, last);
    int64_t born = 0;
    int64_t n = vt_first_event(stream->start, spacing, from);
    for (; n < end && born < room; n++) {
        double uvw[3];
        float point[3];
        vt_sequence_point(stream->seed, (uint64_t)n, uvw);
        if (!vt_region_point(region, uvw, point))
            continue;
        if (position) {
            time[born] = stream->start + (double)n * spacing;
            for (int c = 0; c < 3; c++)
                position[3 * born + c] = point[c];
        }
        born++;
    }
    return born;
}
