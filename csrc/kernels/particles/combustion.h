/* What burning works on: see kernels/particles/combustion.c. */
#pragma once

#include "base/kernel.h"
#include "model/combustion.h"
#include "model/fluid_law.h"

/* Columns of the vortons, by row; temperature and the shares are changed. */
typedef struct vt_react_rows {
    const float *position, *volume, *age;
    const float *volume_temperature; /* NULL: the volumes stay */
    float *temperature, *fuel, *flame, *smoke, *mixture;
} vt_react_rows;

/* Sums over vortons, in kg and kg K. */
typedef struct vt_reacted {
    double burnt;           /* fuel that has burnt, kg */
    double radiated, mixed; /* mass x fall of the temperature, kg K */
} vt_reacted;

enum { VT_REACT_BLOCK = 2048 };

/* Burns and cools the fluid of the vortons over dt seconds, or since they were born where that is
 * less; see kernels/particles/combustion.c. block receives the sums of every VT_REACT_BLOCK rows.
 */
typedef void vt_react_kernel(const vt_fluid *fluid, const vt_burning *law, double dt, int64_t count,
                             const vt_react_rows *rows, vt_reacted *block, int threads);
VT_DECLARE_KERNEL(react);
