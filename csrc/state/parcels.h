/* Emitters of parcels: vortons without strength that carry temperature and density, born in a shape
 * and around it. Buoyancy makes vorticity where the density changes from one node to the next, and
 * it is right only where vortons lie on both sides: so neutral ones, of ambient fluid, are born
 * around those that differ. */
#ifndef VORTON_STATE_PARCELS_H
#define VORTON_STATE_PARCELS_H

#include "core/arena.h"
#include "state/animation.h"
#include "state/fluid_def.h"
#include "state/rate.h"
#include "state/shapes.h"
#include "state/swirl.h"

typedef struct vt_parcels {
    vt_region shape;          /* fluid that differs is born here, */
    vt_region around;         /* and ambient fluid in the rest of this */
    vt_animations animations; /* of vt_parcels_def; rate is then the largest */
    vt_rate_sum rate_sum;     /* of an animated rate */
    double rate, start, end;  /* 1/s, over all of `around`, 0: one filling at start; s */
    double core, spacing;     /* m */
    vt_fluid_def fluid;       /* in shape */
    double lifetime;          /* s */
    double swirl;             /* m/s */
    double taper, flicker;    /* of fuel: shares */
    /* Born at these instead, without shapes; the arrays are behind it in one block. */
    vt_vorton_points_def *points;
    vt_swirl *eddies; /* NULL without swirl and flicker; owned */
    uint64_t seed;
    int32_t parent;
} vt_parcels;

/* Parcels to be born, in the order of their times: temperature 0 is that of the ambient fluid. */
typedef struct vt_parcel_list {
    int64_t count;
    float *position, *strength, *core, *volume, *carried[VT_CARRIED_COLUMNS], *lifetime;
    double *time; /* s */
} vt_parcel_list;

void vt_destroy_parcels(vt_parcels *parcels);

/* `to` has the plain values of `from` already; on failure there is nothing to destroy. */
vt_status vt_copy_parcels(const vt_parcels *from, vt_parcels *to);

/* Births with time in [from, to), at most `room`: the list lies in arena memory. */
vt_parcel_list vt_list_parcels(vt_simulation *simulation, const vt_parcels *parcels, double from,
                               double to, int64_t room);

/* What is born at a time carries, how long it lives and how it swirls; nothing else of the
 * definition. */
vt_parcels_def vt_parcels_at(const vt_parcels *parcels, double time);

/* Share of the fuel that fluid has where and when it is born, at a place in the space of the pose.
 */
double vt_fuel_share(const vt_simulation *simulation, const vt_parcels *parcels,
                     const vt_parcels_def *now, const vt_pose *pose, const double place[3],
                     double time);

/* A list with room for so many, in arena memory. */
vt_parcel_list vt_new_parcel_list(vt_arena *arena, int64_t room);

/* Takes the parcels over where it succeeds. */
vt_status vt_keep_parcels(vt_simulation *simulation, vt_parcels *parcels);

#endif
