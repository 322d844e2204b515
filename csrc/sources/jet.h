/* A jet (vt_jet_def): which ring each of its pulses makes. */
#pragma once

#include "animation/parameters.h"
#include "animation/rate_integral.h"

typedef struct vt_jet {
    vt_jet_def def;
    vt_animations animations;
    vt_rate_sum rate_sum; /* of an animated rate */
} vt_jet;

/* The error names the field, its value and what is allowed. */
vt_status vti_check_jet(const vt_jet_def *def);

/* Pulses a second. */
double vti_jet_rate(const vt_jet_def *def);

/* A copy of a definition that was checked; VT_OUT_OF_MEMORY leaves nothing to destroy. */
vt_status vti_create_jet(const vt_jet_def *def, vt_jet *jet);
void vti_destroy_jet(vt_jet *jet);

/* The ring of pulse n (0, 1, ...), to be born at its `time`. */
vt_ring_def vti_jet_ring(const vt_jet *jet, int64_t pulse);
