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

enum { VT_BURNT_SHARES = 3 /* fuel, flame, smoke */ };

/* Columns of tracers, by row; the shares are changed. Around each: temperature, share of the mass
 * that came as fuel, and the mean shares. */
typedef struct vt_burn_rows {
    const float *age, *temperature, *mixture, *mean[VT_BURNT_SHARES];
    float *share[VT_BURNT_SHARES];
} vt_burn_rows;

/* Burns the fluid of tracers over dt seconds, or since they were born where that is less, as fast
 * as it finds air; those that have none yet take the mean where that has been part of a fire. See
 * tracers/combustion.c. */
typedef void vt_burn_kernel(const vt_burning *law, double dt, int64_t count,
                            const vt_burn_rows *rows, int threads);
VT_DECLARE_KERNEL(burn);

/* ---- fluid that nothing but its own burning and cooling has changed ---- */

/* The law that such fluid followed since an emitter bore it at a temperature, in ambient fluid that
 * has another, K; and the time that the last substep took, s. */
typedef struct vt_lone_fluid {
    vt_burning law;
    float ambient, birth, dt;
} vt_lone_fluid;

enum vt_lone_value {
    VT_LONE_fuel,
    VT_LONE_flame,
    VT_LONE_temperature,
    VT_LONE_swelling,
    VT_LONE_VALUES
};

/* Columns of vortons with a mixture, of numbers that make sense; temperature, fuel and volume are
 * for the swelling alone, age and mixture for all else. */
typedef struct vt_lone_rows {
    const float *age, *mixture, *temperature, *fuel, *volume;
} vt_lone_rows;

/* One of its values for `count` rows: fuel, flame and temperature by their age and mixture, which
 * was all fuel at birth; swelling by what the last substep did. Never tiny, and always a number. */
typedef void vt_find_lone_kernel(const vt_lone_fluid *fluid, enum vt_lone_value value,
                                 int64_t count, const vt_lone_rows *rows, float *to);
VT_DECLARE_KERNEL(find_lone);
