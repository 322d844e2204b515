/* Means at the nodes of what the vortons carry besides vorticity: density, temperature, any column.
 */
#pragma once

#include "base/kernel.h"
#include "model/fluid_law.h"
#include "model/grid.h"

enum {
    VT_SCALAR_NONE,     /* 0 */
    VT_SCALAR_CONTRAST, /* deviation of the density from the ambient one, kg/m^3 */
    VT_SCALAR_CONTRAST_SIZE,
    VT_SCALAR_CONTRAST_SQUARE, /* of that */
    VT_SCALAR_TEMPERATURE,     /* deviation from the ambient one, K */
    VT_SCALAR_COLUMN           /* the value of the column itself */
};

/* What one of the four lanes of a node holds. */
typedef struct vti_scalar_lane {
    int32_t kind;        /* VT_SCALAR_... */
    const float *column; /* of VT_SCALAR_COLUMN, by row */
} vti_scalar_lane;

/* Columns, by row, density and temperature NULL where they are not used; and what is made of
 * them. */
typedef struct vti_scalar_rows {
    const float *volume, *density, *temperature;
    vti_scalar_lane lane[4];
} vti_scalar_rows;

/* Columns of tracers that take the lanes of nodes laid out as those of a grid, those wanted first;
 * NULL: no more. */
typedef struct vt_taking {
    const f4 *nodes;
    float *column[4];
    int32_t warm[4]; /* whether the ambient temperature is added, K */
} vt_taking;

/* The same records, carrying the lanes of rows x volume, and their volume, for deposit or
 * deposit_four. */
typedef void vt_collect_scalars_kernel(const vt_grid *grid, int64_t count, const vt_record *sorted,
                                       const vti_scalar_rows *rows, const vt_fluid *fluid,
                                       vt_record *records, int threads);
VT_DECLARE_KERNEL(collect_scalars);

/* Deposited sums become means, see kernels/grid/scalar_means.c: wherever a vorton is near the lanes
 * are divided by the last of them, or by `volume` of deposit_four (else NULL). */
typedef void vt_normalise_kernel(vt_grid *grid, const uint32_t *row_start, const float *volume,
                                 int threads);
VT_DECLARE_KERNEL(normalise);

/* Of deposited contrasts, sizes and squares of them, and volumes, lane 0 becomes the contrast of
 * the node, see kernels/grid/scalar_means.c, and lane 3 how often vortons fill it. Not shared: the
 * mean. */
typedef void vt_normalise_contrasts_kernel(vt_grid *grid, const uint32_t *row_start, int shared,
                                           int threads);
VT_DECLARE_KERNEL(normalise_contrasts);

/* A node filled to more than this, among others like it, is where the vortons happen to lie farther
 * apart, as others lie closer: nothing is missing there. */
#define VT_EMPTY_FILL 0.25f

/* Central differences of lane 0, per cell, into lanes 0-2 of other nodes, and lane 0 into lane 3;
 * zero on the faces. shared: over lane 3, but at least VT_EMPTY_FILL. */
typedef void vt_slope_kernel(const vt_grid *from, int shared, vt_grid *to, int threads);
VT_DECLARE_KERNEL(slope);
