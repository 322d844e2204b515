/* The states between two frames of an archive: slow motion. */
#ifndef VORTON_RETIME_H
#define VORTON_RETIME_H

#include "vorton.h"

VT_BEGIN_C

/* A simulation at a frame, and the velocity of the fluid at its particles then (vt_velocity_at at
 * their positions): 3 floats each, m/s. */
typedef struct vt_moment {
    vt_simulation *simulation;
    const float *vorton_velocity, *tracer_velocity;
} vt_moment;

/* Makes a simulation show what lies between two moments of another one, at a time from the earlier
 * to the later, s. All three were made of the same definition. It is there to be shown, not to go
 * on from.
 *
 * Particles that both moments have (by id) lie on the cubic through both positions with both
 * velocities (Hermite): with steady accelerations the error is of fourth order in the time between
 * the moments. What else they carry is interpolated linearly. One that only the later moment has is
 * there from the time at which it was born, as its age says; one that only the earlier moment has
 * until its lifetime ends, or to the later moment; both move along straight lines. Vortons that
 * come or go otherwise (they split or merged) fade in or out. Bodies and winds are interpolated.
 *
 * VT_INVALID_ARGUMENT: NULL; a time outside; moments of different definitions. VT_OVER_CAPACITY:
 * more particles than there is room for. VT_BUSY: of any of the three. Then nothing has changed. */
VT_API vt_status vt_show_between(vt_simulation *simulation, const vt_moment *earlier,
                                 const vt_moment *later, double time);

VT_END_C

#endif
