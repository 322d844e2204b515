/* The three cores of a vorton, as functions of s = p^2 = (r / sigma)^2: no root at s = 0.
 *
 *   velocity   u = velocity(s) / (4 pi sigma^3) alpha x (x - x_j)
 *   gradient   d u_i / d x_j has, beside the part from the cross product, the part
 *              gradient(s) / (4 pi sigma^5) (alpha x (x - x_j))_i (x - x_j)_j
 *   potential  A = potential(s) / (4 pi sigma) alpha
 *
 * velocity = q(p) / p^3, gradient = 2 d velocity / ds, potential = G(p), with the q and G of
 *
 *   Gaussian  q = erf(p / sqrt 2) - sqrt(2 / pi) p exp(-p^2 / 2)
 *             G = erf(p / sqrt 2) / p
 *   WL        q = p^3 (p^2 + 5/2) / (p^2 + 1)^(5/2)
 *             G = (p^2 + 3/2) / (p^2 + 1)^(3/2)
 *   ball      q = min(p, 1)^3
 *             G = (3 - p^2) / 2 inside, 1 / p outside
 *
 * Gaussian; Winckelmans and Leonard, J. Comput. Phys. 109 (1993); the ball of constant vorticity of
 * Gourlay's articles. Relative errors below 2e-15. */
#pragma once

/* Each core function: its name, and its number. */
#define VT_EACH_CORE(DO)                                                                           \
    DO(gaussian, VT_KERNEL_GAUSSIAN) DO(wl, VT_KERNEL_WL) DO(ball, VT_KERNEL_BALL)

/* A table with a row for each of them. */
#define VT_HAS_ALL_CORES(table)                                                                    \
    _Static_assert(sizeof(table) / sizeof((table)[0]) == VT_KERNEL_COUNT, "a row for each core")

/* kernel: VT_KERNEL_...; s >= 0 */
double vti_core_velocity(int kernel, double s);
double vti_core_gradient(int kernel, double s);
double vti_core_potential(int kernel, double s);

/* The Gaussian core as quartics for the float kernels: s in [0, VT_CORE_END) is cut in
 * VT_CORE_INTERVALS equal intervals; with t in [0, 1) inside interval i, velocity is the sum of
 * velocity[k][i] t^k. Relative error 2.2e-7 (velocity), 3.4e-7 (gradient); beyond VT_CORE_END the
 * core is a point to 7e-8 and 9e-7. */
enum { VT_CORE_INTERVALS = 32, VT_CORE_TERMS = 5, VT_CORE_END = 36 };
typedef struct vt_core_table {
    float velocity[VT_CORE_TERMS][VT_CORE_INTERVALS];
    float gradient[VT_CORE_TERMS][VT_CORE_INTERVALS];
} vt_core_table;

/* Made at the first call, from any thread. */
const vt_core_table *vti_gaussian_table(void);
