/* Eddies below the grid, which stir tracers: a kinematic simulation (Fung, Hunt, Malik and Perkins
 * 1992), whose vector potential is a sum of waves:
 *
 *   u'(x) = curl(q(x) sum over waves of b integral(wave)(k . y + phase))
 *         = q sum of a wave(k . y + phase) + grad q x sum of b integral(wave)(k . y + phase),
 *   a . k = 0,  b = a x k / k^2
 *
 * y is the place in a field of waves that the resolved flow carries along: it is the position at
 * the last renewal of the field, and only u' moves the tracer in it. Two fields, renewed in turn
 * while their weight is 0, take turns. Each wave is a shear flow, in which a tracer does not change
 * k . y: the waves act one after the other, exactly each, and volumes stay what they are; y is then
 * rounded to a small part of the shortest wave, as which it is kept in fewer bits. Without
 * the second sum tracers would gather where the eddies are slow.
 *
 * The speed q follows the strain rate of the resolved flow, as where production and dissipation of
 * turbulence balance (Lilly 1967): q = share x S. */
#pragma once

#include "base/kernel.h"
#include "model/grid.h"

enum { VT_EDDY_FIELDS = 2, VT_EDDY_WAVES = 8 /* of an octave */, VT_MOST_OCTAVES = 4 };

typedef struct vt_eddy_wave {
    float k[3];         /* turns per metre */
    float phase;        /* turns */
    float amplitude[3]; /* a: over q, at right angles to k; with the weight of the field */
    float potential[3]; /* b, m */
} vt_eddy_wave;

typedef struct vt_eddy_field {
    vt_eddy_wave wave[VT_EDDY_WAVES * VT_MOST_OCTAVES];
    float age;       /* since the renewal, s */
    int32_t renewed; /* it begins with this substep */
} vt_eddy_field;

typedef struct vt_eddies_of_substep {
    vt_eddy_field field[VT_EDDY_FIELDS];
    int32_t waves;    /* of each field */
    double share;     /* q over the strain rate, m */
    double dt;        /* s */
    double wind[3];   /* uniform, m/s */
    double lattice;   /* places are left on multiples of it, a power of 2, m; 0: as they are */
    const f4 *strain; /* at the nodes: kernels/grid/strain_rate.h; as many beyond as of the nodes */
} vt_eddies_of_substep;

/* Columns of the tracers: positions (count x 3, m), ages (s), places in both fields (count x 6, m).
 */
typedef struct vt_stirred_rows {
    float *position;
    const float *age;
    float *place;
} vt_stirred_rows;

/* Moves tracers by the eddies; the places of those of age <= dt begin where the fluid, which came
 * along with the velocity that it has there, was at the renewals. Beyond the grid are no eddies. */
typedef void vt_stir_kernel(const vt_grid *grid, const vt_eddies_of_substep *eddies, int64_t count,
                            const vt_stirred_rows *rows, int threads);
VT_DECLARE_KERNEL(stir);
