/* The vortons of a cloud of random eddies (vt_cloud_def).
 *
 * omega = curl (w v) = w curl v + grad w x v. v is a sum of plane waves a cos(k . x + phase) with a
 * normal to k; directions of k from a low-discrepancy sequence over the sphere, |k| even in its
 * logarithm. Blobs of radius sigma smooth a wave by exp(-k^2 sigma^2 / 2): its amplitude is made
 * larger by as much. w is the window of the shape (geometry/smooth_window.h). Vortons lie at the
 * points of births (model/birth_sequence.h), strength = omega x volume. */
#pragma once

#include "geometry/smooth_window.h"
#include "state/sources.h"

enum { VT_CLOUD_WAVES = 96 };

/* Wave n of a seed, amplitude 1 once blobs of radius core have smoothed it. */
vt_wave vti_make_wave(uint64_t seed, double eddy, double core, uint64_t n);

/* Adds the curl of the wave at a point to curl, and its value to v (either NULL: not wanted). */
void vti_add_wave(const vt_wave *wave, const double point[3], double v[3], double curl[3]);

typedef struct vt_cloud {
    vt_cloud_def def;
    vt_region region;
    vt_smooth_window window;
    vt_wave wave[VT_CLOUD_WAVES];
} vt_cloud;

/* Checks the definition and makes window and waves: the error names the field, its value and what
 * is allowed. On failure there is nothing to destroy. */
vt_status vti_create_cloud(const vt_cloud_def *def, vt_cloud *cloud);
void vti_destroy_cloud(vt_cloud *cloud);

int64_t vti_cloud_count(const vt_cloud *cloud);

/* Adds its vortons to an empty list; their strengths sum to 0 within rounding. */
void vti_fill_cloud(const vt_cloud *cloud, vt_vorton_list *list);
