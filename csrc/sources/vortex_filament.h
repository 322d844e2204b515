/* The vortons of a vortex line along a curve (vt_filament_def), and of a tube (vt_tube_def), which
 * is a short way to say one.
 *
 * Sections lie at equal arc lengths; sources/vortex_cross_section.h has the cross-section. Its two
 * normals are carried along without turning about the tangent (Wang, Juttler, Zheng & Liu,
 * Computation of rotation minimizing frames, 2008), so the lines around the centreline run beside
 * it and the vorticity has no part across. Once around a closed curve they come back turned: the
 * places of the vortons, not their directions, are turned back evenly, by 30 degrees at most. */
#pragma once

#include "state/sources.h"

/* Check a vt_filament_def or a vt_tube_def and make a structure of it: the error names the field,
 * its value and what is allowed. On failure there is nothing to destroy. */
vt_status vti_create_filament(const void *def, vt_structure *made);
vt_status vti_create_tube(const void *def, vt_structure *made);
