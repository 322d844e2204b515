/* Eddies below the grid, which stir tracers: a kinematic simulation (Fung, Hunt, Malik and Perkins
 * 1992), the sum of waves whose velocity stands at right angles on the way that they vary:
 *
 *   u'(y) = speed sum over waves of amplitude wave(k . y + phase),   amplitude . k = 0
 *
 * y is the place in a field of waves that the resolved flow carries along: it is the position at
 * the last renewal of the field, and only u' moves the tracer in it. Two fields, renewed in turn
 * while their weight is 0, take turns. Each wave is a shear flow, in which a tracer does not change
 * k . y: the waves act one after the other, exactly each, and volumes stay what they are.
 *
 * The speed follows the rate of strain S = sqrt(2 S_ij S_ij) of the resolved flow as in Lilly's
 * balance of production and dissipation, and decays as turbulence does that nothing feeds:
 *
 *   d speed / dt = (supply^2 - speed^2) / length,   supply = share x length x S */
#pragma once

#include "base/kernel.h"
#include "model/grid.h"

enum { VT_EDDY_FIELDS = 2, VT_EDDY_WAVES = 12 /* of an octave */, VT_MOST_OCTAVES = 4 };

typedef struct vt_eddy_wave {
    float k[3];         /* turns per metre */
    float phase;        /* turns */
    float amplitude[3]; /* of the speed, at right angles to k; with the weight of the field */
} vt_eddy_wave;

typedef struct vt_eddy_field {
    vt_eddy_wave wave[VT_EDDY_WAVES * VT_MOST_OCTAVES];
    float age;       /* since the renewal, s */
    int32_t renewed; /* it begins with this substep */
} vt_eddy_field;

typedef struct vt_eddies_of_substep {
    vt_eddy_field field[VT_EDDY_FIELDS];
    int32_t waves;  /* of each field */
    double length;  /* m */
    double share;   /* supply over length x S */
    double dt;      /* s */
    double wind[3]; /* uniform, m/s */
} vt_eddies_of_substep;

/* Columns of the tracers: positions (count x 3, m), ages (s), and what the eddies keep for them:
 * places in both fields (count x 6, m) and speeds (m/s). */
typedef struct vt_stirred_rows {
    float *position;
    const float *age;
    float *place, *speed;
} vt_stirred_rows;

/* Moves tracers by the eddies from the nodes' velocities; those of age <= dt begin with their place
 * and no speed. Beyond the grid the flow does not strain. */
typedef void vt_stir_kernel(const vt_grid *grid, const vt_eddies_of_substep *eddies, int64_t count,
                            const vt_stirred_rows *rows, int threads);
VT_DECLARE_KERNEL(stir);
