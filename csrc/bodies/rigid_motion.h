/* Motion of the bodies over a substep. */
#pragma once

#include "vorton.h"

/* Most substeps a second that the bodies ask for: none turns farther than a radian in one. */
double vti_body_rate(const vt_simulation *s);

/* Moves the bodies that are placed from s->time to s->time + dt, as soon as dt is known: from then
 * on vti_body_pose knows where they are in between. has_field as of vti_look_around. */
void vti_move_bodies(vt_simulation *s, int has_field, double dt);

/* Adds to the impulse that the flow gives a body in this substep: N s and, about its centre, N m s.
 */
void vti_push_body(vt_simulation *s, int32_t body, const double impulse[3],
                   const double angular_impulse[3]);

/* At the end of the substep: the pushes change the velocities. */
void vti_finish_bodies(vt_simulation *s);
