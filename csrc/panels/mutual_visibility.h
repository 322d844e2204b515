/* How bodies see each other's panels. */
#pragma once

#include "state/panels.h"

/* Lays out the panels of bodies beside others as whole patches, before the functions below. */
void vti_lay_whole_panels(vt_simulation *s);

/* Of what a body sees: what the matrix does not know, that is all but what is solved for together
 * with it and the images of that and of itself in planes, and for a plane all but the bodies that
 * stand on it, which with their images pass nothing through it; these images, too; or all others.
 */
typedef enum vt_scope { VT_SOLVED_APART, VT_APART_AND_IMAGES, VT_ALL_OTHERS } vt_scope;

/* Adds the velocity (count x 3) of what the panels in that scope emit evenly, at points of b in
 * cells. */
void vti_add_neighbours(vt_simulation *s, const vt_paneled_body *b, vt_scope scope, int64_t count,
                        const float *cells, float *velocity);

/* Adds the velocity of what single patches emit beyond that, of all others and of images. */
void vti_add_excess_around(vt_simulation *s, const vt_paneled_body *b, int64_t count,
                           const float *cells, float *velocity);

/* Whether any two bodies that are solved for apart see each other. */
int vti_have_neighbours(const vt_panels *p);
