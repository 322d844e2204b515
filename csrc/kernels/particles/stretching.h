/* Stretching and tilting, and the motion of the vortons (parts 3 and 6).
 *
 *   d alpha / dt = (grad u)^T alpha~        transpose form: conserves the total strength
 *   alpha~ = alpha min(1, K V |curl u| / |alpha|)
 *
 * The bound by the resolved vorticity, K = 1.5, keeps long runs from blowing up: unbounded, alpha
 * grows exponentially once it parts from the vorticity that the grid resolves. V is the volume of
 * the vorton, or |alpha| / |w| at birth where that is more: |w| = max(|curl u|, w_least), see
 * kernels/particles/stretching_bound.c. Cleaning removes the divergent part of the filtered
 * vorticity, which curl curl A = grad div A - lap A shows to be grad div A: alpha += (1 - exp(-C S
 * dt)) V grad div A, S = sqrt(2 e:e) the strain rate.
 *
 * By the other forms a wobbly ring may lose or gain half its impulse in ten seconds. The rings of
 * examples/leapfrog.py pass through each other five times in five seconds by the transpose form,
 * and keep 99.7 % of their impulse; by the classical one twice, and keep 27 %. A flow map that
 * vortons carry, strength = F strength at birth, is the classical form: F solves the same linear
 * equation. The articles' factor 1/2 (parts 3 and 6: they hold omega / 2 and tilt it by (omega / 2
 * . grad) u / 2) lets a straight vortex of gradient g grow by e^(g t / 2) instead of e^(g t).
 *
 * In fluid that expands d omega / dt = (omega . grad) u - omega div u and dV / dt = V div u, so
 * that of alpha = omega V there is d alpha / dt = (alpha . grad) u, without another term; and the
 * transpose form is the same where alpha lies along curl u, for (grad u)^T alpha - (alpha . grad) u
 * = alpha x curl u, to which the irrotational part of u adds nothing. An even expansion of V by a
 * factor e makes e^1/3 of alpha and e^-2/3 of the vorticity: circulation is kept.
 *
 * Reformulated method (rVPM, Alvarez and Ning 2023, g = 1/5, f = 0): a vorton stands for a length
 * of tube that keeps its mass and angular momentum, s = (alpha . grad) u, a = alpha / |alpha|,
 *
 *   d alpha / dt = s - 3/5 (s . a) a,   d sigma / dt = -1/5 sigma (s . a) / |alpha|
 *
 * so that alpha / sigma^3 grows as vorticity does. Only the core is that of the tube: `volume`, the
 * share of the fluid in sums over vortons, stays, as in every incompressible flow.
 *
 * Relaxation (Pedrizzetti 1992): alpha' = (1 - f) alpha + f |alpha| w / |w|, w = curl u,
 * f = 1 - exp(-C S dt). */
#pragma once

#include "base/kernel.h"
#include "kernels/particles/particle_rates.h"

/* Velocity and stretching at the records, and the largest of them. Of the newborn, which the field
 * has a least vorticity for, the rates get the volume in their bound; bound_volume has the least.
 */
typedef void vt_stretch_kernel(const vt_velocity_source *field, const vt_method *method,
                               int64_t count, const vt_record *records, vt_rate *rates,
                               const float *bound_volume, vt_extremes *extremes, int threads);
VT_DECLARE_KERNEL(stretch);

/* Rates of the way ahead at the records: those at the last field solve, and `ahead` of their change
 * since the one before. past: of each column both. */
typedef void vt_extrapolate_kernel(const vt_rate *past, double ahead, int64_t count,
                                   const vt_record *records, vt_rate *rates, int threads);
VT_DECLARE_KERNEL(extrapolate);

/* End of the substep for the vortons, with the rates at the records (base values are still in the
 * columns): position, strength with relaxation and cleaning, core, velocity, bound_volume, its flag
 * and age. Of strength and volume, the records keep the fraction 1 - exp(-C S dt) that is to be
 * exchanged. Where past rates are kept they become these, and extremes their largest values.
 */
typedef void vt_finish_kernel(const vt_velocity_source *field, const vt_method *method,
                              const vt_ending *ending, const double *wind, int64_t count,
                              vt_record *records, const vt_vorton_rows *rows, vt_extremes *extremes,
                              int threads);
VT_DECLARE_KERNEL(finish);
