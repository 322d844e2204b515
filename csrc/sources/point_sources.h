/* Vortons at given points (vt_vorton_points_def) that are born one after the other: parcels with
 * `points`. */
#pragma once

#include "state/sources.h"

/* What they carry: shares of no more than all, fuel that can burn, a fluid as warm as may be. */
vt_status vti_check_vorton_points(const vt_simulation *s, const vt_vorton_points_def *def);

void vti_scatter_points(const vt_simulation *s, vt_vorton_points_def *block);

extern const vt_structure_kind vti_points_kind;

/* before (NULL: none): whose definition this one replaces. */
vt_status vti_keep_point_stream(vt_simulation *s, const vt_vorton_points_def *def,
                                const vt_predecessor *before);

/* Whether what parcels of any kind bear has no strength; whether it brings no fluid: then it takes
 * up what is there. */
int vti_parcels_are_neutral(const vt_fluid_emitter *parcels);
int vti_parcels_are_vortices(const vt_fluid_emitter *parcels);
