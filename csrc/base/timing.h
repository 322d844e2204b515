/* Wall-clock time of the stages of a frame (vorton/timings.def), kept per simulation. */
#pragma once

#include "base/threads.h"

typedef struct vt_timer {
    double last, total; /* s: in the last step, since creation */
    int64_t calls;
} vt_timer;

static inline double vti_now(void)
{
    return 1e-9 * (double)vti_clock_ns();
}

static inline void vti_timer_add(vt_timer *timer, double since)
{
    const double spent = vti_now() - since;
    timer->last += spent;
    timer->total += spent;
    timer->calls++;
}

/* Adds to *total the seconds since `since`: times a stage of simulation s. */
#define VT_TIMED(s, stage, call)                                                                   \
    do {                                                                                           \
        const double since_ = vti_now();                                                           \
        call;                                                                                      \
        vti_timer_add(&(s)->timers[VT_TIME_OF_##stage], since_);                                   \
    } while (0)
