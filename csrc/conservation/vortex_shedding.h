/* Vortices that bodies shed: the layer in which fluid would slip along them becomes vortons.
 *
 * Nothing is shed by planes and holes; nor by a body that is farther from the vortons than half
 * their extent, where neither wind nor a body stirs the fluid: the force on it drops there to about
 * an eighth; nor where what slips is less than a hundredth of the fastest flow; nor by a panel of
 * more than 16 to 32 square cores, beside which the flow is small, unless a body or a wind stirs
 * the fluid: then such a panel sheds at several points (conservation/layer_points.h). */
#pragma once

#include "vorton.h"

/* How many panels the bodies that shed have: at each of them a layer slips. */
int64_t vti_count_slipping(const vt_simulation *s);

/* At how many points layers are shed: the most vortons that a substep adds. */
int64_t vti_count_layer_points(const vt_simulation *s);

/* VT_OVER_CAPACITY where the policy refuses that many beside those that are still to be born. */
vt_status vti_check_shedding(const vt_simulation *s, int64_t reserved);

/* Slip of the panels of all bodies that shed (conservation/surface_slip.h) at the start of a
 * substep and, where `at` is not 0, after that share of it. */
typedef struct vt_slip {
    float *start, *later;
    double at;
} vt_slip;

/* At the end of a substep of dt, what a layer that slips along each of them, n cross (u - v_b) per
 * area, has shed at the rate of the body k becomes strength of vortons a part of a core above it,
 * one for each of its points: of the one that was shed there last, while that is near, else of a
 * newborn one. A slip that grows by p m/s^2 while it is shed, from S on, sheds S (1 - e^(-k dt)) +
 * p (dt - (1 - e^(-k dt)) / k). What there is no room for, beside `reserved` vortons that are still
 * to be born, stays with the body.
 */
void vti_shed_layers(vt_simulation *s, int64_t reserved, double dt, const vt_slip *slip);
