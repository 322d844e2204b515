/* What the vortons carry besides vorticity. */
#ifndef VORTON_STAGES_SCALARS_H
#define VORTON_STAGES_SCALARS_H

#include "core/parallel.h"
#include "state/ambient.h"
#include "state/grid.h"

enum {
    VT_SCALAR_NONE,        /* 0 */
    VT_SCALAR_CONTRAST,    /* deviation of the density from the ambient one, kg/m^3 */
    VT_SCALAR_TEMPERATURE, /* deviation from the ambient one, K */
    VT_SCALAR_COLUMN       /* what the column holds */
};

/* One of the values of a node. */
typedef struct vt_scalar_lane {
    int32_t kind;        /* VT_SCALAR_... */
    const float *column; /* of VT_SCALAR_COLUMN, by row */
} vt_scalar_lane;

/* Columns, by row, density and temperature NULL where they are not used; and what is made of
 * them. */
typedef struct vt_scalar_rows {
    const float *volume, *density, *temperature;
    vt_scalar_lane lane[4];
} vt_scalar_rows;

/* Columns of tracers that take the lanes of nodes laid out as those of a grid, those wanted first;
 * NULL: no more. */
typedef struct vt_taking {
    const f4 *nodes;
    float *column[4];
    int32_t warm[4]; /* whether the ambient temperature is added, K */
} vt_taking;

#endif
