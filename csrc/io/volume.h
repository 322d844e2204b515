/* The inside of a vt_volume, for the stages that read it: the .vdb writer and the preview. */
#ifndef VORTON_IO_VOLUME_H
#define VORTON_IO_VOLUME_H

#include "io/leaves.h"
#include "vorton.h"

struct vt_volume {
    double voxel_size;    /* m; the centre of voxel (i, j, k) is at voxel_size x (i, j, k) */
    int64_t tracers;      /* that went into it */
    int32_t threads;      /* to use for work on it, 1 .. VT_MAX_THREADS */
    int32_t has_velocity; /* 0: made without a velocity function */
    int32_t sharp;        /* 1: tracers are spread as their neighbours lie, see io/sharp.h */
    vt_leaves density;    /* 1 component, kg/m^3; active where tracers reach */
    vt_leaves velocity;   /* 3 components, m/s; active also in the margin around density */
    int32_t carries[VT_VOLUME_FIELDS]; /* whether the tracers carry the field */
    float *field[VT_VOLUME_FIELDS];    /* on the rows of density; NULL where not carried or empty */
    double ambient_temperature;        /* K: of voxels that are not active; 0 without temperature */
};

/* Density and fields of the tracers (hat deposit and mass-preserving filter) into a volume that has
 * voxel_size, threads, sharp and ambient_temperature, and nothing else yet; it is to be destroyed
 * even on failure. Arguments are checked: threads 1 .. VT_MAX_THREADS, voxel_size > 0. */
vt_status vt_rasterize(const vt_tracer_source *source, vt_volume *volume);

/* Filters the density of hat with a positive kernel of the variance (0 .. 1 voxels^2 along each
 * axis) and of sum 1, into empty leaves. */
vt_status vt_smooth_leaves(const vt_leaves *hat, double variance, int threads, vt_leaves *density);

/* The same for other values on the rows of hat, into values on the rows of smoothed, which
 * vt_smooth_leaves made of them. */
void vt_smooth_values(const vt_leaves *hat, double variance, int threads, const vt_leaves *smoothed,
                      float *values);

/* The same, added to the values. */
void vt_add_smoothed_values(const vt_leaves *hat, double variance, int threads,
                            const vt_leaves *smoothed, float *values);

/* Share of glow from 0 (800 K, where a body begins to be seen in the dark) to 1 (2500 K). */
static inline float vt_heat_of(float temperature)
{
    const float share = (temperature - 800.0f) * (1.0f / 1700.0f);
    return share > 0.0f ? (share < 1.0f ? share : 1.0f) : 0.0f;
}

/* Checks def and volume, sets *volume to NULL. */
vt_status vt_check_volume_def(const vt_volume_def *def, vt_volume **volume);

#endif
