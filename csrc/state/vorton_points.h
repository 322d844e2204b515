/* Vortons at given points (vt_vorton_points_def) that are born one after the other: parcels with
 * `points`. */
#ifndef VORTON_STATE_VORTON_POINTS_H
#define VORTON_STATE_VORTON_POINTS_H

#include "state/parcels.h"

/* What points carry in a column VT_CARRIED_..., or NULL. */
const float *vt_points_carry(const vt_vorton_points_def *def, int column);

/* A copy with the arrays in the same block, for free(); NULL without memory. */
vt_vorton_points_def *vt_copy_vorton_points(const vt_vorton_points_def *def);

/* As vt_list_parcels, of parcels with points. */
vt_parcel_list vt_list_points(vt_simulation *simulation, const vt_parcels *parcels, double from,
                              double to, int64_t room);

/* Whether what parcels of any kind bear has no strength; whether it brings no fluid: then it takes
 * up what is there. */
int vt_parcels_are_neutral(const vt_parcels *parcels);
int vt_parcels_are_vortices(const vt_parcels *parcels);

#endif
