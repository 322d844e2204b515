/* Tracks: functions of time. */
#ifndef VORTON_ANIMATION_H
#define VORTON_ANIMATION_H

#include "vorton/base.h"

VT_BEGIN_C

enum { VT_TRACK_CONSTANT, VT_TRACK_LINEAR, VT_TRACK_SMOOTH };

/* Keyframes, or samples at a fixed rate. Before the first key the value is the first, after the
 * last the last. Between two keys it is the first of them (constant), runs straight (linear), or
 * follows a cubic that passes the keys smoothly and never leaves the range of its two keys (smooth:
 * monotone cubic of Fritsch and Butland; it starts and ends flat). */
typedef struct vt_track {
    size_t struct_size;
    int32_t components;   /* numbers in a value, 1 .. 16 (default 1) */
    int64_t count;        /* keys, >= 1 */
    const double *times;  /* count, s, each later than the one before; NULL: samples, number n is at
                             start + n / rate */
    const double *values; /* count x components, finite */
    const uint8_t *interpolation; /* count, VT_TRACK_... from each key to the next; NULL: linear */
    double start, rate;           /* of samples: s; samples a second, > 0; unused with times */
} vt_track;

/* VT_OK where the track may be used: what follows does not check. Functions that take a track as a
 * parameter check it themselves, and copy it. */
VT_API vt_status vt_validate_track(const vt_track *track);

/* Values (components) at a time, s; and their exact integrals from one time to another (negative
 * where to < from). */
VT_API void vt_evaluate_track(const vt_track *track, double time, double *value);
VT_API void vt_integrate_track(const vt_track *track, double from, double to, double *integral);

/* A parameter of a definition that changes in time. The definition's own value then does not
 * matter, but must be allowed; each key of the track must be what the constant may be. */
typedef struct vt_animation {
    const char *parameter; /* name of the member: each definition says which */
    vt_track track;
} vt_animation;

VT_END_C

#endif
