/* vt_default_...(): the defaults of the tables, into structs of the program's own size. */
#ifndef VORTON_DEFAULTS_H
#define VORTON_DEFAULTS_H

#include "vorton.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Sizes of the structs that are members of others. */
typedef struct vt_part_sizes {
    size_t shape, fluid, ambient, combustion, method;
} vt_part_sizes;

/* Fills the `size` bytes of a definition ("ring"), for bindings; parts NULL: those of the
 * library. */
VT_API void vt_fill_default(const char *definition, void *def, size_t size,
                            const vt_part_sizes *parts);

#define VT_DEFAULT(name, type)                                                                     \
    static inline void vt_default_##name(type *def)                                                \
    {                                                                                              \
        const vt_part_sizes parts = {sizeof(vt_shape), sizeof(vt_fluid_def), sizeof(vt_ambient),   \
                                     sizeof(vt_combustion), sizeof(vt_method)};                    \
        vt_fill_default(#name, def, sizeof *def, &parts);                                          \
    }

VT_DEFAULT(shape, vt_shape)
VT_DEFAULT(fluid, vt_fluid_def)
VT_DEFAULT(method, vt_method)
VT_DEFAULT(ambient, vt_ambient)
VT_DEFAULT(combustion, vt_combustion)
VT_DEFAULT(transform, vt_transform_def)
VT_DEFAULT(ring, vt_ring_def)
VT_DEFAULT(filament, vt_filament_def)
VT_DEFAULT(tube, vt_tube_def)
VT_DEFAULT(jet, vt_jet_def)
VT_DEFAULT(cloud, vt_cloud_def)
VT_DEFAULT(vorton_points, vt_vorton_points_def)
VT_DEFAULT(emitter, vt_emitter_def)
VT_DEFAULT(tracers, vt_tracers_def)
VT_DEFAULT(tracer_points, vt_tracer_points_def)
VT_DEFAULT(wind, vt_wind_def)
VT_DEFAULT(wind_grid, vt_wind_grid_def)
VT_DEFAULT(force, vt_force_def)
VT_DEFAULT(kill, vt_kill_def)
VT_DEFAULT(body, vt_body_def)
VT_DEFAULT(body_change, vt_body_change)
VT_DEFAULT(volume, vt_volume_def)
VT_DEFAULT(tracer_source, vt_tracer_source)
VT_DEFAULT(vdb, vt_vdb_def)
VT_DEFAULT(preview, vt_preview_def)
#undef VT_DEFAULT

static inline void vt_default_simulation(vt_simulation_def *def)
{
    const vt_part_sizes parts = {sizeof(vt_shape), sizeof(vt_fluid_def), sizeof(vt_ambient),
                                 sizeof(vt_combustion), sizeof(vt_method)};
    vt_fill_default("simulation", def, sizeof *def, &parts);
    def->header_version = VORTON_VERSION_NUMBER;
}

/* A track of no keys, of one component. */
static inline void vt_default_track(vt_track *track)
{
    const vt_track empty = {sizeof *track, 1, 0, NULL, NULL, NULL, 0, 0};
    *track = empty;
}

#ifdef __cplusplus
}
#endif

#endif
