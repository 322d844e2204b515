/* What the vortons carry besides vorticity. */
#ifndef VORTON_STAGES_SCALARS_H
#define VORTON_STAGES_SCALARS_H

#include "core/parallel.h"
#include "state/ambient.h"
#include "state/grid.h"

/* Columns, by row; NULL where a column is not used. */
typedef struct vt_scalar_rows {
    const float *volume, *density, *temperature;
} vt_scalar_rows;

#endif
