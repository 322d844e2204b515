/* Cells of the lattice: which walls may be met in each of them, how far particles may go there
 * without a look, and planes that part a cell from a wall. Seen from a convex body a particle runs
 * straight from pose to pose: where both ends lie beyond a plane that has all of the body behind
 * it, nothing is met. */
#pragma once

#include "contact/swept_walls.h"
#include "state/kept_walls.h"

/* The lattice (no cells: there is none), once all walls are there, in arena memory or, where all
 * bodies rest, in that of `kept`. */
void vti_make_lattice(vt_walls *walls, const vt_crowd *crowd, vt_kept_lattice *kept,
                      vt_arena *arena, int threads);
