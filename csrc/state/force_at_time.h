/* Force fields as they act at a time. */
#pragma once

#include "kernels/particles/force_field.h"
#include "model/pose.h"
#include "state/force_field.h"

typedef struct vt_acting_force {
    vt_current_force now;
    const vt_force *force;
    vt_region region; /* as it is then; not to be destroyed */
    vt_pose pose;
} vt_acting_force;

vt_acting_force vti_force_at(const vt_simulation *simulation, const vt_force *force, double time);

/* Whether it does anything then: a vortex leads fluid to its circulation, to 0 as well. */
int vti_does_act(const vt_acting_force *acting);

/* Whether a force acts at a point of the world. */
int vti_acts_at(const vt_acting_force *acting, const double world[3]);

/* 0 where it acts nowhere nearer than `reach` (m) to a point of the world, as far as is soon seen.
 */
int vti_acts_near(const vt_acting_force *acting, const double world[3], double reach);

/* On the fluid: how much of it acts there, 0 to 1. */
double vti_share_at(const vt_acting_force *acting, const double world[3]);

/* The box of the world in which it acts, m; 0: everywhere. */
int vti_acting_box(const vt_acting_force *acting, double low[3], double high[3]);

/* Core of vortons that resolve how it changes in space, m. 0: it has no length of its own. */
double vti_core_for_force(const vt_acting_force *acting);

/* Its acceleration of fluid at rest, m/s^2, as far as cells of a spacing (m) are to follow it: of
 * turbulence at 2.5 times its root mean square, of gusts at their mean. */
double vti_largest_acceleration(const vt_acting_force *acting, double spacing);
