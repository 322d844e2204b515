/* Sparse volumes from tracers, and .vdb files. */
#ifndef VORTON_VOLUME_H
#define VORTON_VOLUME_H

#include "vorton/simulation.h"

VT_BEGIN_C

/* A sparse volume: leaves of 8 x 8 x 8 voxels (value index x * 64 + y * 8 + z), voxel (i, j, k)
 * centred at voxel_size * (i, j, k). It has a density, perhaps a velocity, and those of the fields
 * of volume.def that the tracers carry. These are means weighted with the tracers' mass, sum m T W
 * / sum m W, never sums.
 *
 * Beside bodies what a tracer gives stays on its side of every wall, and none of its mass is lost.
 * Voxels hold something as deep in a solid, or outside of a container, as half of their edge: there
 * they are in part in the fluid, and no gap shows between smoke and wall. Farther in, and on the
 * far side of the thinnest wall, there is nothing. */
typedef struct vt_volume vt_volume;

typedef enum vt_volume_field {
#define VT_VOLUME_FIELD(name, unit, description) VT_VOLUME_##name,
#include "vorton/volume.def"
    VT_VOLUME_FIELDS
} vt_volume_field;

/* Name of a field; NULL past the last. */
VT_API const char *vt_volume_field_name(int field);

/* 1 where the tracers of the volume carry the field. */
VT_API int vt_volume_carries(const vt_volume *volume, int field);

/* How tracers become a volume: volume_settings.def. */
typedef struct vt_volume_def {
    size_t struct_size;
#include "vorton/volume_settings.def"
} vt_volume_def;

/* Density (kg/m^3) of the tracers, velocity (m/s), and what else they carry, on voxels, from the
 * state of now. */
VT_API vt_status vt_create_volume(vt_simulation *simulation, const vt_volume_def *def,
                                  vt_volume **volume);
VT_API void vt_destroy_volume(vt_volume *volume); /* NULL is allowed */

/* Fills velocity (count x 3, m/s) at points (count x 3, m). Anything but VT_OK ends the call that
 * asked for it, with this status and message. */
typedef vt_status vt_velocity_function(void *context, int64_t count, const float *points,
                                       float *velocity);

/* Tracers that belong to no simulation: tracer_source.def. */
typedef struct vt_tracer_source {
    size_t struct_size;
#include "vorton/tracer_source.def"
} vt_tracer_source;
VT_API vt_status vt_create_volume_from_tracers(const vt_tracer_source *source,
                                               const vt_volume_def *def, vt_volume **volume);

typedef struct vt_volume_info {
    size_t struct_size;
    int64_t leaves, active_voxels, tracers;
    double mass;               /* sum of density x voxel volume, kg */
    double centroid[3];        /* density-weighted, m */
    double lower[3], upper[3]; /* bounds of the active voxels, m */
    double filled_voxels;    /* (sum of density)^2 / sum of density^2: as many voxels of one density
                                hold the smoke; a faint rim hardly counts */
    double coldest, hottest; /* of the active voxels, K; 0 without temperature */
    double flame_volume;     /* of what burns, m^3; 0 without flame */
    double ambient_temperature; /* K; 0 without temperature */
    double voxel_size;          /* m */
} vt_volume_info;
VT_API vt_status vt_get_volume_info(const vt_volume *volume, vt_volume_info *info);

/* Fills values ((nz, ny, nx), float32) with the density of the voxels first .. first + shape - 1
 * (x, y, z), 0 outside the leaves. */
VT_API vt_status vt_volume_density(const vt_volume *volume, const int32_t first[3],
                                   const int32_t shape[3], float *values);

/* The same for a field (VT_VOLUME_...); temperature is ambient where no tracer reaches. */
VT_API vt_status vt_volume_values(const vt_volume *volume, int field, const int32_t first[3],
                                  const int32_t shape[3], float *values);

/* What of a volume goes into a file: vdb.def. */
typedef struct vt_vdb_def {
    size_t struct_size;
#include "vorton/vdb.def"
} vt_vdb_def;

/* The whole OpenVDB file (format 224) in memory: *bytes of *size, to be given back with vt_free. */
VT_API vt_status vt_encode_vdb(const vt_volume *volume, const vt_vdb_def *def, uint8_t **bytes,
                               int64_t *size);
VT_API void vt_free(void *pointer);

/* Bytes of an array of numbers, any of 0 or more, as blocks of a raw stream of deflate (RFC 1951),
 * as .npz files have them: *packed of *packed_size, to be given back with vt_free. It begins and
 * ends with a whole byte, and other blocks may follow: the two bytes 3 and 0 end it. What would
 * hardly get smaller is stored. */
VT_API vt_status vt_pack_numbers(const uint8_t *bytes, int64_t size, uint8_t **packed,
                                 int64_t *packed_size);

VT_END_C

#endif
