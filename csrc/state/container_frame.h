/* The container that carries the fluid along.
 *
 * Fluid is in all containers at once, so in the smallest of them, which then takes it along as a
 * whole: seen from there gravity is g - A, with A the acceleration of the centre of the container.
 * Fluid of other density feels that as it feels gravity, and sloshes. (That a container turns moves
 * its fluid by its walls alone.) A is, as gravity is, the mean over the step: the velocity at its
 * end less that at its start, over its length, so that keys at which the velocity changes at once
 * count for what they change. Where a container jumps it has no velocity. One without end, of
 * planes, takes nothing along, and one without panels does not move its fluid. */
#pragma once

#include "state/simulation.h"

/* The smallest container that ends somewhere, of those the first; NULL: there is none. */
const vt_body *vti_find_frame_body(const vt_simulation *s);

/* Of its centre at a time, m/s. */
void vti_find_frame_velocity(const vt_simulation *s, const vt_body *body, double time,
                             double velocity[3]);

/* At the start of a step of dt: finds the acceleration of the fluid. */
void vti_begin_frame(vt_simulation *s, double dt);

/* At the end of a step that succeeded. */
void vti_end_frame(vt_simulation *s);

/* Of a step of which only the first `done` seconds could be done; where there are none, it is as
 * `before`. */
void vti_stop_frame(vt_simulation *s, const vt_container_frame *before, double done);

/* The fluid, with the gravity that differences of its density feel. */
vt_fluid vti_fluid_in_container(const vt_simulation *s);

/* Whether differences of density may set fluid at rest in motion. */
int vti_is_lifted(const vt_simulation *s);

/* Whether walls with panels take the fluid along, in whose place no wind blows. They see the flow
 * in a frame that moves with them, so it goes with them exactly. Then `way` becomes what it has
 * gone from one time to another, m, without jumps; or its velocity, m/s, where these are equal. */
int vti_carry(const vt_simulation *s, double from, double to, double way[3]);

/* How much of the change of the wind since the last call, one in each substep, is due to that. */
void vti_find_frame_change(vt_simulation *s, double change[3]);
