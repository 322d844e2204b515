/* What the kernels that move particles share. */
#pragma once

#include <math.h>

#include "base/parallel.h"
#include "kernels/particles/baroclinic.h"

/* Rates of one vorton at a stage of a substep. */
typedef struct vt_rate {
    float velocity[4]; /* m/s; [3] relative growth of the core, 1/s */
    float strength[4]; /* stretching, m^3/s^2; [3] the volume in its bound, m^3 */
} vt_rate;
_Static_assert(sizeof(vt_rate) == sizeof(vt_record), "rates take the place of records");

/* Bins of squared velocity gradients, each half an octave wide; the first begins at 2^-32 / s^2 and
 * holds all that is less, the last all that is more. */
enum { VT_GRADIENT_BINS = 128, VT_GRADIENT_LEAST = -32 };

/* Largest values over the vortons, one per thread (a maximum does not depend on its order, nor does
 * a count); VT_NO_EXTREME or more where a vorton has none, being NaN or infinite. */
#define VT_NO_EXTREME 3e38f
typedef struct vt_extremes {
    struct {
        _Alignas(VT_APART) float gradient;    /* Frobenius norm of grad u, 1/s */
        float speed;                          /* m/s */
        float pull;                           /* acceleration by buoyancy, m/s^2 */
        int64_t bounded;                      /* vortons whose stretching is bounded */
        uint32_t gradients[VT_GRADIENT_BINS]; /* vortons by the square of their gradient */
    } thread[VT_MAX_THREADS];
} vt_extremes;

/* The largest of all threads, and the number of those at their bound. */
typedef struct vt_largest {
    double gradient, speed, pull;
    int64_t bounded;
} vt_largest;

/* The velocity gradient beyond which lies `share` of the sum of its squares over the vortons, 1/s:
 * unlike a share of their number it does not fall when vortons at rest join. */
static inline double vti_gradient_of_share(const vt_extremes *extremes, double share)
{
    double weight[VT_GRADIENT_BINS], sum = 0;
    for (int b = 0; b < VT_GRADIENT_BINS; b++) {
        int64_t count = 0;
        for (int t = 0; t < VT_MAX_THREADS; t++)
            count += extremes->thread[t].gradients[b];
        weight[b] = (double)count * ldexp(b % 2 ? 1.75 : 1.25, b / 2 + VT_GRADIENT_LEAST);
        sum += weight[b];
    }
    double left = share * sum;
    int b = VT_GRADIENT_BINS - 1;
    for (; b > 0 && weight[b] <= left; b--)
        left -= weight[b];
    const double part = weight[b] > 0 ? left / weight[b] : 0;
    return sqrt(ldexp((b % 2 ? 2 - 0.5 * part : 1.5 - 0.5 * part), b / 2 + VT_GRADIENT_LEAST));
}

static inline vt_largest vti_find_largest(const vt_extremes *extremes)
{
    vt_largest all = {0, 0, 0, 0};
    for (int t = 0; t < VT_MAX_THREADS; t++) {
        const double gradient = (double)extremes->thread[t].gradient;
        const double speed = (double)extremes->thread[t].speed;
        const double pull = (double)extremes->thread[t].pull;
        all.gradient = gradient > all.gradient ? gradient : all.gradient;
        all.speed = speed > all.speed ? speed : all.speed;
        all.pull = pull > all.pull ? pull : all.pull;
        all.bounded += extremes->thread[t].bounded;
    }
    return all;
}

/* Where the velocity and its gradient come from: the grid, or, when velocity is not NULL, arrays in
 * the order of the records (count x 3; count x 9 with d u_i / d x_j at 3 i + j; count x 3: the
 * gradient of div A). */
typedef struct vt_velocity_source {
    const vt_grid *grid;
    const float *velocity, *gradient, *divergence;
    const float *least_vorticity; /* of vt_newborn, in the order of the records; NULL: this solve is
                                     the first of none of them */
    const struct vt_buoyancy *buoyancy; /* NULL: none, see kernels/particles/baroclinic.h */
} vt_velocity_source;

/* Smallest and largest coordinate of rows, one per thread; finite is 0 where a NaN or an infinity
 * was met. */
typedef struct vt_bounds {
    struct {
        _Alignas(VT_APART) float least[3], most[3];
        int32_t finite, carries; /* whether any row of strength is not 0 */
    } thread[VT_MAX_THREADS];
} vt_bounds;

/* What the last substep left: the acceleration of a vorton is the change since then. */
typedef struct vt_past {
    const float *velocity, *age; /* columns */
    double before, since;        /* s: when that velocity was, and the least that it counts as */
    double wind[3];              /* m/s: the uniform wind in it */
    f4 *bend; /* receives, by column: [3] u_m + [0-2] is by how much velocities bend from half a
                 substep before to now to the midpoint, where it is u_m; 0: without a past. m/s */
} vt_past;

/* How a substep ends: with the rates of the last stage, or with `share` of them and the rest from
 * those of the first stage (in the order of the columns; NULL: none). Vortons that were born inside
 * the substep, with an age below zero, have none of these. */
typedef struct vt_ending {
    double dt, share;
    double since;      /* the last velocity of a vorton, s; 0: there was none */
    double carried[3]; /* m/s: the change of velocity since then that is no acceleration */
    const vt_rate *first;
    const f4 *bend; /* of vt_past, of the first `bent` columns */
    int64_t bent;
    int32_t
        started;  /* whether all that have an age >= 0 have rates in vt_vorton_rows.past; else > 0
                   */
    int32_t born; /* whether any are newborn: the columns take the volumes in their bounds */
    float cleaned_volume; /* of a vorton, m^3: the largest that cleaning acts on */
    const float *cover;   /* how often volumes fill the space about each; NULL: about once */
} vt_ending;

/* The columns that records are made of. */
typedef struct vt_collected {
    const float *position, *strength, *volume, *bound_volume, *birth_strength;
    const uint32_t *flags;
} vt_collected;

/* The columns that the end of a substep reads and writes. */
typedef struct vt_vorton_rows {
    float *position, *strength, *volume, *bound_volume, *velocity, *age;
    uint32_t *flags;
    float *core;         /* NULL where cores stay */
    float *acceleration; /* NULL: not kept */
    vt_rate *past;       /* of each at the last field solve and the one before; NULL: not kept */
} vt_vorton_rows;

typedef struct vt_tracer_rows {
    float *position, *velocity, *age; /* velocity may be NULL */
} vt_tracer_rows;

/* Rows of a block of `advect`. */
enum { VT_ADVECT_BLOCK = 1024 };
