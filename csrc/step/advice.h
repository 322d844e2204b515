/* What a step warns of (model/warnings.h): scenes that work, but not as a user can have meant. */
#pragma once

#include "state/sources.h"

/* Sources that stream, and make too many vortons: those planned for a step of dt seconds. */
void vti_look_for_many_vortons(vt_simulation *s, const vt_births *births, double dt);

/* Bodies whose wakes have grown long: nothing removes what they shed. */
void vti_look_for_long_wakes(vt_simulation *s);

/* Vortons that have become many while a source goes on, most of them neutral, maybe: what a source
 * bears in a second need not be much. */
void vti_look_for_crowds(vt_simulation *s);

/* Emitters that the fluid around them leaves sooner than they fill it, in a step of dt seconds. */
void vti_look_for_thin_trails(vt_simulation *s, double dt);

/* A step of `step` seconds would take `count` substeps like the next one, for diffusion alone. */
void vti_look_at_diffusion(vt_simulation *s, double count, double step);

/* Bodies that were asked for more panels than they have, with the grid of now or those that they
 * touch. */
void vti_look_for_fewer_panels(vt_simulation *s);

/* Bodies that are so large beside a core that they do not shed all of their layer. */
void vti_look_for_lost_layers(vt_simulation *s);

/* Bodies that shed, and that in a step of `step` seconds, or 1/24 s of it, would pass the fluid by
 * many of their radii. An error where one goes so far through the wind that its wake would never be
 * made: there a flow that has blown up does not count. */
vt_status vti_check_ways(vt_simulation *s, double step);

/* Rows alive, of vortons and tracers. */
typedef struct vt_alive {
    int64_t rows[2];
} vt_alive;

/* A set that grows, and that has little room left: after a step of dt seconds that began with so
 * many rows. */
void vti_look_for_little_room(vt_simulation *s, const vt_births *births, const vt_alive *before,
                              double dt);

/* Fuel that nothing sets on fire, after a step of dt seconds. */
void vti_look_for_unlit_fuel(vt_simulation *s, double dt);
