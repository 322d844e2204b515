/* What is in a container that jumps goes with it.
 *
 * A substep ends where the container jumps that carries the fluid (state/container_frame.h), and is
 * all before the jump. Then what the container holds, vortons, tracers and bodies that move by
 * themselves, is taken along as it is, turned as the container is. Nobody sees a velocity. */
#pragma once

#include "contact/particle_contact.h"
#include "model/pose.h"

/* At the start of a substep, in a step of `step` seconds: whether a jump is due, and the jump
 * itself. */
int vti_jumps_at_start(const vt_simulation *s, double step);
void vti_jump_at_start(vt_simulation *s, double step);

/* The time to the next jump, at most dt. */
double vti_until_jump(const vt_simulation *s, double dt);

/* Once it is known that the substep is dt long: if it ends with a jump, what jumps then waits. */
void vti_await_jump(vt_simulation *s, double dt);

/* The last time before the jump that ends a substep of dt; INFINITY: there is none. */
double vti_before_jump(const vt_simulation *s, double dt);

/* When particles have moved, and before contact: takes the jump, if there is one. */
void vti_jump_at_end(vt_simulation *s, double dt, const vt_contacts *contacts);

/* Takes along what the container holds, from one pose to another, between two steps; seen from its
 * centre, which moves with these velocities before and after, m/s, nothing has changed. */
void vti_take_along(vt_simulation *s, const vt_pose *from, const vt_pose *to,
                    const double before[3], const double after[3]);
