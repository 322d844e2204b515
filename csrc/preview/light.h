/* Light inside the smoke, on nodes two cells apart. Key light: optical depth by one sweep of slices
 * away from the light, then two octaves of scattering, a^n p(g^n) exp(-b^n depth) (Wrenninge,
 * Kulla, Lundqvist 2013, "Oz: the great and volumetric"). Ambient light: six sweeps at quarter
 * resolution whose slices spread sideways, so that each sees a cone of the sky. */
#pragma once

#include "preview/bricks.h"
#include "preview/fire.h"

/* Fills bricks->light and bricks->shade for smoke of this extinction (m^2/kg), lit by the lights of
 * def and by fire. */
vt_status vti_light_bricks(vt_bricks *bricks, const vt_preview_def *def, double extinction,
                           const vt_fire *fire, int threads);

/* Share of the key light that the smoke lets through to a point (m); way: towards the light, of
 * length 1. */
float vti_key_through_smoke(const vt_bricks *bricks, const double point[3], const double way[3]);
