/* The vortons of a vortex ring (vt_ring_def).
 *
 * Sections lie at equal arc lengths along the centreline: the ellipse, times 1 + a radial waviness,
 * plus an axial one. Each waviness is the sum of cosines of modes 2 .. 13 with random phases and an
 * rms of `wobble` (times the mean radius, the axial one). sources/vortex_cross_section.h has the
 * cross-section. */
#pragma once

#include "state/sources.h"

/* The error names the field, its value and what is allowed. */
vt_status vti_check_ring(const vt_ring_def *def);

/* Number of vortons of a ring that was checked. */
int64_t vti_ring_count(const vt_ring_def *def);

/* Adds the vortons of a ring that was checked to an empty list, section by section. The strengths
 * sum to 0 within rounding. */
void vti_fill_ring(const vt_ring_def *def, vt_vorton_list *list);

/* Checks a vt_ring_def and makes a structure of it; on failure there is nothing to destroy. */
vt_status vti_create_ring(const void *def, vt_structure *made);
