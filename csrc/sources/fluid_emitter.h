/* Emitters of parcels: vortons without strength that carry temperature and density, born in a shape
 * and around it. Buoyancy makes vorticity where the density changes from one node to the next, and
 * it is right only where vortons lie on both sides: so neutral ones, of ambient fluid, are born
 * around those that differ. */
#pragma once

#include "model/pose.h"
#include "state/sources.h"

/* Fluid that differs from the ambient one by no more than this share of what an emitter's differs
 * is as good as ambient: diffusion and a way up through layers of other temperatures leave some. */
#define VT_FRESH_SHARE 0.1

int64_t vti_filling(const vt_fluid_emitter *p);

/* NULL: it is there no more, or the id is -1. */
const vt_fluid_emitter *vti_emitter_of_id(const vt_simulation *simulation, int32_t id);

vt_status vti_check_fluid_emitter(const vt_simulation *s, const vt_emitter_def *def);

vt_status vti_make_fluid_emitter(const vt_simulation *s, const vt_emitter_def *def,
                                 vt_fluid_emitter *p);

/* `to` has the plain values of `from` already; on failure there is nothing to destroy. */
vt_status vti_copy_fluid_emitter(const vt_fluid_emitter *from, vt_fluid_emitter *to);

/* Births with time in [from, to), at most `room`: the list lies in arena memory. */
vt_parcel_list vti_list_parcels(vt_simulation *simulation, const vt_fluid_emitter *parcels,
                                double from, double to, int64_t room);

/* Whether the fluid in the shape follows the eddies (population/inflow_swirl.h), of an emitter that
 * goes on: else only what is born has them. */
int vti_fluid_follows_eddies(const vt_fluid_emitter *parcels);

/* Whether what it bears is ambient fluid that is heated as it is born, and so pushes the rest away:
 * that of an emitter that goes on, and gives it a temperature; what fills a shape once was there
 * before. */
int vti_is_heated_at_birth(const vt_simulation *simulation, const vt_fluid_emitter *parcels);

/* What is born at a time carries, how long it lives and how it swirls; nothing else of the
 * definition. */
vt_emitter_def vti_parcels_at(const vt_fluid_emitter *parcels, double time);

/* Share of the fuel, or without fuel of the smoke, that is born at a place in the space of the pose
 * and at a time: what taper and flicker leave of it. */
double vti_share_at_birth(const vt_simulation *simulation, const vt_fluid_emitter *parcels,
                          const vt_emitter_def *now, const vt_pose *pose, const double place[3],
                          double time);

/* Takes the parcels over where it succeeds. before (NULL: none): whose definition they replace. */
vt_status vti_keep_fluid_emitter(vt_simulation *simulation, vt_fluid_emitter *parcels,
                                 const vt_predecessor *before);
