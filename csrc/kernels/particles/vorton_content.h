/* What vortons carry, as population control asks: sums over all, and which of them it is about. */
#pragma once

#include "base/kernel.h"
#include "model/fluid_law.h"

/* Columns of the vortons; those behind `volume` NULL where they are not used. Up to 15 rows after
 * the last may be read. */
typedef struct vt_content_rows {
    const float *position, *strength, *volume, *density, *temperature, *fuel, *flame;
} vt_content_rows;

/* Of |alpha|, of that times the volume, of |alpha| times the vorticity, of V |rho'|, and of that
 * times |rho'|. */
enum { VT_CONTENT_SUMS = 5, VT_CONTENT_BLOCK = 2048 };

/* In double precision, over blocks of VT_CONTENT_BLOCK vortons, in each in their order. */
typedef void vt_sum_content_kernel(int64_t count, const vt_content_rows *rows,
                                   const vt_fluid *fluid, double *block, int threads);
VT_DECLARE_KERNEL(sum_content);

/* From what on vortons carry strength (1/s), differ in density (kg/m^3), may burn (a share), and
 * are warmer or colder at all (a share of the ambient temperature); and which of the first two make
 * them sources. */
typedef struct vt_content_limits {
    double vorticity, contrast;
    float burning, warmth;
    int32_t strength_counts, contrast_counts;
} vt_content_limits;

enum { VT_CONTENT_SOURCE = 1, VT_CONTENT_ANY = 2 };

/* part: whether a vorton is a source, and whether it carries strength, or fluid that is not
 * ambient, at all. */
typedef void vt_find_content_kernel(int64_t count, const vt_content_rows *rows,
                                    const vt_fluid *fluid, const vt_content_limits *limits,
                                    uint8_t *part, int threads);
VT_DECLARE_KERNEL(find_content);
