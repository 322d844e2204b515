/* What is born: structures of vortons, parcels of fluid and emitters of tracers, as definitions. */
#pragma once

#include "state/sources.h"

vt_status vti_check_tracer_emitter(const vt_simulation *s, const vt_tracers_def *def);

vt_status vti_check_tracer_points(const vt_simulation *s, const vt_tracer_points_def *def);

/* before (NULL: none): whose definition this one replaces; the caller removes that. */
vt_status vti_keep_tracer_emitter(vt_simulation *s, const vt_tracers_def *def,
                                  const vt_predecessor *before);

vt_status vti_keep_tracer_points(vt_simulation *s, const vt_tracer_points_def *def,
                                 const vt_predecessor *before);

void vti_destroy_tracer_emitter(vt_tracer_emitter *emitter);

void vti_destroy_sources(vt_sources *sources);

/* Fills `to` with copies of all sources; on failure it is to be destroyed all the same. */
vt_status vti_copy_sources(const vt_sources *from, vt_sources *to);
