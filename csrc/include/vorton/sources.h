/* Sources: what is born. */
#ifndef VORTON_SOURCES_H
#define VORTON_SOURCES_H

#include "vorton/shapes.h"

VT_BEGIN_C

/* What fluid carries at birth: fluid.def. */
typedef struct vt_fluid_def {
    size_t struct_size;
#include "vorton/fluid.def"
} vt_fluid_def;

/* A vortex ring: ring.def. */
typedef struct vt_ring_def {
    size_t struct_size;
#include "vorton/ring.def"
} vt_ring_def;

VT_API vt_status vt_add_ring(vt_simulation *simulation, const vt_ring_def *def, int32_t *id);
VT_API vt_status vt_change_ring(vt_simulation *simulation, int32_t id, const vt_ring_def *def);

/* A vortex line along a smooth curve: filament.def. */
typedef struct vt_filament_def {
    size_t struct_size;
#include "vorton/filament.def"
} vt_filament_def;

VT_API vt_status vt_add_filament(vt_simulation *simulation, const vt_filament_def *def,
                                 int32_t *id);
VT_API vt_status vt_change_filament(vt_simulation *simulation, int32_t id,
                                    const vt_filament_def *def);

/* A straight vortex tube: tube.def. */
typedef struct vt_tube_def {
    size_t struct_size;
#include "vorton/tube.def"
} vt_tube_def;

VT_API vt_status vt_add_tube(vt_simulation *simulation, const vt_tube_def *def, int32_t *id);
VT_API vt_status vt_change_tube(vt_simulation *simulation, int32_t id, const vt_tube_def *def);

/* A jet: a vortex ring for each pulse: jet.def. */
typedef struct vt_jet_def {
    size_t struct_size;
#include "vorton/jet.def"
} vt_jet_def;

VT_API vt_status vt_add_jet(vt_simulation *simulation, const vt_jet_def *def, int32_t *id);
VT_API vt_status vt_change_jet(vt_simulation *simulation, int32_t id, const vt_jet_def *def);

/* A cloud of random eddies inside a shape: cloud.def. */
typedef struct vt_cloud_def {
    size_t struct_size;
#include "vorton/cloud.def"
} vt_cloud_def;

VT_API vt_status vt_add_cloud(vt_simulation *simulation, const vt_cloud_def *def, int32_t *id);
VT_API vt_status vt_change_cloud(vt_simulation *simulation, int32_t id, const vt_cloud_def *def);

/* Vortons of given places and strengths: vorton_points.def. */
typedef struct vt_vorton_points_def {
    size_t struct_size;
#include "vorton/vorton_points.def"
} vt_vorton_points_def;

VT_API vt_status vt_add_vorton_points(vt_simulation *simulation, const vt_vorton_points_def *def,
                                      int32_t *id);
VT_API vt_status vt_change_vorton_points(vt_simulation *simulation, int32_t id,
                                         const vt_vorton_points_def *def);

/* Tracers born inside a shape: tracers.def. */
typedef struct vt_tracers_def {
    size_t struct_size;
#include "vorton/tracers.def"
} vt_tracers_def;

VT_API vt_status vt_add_tracers(vt_simulation *simulation, const vt_tracers_def *def, int32_t *id);
VT_API vt_status vt_change_tracers(vt_simulation *simulation, int32_t id,
                                   const vt_tracers_def *def);

/* Fluid that differs from the ambient one: emitter.def. */
typedef struct vt_emitter_def {
    size_t struct_size;
#include "vorton/emitter.def"
} vt_emitter_def;

/* *renew (may be NULL) receives how often a second the shape is filled, of an animated rate the
 * largest. */
VT_API vt_status vt_add_emitter(vt_simulation *simulation, const vt_emitter_def *def, double *renew,
                                int32_t *id);
VT_API vt_status vt_change_emitter(vt_simulation *simulation, int32_t id, const vt_emitter_def *def,
                                   double *renew);

/* Tracers born at points: tracer_points.def. */
typedef struct vt_tracer_points_def {
    size_t struct_size;
#include "vorton/tracer_points.def"
} vt_tracer_points_def;

VT_API vt_status vt_add_tracer_points(vt_simulation *simulation, const vt_tracer_points_def *def,
                                      int32_t *id);
VT_API vt_status vt_change_tracer_points(vt_simulation *simulation, int32_t id,
                                         const vt_tracer_points_def *def);

VT_END_C

#endif
