/* Births inside a region: pure functions of (seed, number of the candidate), so that they do not
 * depend on steps, threads or resumes. Candidate n is point n of the sequence of `seed`
 * (base/random.h) scaled to the region's box; it is born if it lies inside. */
#pragma once

#include "animation/rate_integral.h"
#include "geometry/region.h"

/* What all sources that go on share: births from start to end, each at a time of its own. Of
 * box_volume / volume candidates one is born on average: candidate n is at
 * start + n x volume / box_volume / rate or, for a rate that changes, at the last time at which its
 * integral from start is n x volume / box_volume; all before end. Of a region that grows these are
 * those of its largest extent, of which those are born that lie inside at their own time. */
typedef struct vt_birth_stream {
    vt_animations animations; /* of the members of its definition */
    vt_rate_sum rate_sum;     /* of an animated rate; without a track the rate is constant */
    vt_region region;         /* where candidates lie, with a copy of its mesh; empty: at points */
    vt_fluid_def fluid;       /* what is born carries */
    double lifetime;          /* s */
    double rate, start, end;  /* 1/s, on average, of an animated one the largest, up to 1e9; s */
    uint64_t seed;            /* key of its sequence */
    int32_t parent;           /* transform that places what is born, 0: none */
    int32_t id;               /* of the source */
} vt_birth_stream;

/* Copies the animations of a definition into a stream that has its plain values, and makes an
 * animated rate ready. On failure the stream may be destroyed. */
vt_status vti_animate_stream(const vt_definition *table, int32_t count,
                             const vt_animation *animations, vt_birth_stream *stream);

/* The same of what else a stream owns: `to` has the plain values of `from` already. */
vt_status vti_copy_stream(const vt_definition *table, const vt_birth_stream *from,
                          vt_birth_stream *to);
void vti_destroy_stream(vt_birth_stream *stream);

/* The first `count` points that are born: position receives count x 3 floats, m. */
void vti_fill_region(const vt_region *region, uint64_t seed, int64_t count, float *position);

/* A point anywhere in the ball of a radius (m, may be 0) about another: that of birth number
 * `birth`. */
void vti_scatter(uint64_t seed, uint64_t birth, double radius, const float around[3],
                 float point[3]);

/* Events at a rate that changes, event n where its integral from start is n; sum NULL, or without a
 * track: evenly spaced, at start + n x spacing. The number n of the first one not before a time is
 * the same for every interval that the time ends or begins. */
double vti_event_time(const vt_rate_sum *sum, double start, double spacing, int64_t n);
int64_t vti_first_event_of(const vt_rate_sum *sum, double start, double spacing, double time);

/* The events of a stream at points in [from, to): the number of the first; returns how many. */
int64_t vti_stream_events(const vt_birth_stream *stream, double from, double to, int64_t *first);
double vti_stream_time(const vt_birth_stream *stream, int64_t n);

/* Births in [from, to) on average. */
double vti_expected_births(const vt_birth_stream *stream, double from, double to);

/* The births with time in [from, to), in the order of their times: writes the first `room` of them
 * to position (room x 3, m) and time (room, s), and returns how many. An interval cut in two has
 * the same births as the whole one. A first call with position NULL counts them, up to room. */
int64_t vti_stream_births(const vt_birth_stream *stream, double from, double to, int64_t room,
                          float *position, double *time);
