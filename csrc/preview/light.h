/* Light inside the smoke, on nodes two cells apart. Key light: optical depth by one sweep of slices
 * away from the light, then two octaves of scattering, a^n p(g^n) exp(-b^n depth) (Wrenninge,
 * Kulla, Lundqvist 2013, "Oz: the great and volumetric"). Ambient light: six sweeps at quarter
 * resolution whose slices spread sideways, so that each sees a cone of what is around. */
#pragma once

#include "preview/bodies.h"
#include "preview/bricks.h"
#include "preview/fire.h"

/* Fills bricks->light and bricks->shade for smoke of this extinction (m^2/kg), lit by the lights of
 * def and by fire; the bodies of a stage keep the key light off. */
vt_status vti_light_bricks(vt_bricks *bricks, const vt_stage *stage, const vt_preview_def *def,
                           double extinction, const vt_fire *fire, int threads);
