/* Lists of the parcels of fluid that a step bears. */
#pragma once

#include "state/sources.h"

void vti_destroy_fluid_emitter(vt_fluid_emitter *parcels);

/* A list with room for so many, in arena memory. */
vt_parcel_list vti_new_parcel_list(vt_arena *arena, int64_t room);

/* What points carry in a column VT_CARRIED_..., or NULL. */
const float *vti_points_carry(const vt_vorton_points_def *def, int column);

/* A copy with the arrays in the same block, for vti_free(); NULL without memory. */
vt_vorton_points_def *vti_copy_vorton_points(const vt_vorton_points_def *def);

/* As vti_list_parcels, of parcels with points. */
vt_parcel_list vti_list_points(vt_simulation *simulation, const vt_fluid_emitter *parcels,
                               double from, double to, int64_t room);
