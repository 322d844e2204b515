/* Wall-clock time of the stages, kept per simulation. */
#ifndef VORTON_CORE_TIMING_H
#define VORTON_CORE_TIMING_H

#include <stdint.h>
#include <time.h>

typedef struct vt_timer {
    double last, total; /* s: in the last step, since creation */
    int64_t calls;
} vt_timer;

static inline double vt_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline void vt_timer_add(vt_timer *timer, double since)
{
    const double spent = vt_now() - since;
    timer->last += spent;
    timer->total += spent;
    timer->calls++;
}

#endif
