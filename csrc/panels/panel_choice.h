/* Which bodies have panels, and how many, by the method of now. */
#pragma once

#include "state/body.h"

enum {
    VT_LEAST_PANELS = 20,
    VT_MOST_AIMED = 2048, /* as body.def has it */
    VT_COARSER_PANELS = 4 /* panels of the coarse set */
};

vt_status vti_add_panels(const vt_simulation *s, vt_body *body);

/* The panels of a body as they would be without those that touch it; which: 0 the fine ones, 1 the
 * coarse. */
vt_panel_set *vti_own_panels(const vt_body *body, int which);

void vti_add_mass(vt_body *body);

/* Gives the bodies the panels that the method of now asks for, and takes them from all where it
 * does without. On failure nothing has changed. */
vt_status vti_fit_panels(vt_simulation *simulation);
