/* A jet (vt_jet_def): which ring each of its pulses makes. */
#ifndef VORTON_STATE_JET_H
#define VORTON_STATE_JET_H

#include "vorton.h"

/* The error names the field, its value and what is allowed. */
vt_status vt_check_jet(const vt_jet_def *def);

/* Pulses a second. */
double vt_jet_rate(const vt_jet_def *def);

/* The jet as it is at a time. */
vt_jet_def vt_jet_at(const vt_jet_def *def, double time);

/* The ring of pulse n (0, 1, ...), to be born at its `time`. */
vt_ring_def vt_jet_ring(const vt_jet_def *def, int64_t pulse);

#endif
