/* Rates of births that change in time: their exact integral, and its inverse. Both are pure
 * functions, so births do not depend on how time is cut into steps. */
#pragma once

#include "vorton.h"

typedef struct vt_rate_sum {
    const vt_track *track; /* one component, >= 0, in 1/s; not owned */
    double *at_key;        /* births from the first key to each; owned */
    double at_start;       /* from the first key to the start of the stream: negative before it */
} vt_rate_sum;

/* The track must outlive the sum. VT_OUT_OF_MEMORY leaves nothing to destroy. */
vt_status vti_create_rate_sum(const vt_track *track, double start, vt_rate_sum *sum);
void vti_destroy_rate_sum(vt_rate_sum *sum);

/* Births from the first key to a time. */
double vti_sum_at(const vt_rate_sum *sum, double time);

/* The last time at which that sum is `value` >= at_start; infinity where it stays so, or never
 * comes so far. */
double vti_time_of_sum(const vt_rate_sum *sum, double value);
