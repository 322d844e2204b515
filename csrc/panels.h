/* No fluid flows through bodies: source panels on their surfaces, solved for with every field.
 *
 * Each solve: velocity of vortons, wind and charges at the centroids (onset); densities from the
 * condition that the sum does not pass the surface, body by body, a few rounds where bodies are
 * near each other; the panels as charges into the scalar potential of the field (potential.h); what
 * the grid lacks of them, at the nodes near the surface (stages/patches.h). Nodes inside a body
 * mirror the flow outside, so that what is interpolated there does not see the inside; and within a
 * fraction of a panel of the surface the rest of the normal velocity is taken away:
 *
 *   u -= n ((u - v_b) . n) exp(-(d / width)^2)
 *
 * Walls of containers far from the flow lie outside the grid. They see of it what its moments give
 * (far_velocity), cut the coarser the farther they are, and act inside by what they make of the
 * potential on the faces; points outside sum over them.
 *
 * All in the frame of the working grid, which goes with the uniform wind from the beginning of a
 * substep on: positions less its way, velocities less the wind. Acts with velocity poisson alone;
 * force fields are not seen. */
#ifndef VORTON_PANELS_H
#define VORTON_PANELS_H

#include "state/simulation.h"

/* Whether any body has panels that act. */
int vt_has_panels(const vt_simulation *s);

/* Whether bodies would move fluid that carries nothing: with wind, or where they move. */
int vt_panels_stir(const vt_simulation *s);

/* Adds the boxes around bodies with panels as they are now to bounds (m); *any: whether these hold
 * anything yet. Where that would make a large grid of a small one, at this spacing (m), what lies
 * far from the bounds is left out: panels outside the grid do not act, but for those of containers,
 * which act from there (vt_outer_charge). */
void vt_add_panel_bounds(const vt_simulation *s, double spacing, double least[3], double most[3],
                         int *any);

/* Spacing that suits the panels where there are no vortons, m; 0 without panels. */
double vt_panel_spacing(const vt_simulation *s);

/* Where the bodies are, and what blows, for the fields to come: at a time, in a frame that has gone
 * `way` (m). To be called before vt_solve_field, with the winds of then set. */
void vt_pose_panels(vt_simulation *s, double time, const double way[3]);

/* Cuts the panels for the grid that is laid out, before anything else is asked of them. */
void vt_cut_panels(vt_simulation *s);

/* Densities of the panels from the vector potential, and from the scalar one where
 * grid.has_potential, that the grid holds now. */
void vt_solve_densities(vt_simulation *s);

/* How many charges the panels are for the grid at most, and their records: returns how many. */
int64_t vt_count_panel_charges(const vt_simulation *s);
int64_t vt_collect_panel_charges(vt_simulation *s, vt_record *charges);

/* Adds the velocity (m/s) of the panels that charges outside the grid stand for (s->panels.outer,
 * set by vt_collect_panel_charges) at points outside it (count x 3, m). */
void vt_add_outer_panels(vt_simulation *s, int64_t count, const float *points, float *velocity);

/* After the velocity at the nodes is known: what the grid lacks of the panels. */
void vt_correct_nodes(vt_simulation *s);

/* Takes away what flows into walls at points (count x 3, m) with these velocities (m/s), both in
 * the frame of the grid. */
void vt_hold_velocities(vt_simulation *s, int64_t count, const float *points, float *velocity);

/* Cells, laid out as the nodes, in which what moves may come so near to a surface that
 * vt_hold_velocities has something to say; NULL without panels. */
const uint8_t *vt_cells_near_panels(vt_simulation *s);

/* A bound of the velocity gradient about the bodies, 1/s, and the largest speed of a surface
 * against the grid, m/s, for the length of a substep. */
double vt_panel_gradient(const vt_simulation *s);
double vt_panel_speed(const vt_simulation *s);

/* ---- for what is made of the flow at the surface ----
 *
 * The panels of now: s->panels (state/simulation.h), those of body number b are panels
 * [first, first + count) of the vt_paneled_body that vt_panels_of(s, b) returns (NULL: it has none,
 * or they do not act now). center, normal, area, density of each are set by vt_solve_field, and
 * hold for the pose of that solution: at the first stage of a substep, that of its beginning. */
const vt_paneled_body *vt_panels_of(const vt_simulation *s, int32_t body);

/* Velocity of the fluid at the outer side of the panels (first to first + count), in the world (the
 * uniform wind included), m/s: count x 3. Costs count^2 pairs. */
void vt_find_surface_velocity(vt_simulation *s, const vt_paneled_body *b, float *velocity);

/* Velocity at the centroids of all but the panels of the body itself, in the frame of the grid. */
void vt_find_passing_velocity(vt_simulation *s, const vt_paneled_body *b, float *velocity);

/* What the flow, that of other bodies included, pulls at the sources within wide panels of a body
 * with, about its centre, m^4/s^2. */
vt_impulse vt_find_wide_pull(vt_simulation *s, const vt_paneled_body *b);

/* Velocity of the vortons alone at a point (m) from the vector potential that the grid holds now,
 * m/s. */
void vt_vortical_velocity(const vt_simulation *s, const double point[3], float velocity[3]);

/* Its mean over a panel (a number in s->panels), `depth` (m) under it: over the patches of a wide
 * one, as the panels themselves take it. *patch is where its patches are looked for: of a body the
 * first, then where the last panel, one of a lower number, has left it. */
void vt_vortical_panel_velocity(const vt_simulation *s, const vt_paneled_body *b, int32_t panel,
                                double depth, int32_t *patch, float velocity[3]);

/* Volume inside the panels of a body, m^3. */
double vt_paneled_volume(const vt_paneled_body *b);

/* Velocity of the body at a point, m/s, both in the frame of the grid. */
void vt_rigid_velocity(const vt_paneled_body *b, const double point[3], double velocity[3]);

#endif
