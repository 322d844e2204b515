/* What is in a container that jumps goes with it.
 *
 * A substep ends where the container jumps that carries the fluid (carrier.h), and is all before
 * the jump. Then what the container holds, vortons, tracers and bodies that move by themselves, is
 * taken along as it is, turned as the container is. Nobody sees a velocity. */
#ifndef VORTON_JUMPS_H
#define VORTON_JUMPS_H

#include "contacts.h"

/* At the start of a substep, of a step that is so long: what is due now is done. */
int vt_jumps_at_start(const vt_simulation *s, double step);
void vt_jump_at_start(vt_simulation *s, double step);

/* dt, or the time to the next jump if that is less. */
double vt_until_jump(const vt_simulation *s, double dt);

/* Once it is known that the substep is dt long: if it ends with a jump, what jumps then waits. */
void vt_await_jump(vt_simulation *s, double dt);

/* The last time before the jump that ends a substep of dt; INFINITY: there is none. */
double vt_before_jump(const vt_simulation *s, double dt);

/* When particles have moved, and before contact: takes the jump, if there is one. */
void vt_jump_at_end(vt_simulation *s, double dt, const vt_contacts *contacts);

/* Takes along what the container holds, from one pose to another, between two steps; seen from its
 * centre, which moves with these velocities before and after, m/s, nothing has changed. */
void vt_take_along(vt_simulation *s, const vt_pose *from, const vt_pose *to, const double before[3],
                   const double after[3]);

#endif
