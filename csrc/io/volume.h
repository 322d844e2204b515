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
    vt_leaves density;    /* 1 component, kg/m^3; active where tracers reach */
    vt_leaves velocity;   /* 3 components, m/s; active also in the margin around density */
};

/* Density of the tracers (hat deposit and mass-preserving filter) into empty leaves.
 * Arguments are checked: threads 1 .. VT_MAX_THREADS, voxel_size > 0. */
vt_status vt_rasterize(const vt_tracer_source *source, double voxel_size, int threads,
                       vt_leaves *density);

/* Filters the density of hat with a positive kernel of the variance (0 .. 1 voxels^2 along each
 * axis) and of sum 1, into empty leaves. */
vt_status vt_smooth_leaves(const vt_leaves *hat, double variance, int threads, vt_leaves *density);

/* Checks def and volume, sets *volume to NULL. */
vt_status vt_check_volume_def(const vt_volume_def *def, vt_volume **volume);

#endif
