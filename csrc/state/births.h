/* Births inside a region: pure functions of (seed, number of the candidate), so that they do not
 * depend on steps, threads or resumes. Candidate n is point n of the sequence of `seed`
 * (core/random.h) scaled to the region's box; it is born if it lies inside. */
#ifndef VORTON_STATE_BIRTHS_H
#define VORTON_STATE_BIRTHS_H

#include "state/shapes.h"
#include "state/track.h"

/* The first `count` points that are born: position receives count x 3 floats, m. */
void vt_fill_region(const vt_region *region, uint64_t seed, int64_t count, float *position);

/* A rate that changes in time, >= 0: the births so far at each key, so that any number of births
 * can be turned into a time. */
typedef struct vt_rate_sum {
    const vt_track *track;
    double *at_key;  /* integral from the first key to each; owned */
    double at_start; /* from the first key to the start of the stream: negative before it */
} vt_rate_sum;

/* The track must outlive the sum. VT_OUT_OF_MEMORY leaves nothing to destroy. */
vt_status vt_create_rate_sum(const vt_track *track, double start, vt_rate_sum *sum);
void vt_destroy_rate_sum(vt_rate_sum *sum);

/* A stream of births. Of box_volume / volume candidates one is born on average: candidate n is at
 * start + n x volume / box_volume / rate or, for a rate that changes, at the last time at which its
 * integral from start is n x volume / box_volume; all before end. */
typedef struct vt_birth_stream {
    const vt_region *region;
    uint64_t seed;
    double start, end;      /* s */
    double rate;            /* births a second on average, > 0, up to 1e9 */
    const vt_rate_sum *sum; /* NULL: rate is constant */
} vt_birth_stream;

/* Births in [from, to) on average. */
double vt_expected_births(const vt_birth_stream *stream, double from, double to);

/* The births with time in [from, to), in the order of their times: writes the first `room` of them
 * to position (room x 3, m) and time (room, s), and returns how many. An interval cut in two has
 * the same births as the whole one. A first call with position NULL counts them, up to room. */
int64_t vt_stream_births(const vt_birth_stream *stream, double from, double to, int64_t room,
                         float *position, double *time);

#endif
