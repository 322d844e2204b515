/* How bodies see each other's panels. */
#pragma once

#include "state/panels.h"

/* Lays out the panels of bodies beside others as whole patches, before the functions below. */
void vti_lay_whole_panels(vt_simulation *s);

/* Adds the velocity (count x 3) of what the panels of all other bodies emit evenly, with those that
 * are solved for with it or without, at points of b in cells. */
void vti_add_neighbours(vt_simulation *s, const vt_paneled_body *b, int with_joined, int64_t count,
                        const float *cells, float *velocity);

/* Adds the velocity of what their single patches emit beyond that. */
void vti_add_excess_around(vt_simulation *s, const vt_paneled_body *b, int64_t count,
                           const float *cells, float *velocity);

/* Whether any two bodies that are solved for apart see each other. */
int vti_have_neighbours(const vt_panels *p);
