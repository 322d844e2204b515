/* vorton: a vortex-particle fluid solver.
 *
 * Vortons carry vorticity; the velocity that they induce moves them and the tracers. The method is
 * that of M. Gourlay's articles "Fluid Simulation for Video Games" (parts 1-20), see README.md.
 *
 * Conventions. SI units, right-handed axes, Z up. Functions that can fail return a vt_status; 0 is
 * success, and after a failure vt_error_message() names the argument, its value and what is
 * allowed, and nothing has changed (but by vt_step where a flow blows up: see there). A definition
 * struct is filled by its vt_default_...() function, changed, and passed in; the library copies
 * what it needs. Its members, their defaults and ranges stand in a table: vorton/ring.def for
 * vt_ring_def, and so on; vorton/rows.h explains them. Arrays belong to the simulation: they never
 * move while it lives. One thread at a time may call into a simulation: a second one gets VT_BUSY.
 * The library never prints, exits, or installs signal handlers. */
#ifndef VORTON_H
#define VORTON_H

#include "vorton/base.h"
#include "vorton/method.h"
#include "vorton/animation.h"
#include "vorton/simulation.h"
#include "vorton/shapes.h"
#include "vorton/sources.h"
#include "vorton/effects.h"
#include "vorton/bodies.h"
#include "vorton/particles.h"
#include "vorton/fields.h"
#include "vorton/records.h"
#include "vorton/solvers.h"
#include "vorton/volume.h"
#include "vorton/archive.h"
#include "vorton/preview.h"

#undef VT_ROW

#include "vorton/defaults.h"

#endif
