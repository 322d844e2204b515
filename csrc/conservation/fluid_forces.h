/* Forces on the fluid (force.def): an acceleration f makes vorticity,
 *
 *   d omega / dt = curl f,   dI/dt = integral f dV,   dA/dt = integral x cross f dV
 *
 * (Saffman, Vortex Dynamics, 1992, chapter 3). f is taken at the nodes of the grid, from the
 * velocity that they have in the middle of the substep. Central differences give curl f, and h^3
 * times that is the strength of a node: for these differences the sums over the strengths of the
 * nodes, which are those of the linear and of the angular impulse, are h^3 sum f and h^3 sum x
 * cross f exactly, wherever f falls to 0 within the grid. Each node hands its strength to the
 * vortons around it, by their shares of the volume there (trilinear weights): the sum of the
 * strengths is kept, and what their first moments and angular impulse lack the new strengths get by
 * the least change.
 *
 * What aims at a velocity within a time T takes 1 - exp(-dt / T) of the difference in a substep of
 * dt, however long. */
#pragma once

#include "model/grid.h"
#include "state/simulation.h"

/* Adds to the strengths of the vortons what forces on the fluid make in a substep of dt seconds,
 * and books the impulse. Before the end of the substep: records are those of its last field (which
 * stands `since` seconds after the beginning), sorted by grid row. */
void vti_force_fluid(vt_simulation *s, double dt, double since, int64_t count,
                     const vt_record *records, const uint32_t *row_start);

/* A bound of the acceleration of fluid at rest by all of them now, m/s^2. */
double vti_largest_force(const vt_simulation *s);
