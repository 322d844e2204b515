/* Motion of the bodies over a substep. */
#ifndef VORTON_BODY_MOTION_H
#define VORTON_BODY_MOTION_H

#include "state/simulation.h"

/* Most substeps a second that the bodies ask for: none turns farther than a radian in one. */
double vt_body_rate(const vt_simulation *s);

/* Moves the bodies that are placed from s->time to s->time + dt, as soon as dt is known: from then
 * on vt_body_pose knows where they are in between. has_field as of vt_look_around. */
void vt_move_bodies(vt_simulation *s, int has_field, double dt);

/* Adds to what the flow gives a body in this substep, N s and, about its centre, N m s. */
void vt_push_body(vt_simulation *s, int32_t body, const double impulse[3],
                  const double angular_impulse[3]);

/* At the end of the substep: the pushes change the velocities. */
void vt_finish_bodies(vt_simulation *s);

#endif
