/* No fluid flows through bodies: source panels on their surfaces, solved for with every field.
 *
 * Each solve: velocity of vortons, wind and charges at the centroids, or their means over panels
 * (onset); densities from the condition that the sum does not pass the surface, body by body, a few
 * rounds where bodies are near each other; the panels as charges into the scalar potential of the
 * field (field/scalar_potential.h); what the grid lacks of them, at the nodes near the surface
 * (kernels/bodies/panel_patches.h). Nodes inside a body mirror the flow outside, so that what is
 * interpolated there does not see the inside; and within a fraction of a panel of the surface the
 * rest of the normal velocity is taken away:
 *
 *   u -= n ((u - v_b) . n) exp(-(d / width)^2)
 *
 * Within panels wider than some cells, as those of a floor, the flow is kept from a face cell by
 * cell, as far as no other face is near: to 5 or 10 % of what the wall does where the body is
 * thicker than vortices are far, in a floor half as thick to a third of it. Panels of a plane alone
 * lie under the vortons, and twice as far along it as these are above it; among several shapes a
 * plane is a wall of a hole, and has none in a solid. Bodies that stand on a plane have their
 * images in it, which act as panels do (panels/joint_panels.h).
 *
 * Walls far from the flow lie outside the grid. They see of it what its moments give
 * (far_velocity), cut the coarser the farther they are, and act inside by what they make of the
 * potential on the faces; points outside sum over them.
 *
 * All in the frame of the working grid, which goes with the uniform wind from the beginning of a
 * substep on: positions less its way, velocities less the wind. Acts with velocity poisson alone;
 * force fields are not seen. */
#pragma once

#include "state/panels.h"

/* Gives bodies that deform the form of a time, s, before anything asks how large they are; their
 * panels are not solved for yet. */
void vti_form_walls(vt_simulation *s, double time);

/* Where the bodies are, and what blows, for the fields to come: at a time, in a frame that has gone
 * `way` (m). To be called before vti_solve_field, with the winds of then set. */
void vti_pose_panels(vt_simulation *s, double time, const double way[3]);

/* The widest cells, m, with which a body that sheds nothing has all its panels. */
double vti_resolving_cells(const vt_body *body);

/* A bound of the velocity gradient about the bodies, 1/s, and the largest speed of a surface
 * against the grid, m/s, for the length of a substep. */
double vti_panel_gradient(const vt_simulation *s);
double vti_panel_speed(const vt_simulation *s);

/* The largest speed at which a body that sheds and the fluid pass each other, m/s. */
double vti_wake_speed(const vt_simulation *s);

/* The speed at which a body goes through the uniform wind, m/s, whatever stirs the fluid there. */
double vti_speed_through_wind(const vt_paneled_body *b);

/* ---- the panels, for those who use the flow at the surface ----
 *
 * The panels of now: s->panels (state/simulation.h), those of body number b are panels
 * [first, first + count) of the vt_paneled_body that vti_panels_of(s, b) returns (NULL: it has
 * none, or they do not act now). center, normal, area, density of each are set by vti_solve_field,
 * and hold for the pose of that solution: at the first stage of a substep, that of its beginning.
 */
const vt_paneled_body *vti_panels_of(const vt_simulation *s, int32_t body);

/* Volume inside the panels of a body, m^3. */
double vti_paneled_volume(const vt_paneled_body *b);

/* Velocity of the body at a point, m/s, both in the frame of the grid; of one that deforms that of
 * the space in which it does so. */
void vti_rigid_velocity(const vt_paneled_body *b, const double point[3], double velocity[3]);

/* Velocity of its centre: that, and how the centre moves as it deforms. */
void vti_centre_velocity(const vt_paneled_body *b, double velocity[3]);

/* Velocity of its wall next to a point: that, and how the wall itself deforms there. */
void vti_wall_velocity(const vt_paneled_body *b, const double point[3], double velocity[3]);
