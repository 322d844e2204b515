/* The inside of a vt_volume, for the stages that read it: the .vdb writer and the preview. */
#pragma once

#include "volume/leaves.h"

struct vt_volume {
    double voxel_size;    /* m; the centre of voxel (i, j, k) is at voxel_size x (i, j, k) */
    int64_t tracers;      /* that went into it */
    int32_t threads;      /* to use for work on it, 1 .. VT_MAX_THREADS */
    int32_t has_velocity; /* 0: made without a velocity function */
    int32_t sharp;        /* 1: tracers are spread as their neighbours lie, see volume/sharp.h */
    vt_leaves density;    /* 1 component, kg/m^3; active where tracers reach */
    vt_leaves velocity;   /* 3 components, m/s; active also in the margin around density */
    int32_t carries[VT_VOLUME_FIELDS]; /* whether the tracers carry the field */
    float *field[VT_VOLUME_FIELDS];    /* on the rows of density; NULL where not carried or empty */
    double ambient_temperature;        /* K: of voxels that are not active; 0 without temperature */
};

/* Share of glow from 0 (800 K, where a body begins to be seen in the dark) to 1 (2500 K). */
static inline float vti_heat_of(float temperature)
{
    const float share = (temperature - 800.0f) * (1.0f / 1700.0f);
    return share > 0.0f ? (share < 1.0f ? share : 1.0f) : 0.0f;
}

/* The velocity at all voxels of a leaf that begins with voxel `origin`, 3 x 512 values: returns 1,
 * or 0 where the velocity function of the source is to be asked, for each point. Called by several
 * threads at once. */
typedef int vt_leaf_velocity(const void *context, const int32_t origin[3], float *values);

/* Of definitions that are laid out as in this library; leaf_velocity with the context of the
 * source, NULL: there is none. */
vt_status vti_make_volume(const vt_tracer_source *source, vt_leaf_velocity *leaf_velocity,
                          const vt_volume_def *def, vt_volume **volume);

/* Checks def and volume, sets *volume to NULL. */
vt_status vti_check_volume_def(const vt_volume_def *def, vt_volume **volume);
