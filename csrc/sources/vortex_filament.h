/* The vortons of a vortex line along a curve (vt_filament_def), and of a tube (vt_tube_def), which
 * is a short way to say one.
 *
 * Sections lie at equal arc lengths; sources/vortex_cross_section.h has the cross-section. Its two
 * normals are carried along without turning about the tangent (Wang, Juttler, Zheng & Liu,
 * Computation of rotation minimizing frames, 2008), so the lines around the centreline run beside
 * it and the vorticity has no part across. Once around a closed curve they come back turned: the
 * places of the vortons, not their directions, are turned back evenly, by 30 degrees at most. */
#pragma once

#include "geometry/spline.h"
#include "state/sources.h"

typedef struct vt_filament {
    vt_filament_def def; /* its points are in the curve */
    vt_curve curve;
} vt_filament;

/* Checks the definition and makes the curve: the error names the field, its value and what is
 * allowed. On failure there is nothing to destroy. */
vt_status vti_create_filament(const vt_filament_def *def, vt_filament *filament);
vt_status vti_create_tube(const vt_tube_def *def, vt_filament *filament);
void vti_destroy_filament(vt_filament *filament);

int64_t vti_filament_count(const vt_filament *filament);

/* Adds its vortons to an empty list, section by section. Of a closed one the strengths sum to 0
 * within rounding. */
void vti_fill_filament(const vt_filament *filament, vt_vorton_list *list);
