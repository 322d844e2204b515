/* The vortons of a cloud of random eddies (vt_cloud_def).
 *
 * omega = curl (w v) = w curl v + grad w x v. v is a sum of plane waves a cos(k . x + phase) with a
 * normal to k; directions of k from a low-discrepancy sequence over the sphere, |k| even in its
 * logarithm. Blobs of radius sigma smooth a wave by exp(-k^2 sigma^2 / 2): its amplitude is made
 * larger by as much. w is the window of the shape (geometry/smooth_window.h). Vortons lie at the
 * points of births (model/birth_sequence.h), strength = omega x volume. */
#pragma once

#include "state/sources.h"

/* Wave n of a seed, amplitude 1 once blobs of radius core have smoothed it. */
vt_wave vti_make_wave(uint64_t seed, double eddy, double core, uint64_t n);

/* A wave that Gaussian cores smooth to amplitude 1, cores of so many filters (vti_core_filters)
 * smooth to more, since these leave 1 - (1 - g)^filters of the share g that Gaussian ones leave:
 * how many times as strong it is to be instead. */
double vti_share_by_filters(const double k[3], double core, int filters);

/* Checks a vt_cloud_def and makes a structure of it: the error names the field, its value and what
 * is allowed. On failure there is nothing to destroy. */
vt_status vti_create_cloud(const void *def, vt_structure *made);
