/* Contact of bodies that move by themselves with each other and with all others. */
#pragma once

#include "contact/body_narrow_phase.h"

typedef struct vt_collisions {
    vt_body_contact *touches; /* in the order of their bodies; in arena memory */
    int32_t count;
} vt_collisions;

/* VT_INVALID_ARGUMENT where body n, which need not be counted yet, does not fit to one before it: a
 * body that moves by itself juts out of a container by more than a hundredth of its radius, or
 * into another of its kind by more than a quarter; any other body is outside of a container, all
 * of it, and no keys lead it in. */
vt_status vti_check_start(vt_simulation *s, int32_t n);

/* Changes the velocities of the bodies, as they are now, at a time, so that in the next dt
 * none goes into another: those that run into each other part again with their restitution, those
 * that slide are braked by friction. What they exchange is entered into their records. */
void vti_collide(vt_simulation *s, double time, double dt, vt_collisions *collisions);

/* After they have moved by dt: brings those apart that are too deep in each other, and lets them
 * rest on what they touched. */
void vti_settle(vt_simulation *s, double time, double dt, const vt_collisions *collisions);
