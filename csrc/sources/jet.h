/* A jet (vt_jet_def): a structure of which each pulse is a ring. */
#pragma once

#include "state/sources.h"

/* The slug of a pulse of the default rate, cores. Where rings lie closer their vortons fill space
 * many times over, and each removes the divergence of all (method.cleaning): with half a radius and
 * cores of .6 radii, .8 cores, a jet blows up after 12 radii / speed (tests/test_vortices.py). With
 * this its axis still flows at its speed. */
#define VT_JET_SLUG 2.75

/* Default core of the rings, radii of the nozzle; the text of jet.def has it, too. A layer as thick
 * as that of a jet in nature 1.3 diameters from its nozzle. With .18, .25 and .33 the speed on the
 * axis, 4 and 8 radii away, is .99, 1, .98 and .66, .63, .67 of that at the exit, and half of it is
 * found 1.57, 1.50 and 1.46 radii off the axis 12 radii away; its third second takes 4.8 s with .18
 * and 1.8 s with .25, and above that its smoke is smooth. */
#define VT_JET_CORE 0.25

/* Checks a vt_jet_def and makes a structure of it: the error names the field, its value and what is
 * allowed. On failure there is nothing to destroy. */
vt_status vti_create_jet(const void *def, vt_structure *made);
