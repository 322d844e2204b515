/* The ways of vortons by the midpoint rule (kernels/particles/stretching.h has the rates).
 *
 *   x_m = x + dt/2 u_0 + a dt/4 (u_0 - u_m'),   x' = x + dt (u_m + b (u_m - 2 u_0 + u_m')),
 *
 * u_m' the velocity of a vorton at the last midpoint. A point with u = i z x / dt, which turns by z
 * rad a substep, goes outwards by z^4 / 8 in each by the plain rule (a = b = 0), if the rotation is
 * given. In a vortex of vortons it stays on its circle then: at the midpoint the vortex is as much
 * wider, and slower, as the point is farther out, u = i z x / (dt |x|^2), and |x'| = |x| to all
 * orders. But between, inside of smooth cores, vortices grow. With b = -a / 8 the point goes
 * outwards by (1 - a / 2) a^2 z^4 / 128 alone in the vortex, .005 z^4 with a = 1.3, which keeps it
 * on its circle in the given rotation, too: within 1.3 % a substep up to 1.13 rad. After a shorter
 * substep both bends fade (step/substep.c). A ring of core .25 R keeps its energy within .5 % over
 * five turns of its core by `turn` 1.2 and 1.6; with a = .83, b = 0, which keep a given rotation
 * alone, it draws together and gains 3 and 5 % (tests/test_substeps.py). */
#pragma once

#include "base/kernel.h"
#include "kernels/particles/particle_rates.h"

static const float vt_share_of_bend = 1.3f, vt_share_of_chord = -1.3f / 8;

/* No farther than a cell along each axis; without a grid, as it is. `cell`: in its unit. Half of
 * one would let what turns by 1.1 rad a substep drift outwards from three cells about its axis on.
 */
VT_INLINE f4 vti_within_a_cell(const vt_grid *grid, f4 way, float cell)
{
    if (grid->cells[0] > 0)
        for (int a = 0; a < 3; a++)
            way[a] = way[a] > cell ? cell : way[a] < -cell ? -cell : way[a];
    return way;
}

/* The mean velocity of the way of a vorton, m/s, which has velocity u at its middle. */
VT_INLINE f4 vti_mean_on_way(const vt_ending *ending, const vt_grid *grid, int64_t home, f4 u)
{
    if (home >= ending->bent)
        return u;
    const f4 past = ending->bend[home];
    const f4 change = f4_fma(f4_set(past[3]), u, past) * f4_set(vt_share_of_chord);
    return u + vti_within_a_cell(grid, change, (float)(grid->spacing / ending->dt));
}

/* Records of the next stage: base values and the way of time dt along the rates at the records. The
 * base values are those of the records, or of `base`, which is in the order of the columns, as is
 * `first`: where not NULL it receives the rates, each `stride` of them after the last. Where
 * past is not NULL the way bends with the acceleration. Stays inside the grid. The rates may lie
 * where moved does. */
typedef void vt_advance_kernel(const vt_grid *grid, double dt, int64_t count,
                               const vt_record *records, const vt_rate *rates,
                               const vt_record *base, vt_rate *first, int stride,
                               const vt_past *past, vt_record *moved, int threads);
VT_DECLARE_KERNEL(advance);
