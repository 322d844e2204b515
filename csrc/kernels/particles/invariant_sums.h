/* What vorticity that moves by itself keeps (Saffman, Vortex Dynamics, 1992, chapter 3): the sum of
 * the strengths, their first moments and angular impulse. The antisymmetric part of the moments is
 * linear impulse; without the symmetric one, which is zero where vortex lines have no ends, angular
 * impulse would depend on the point about which it is taken. */
#pragma once

#include "base/kernel.h"
#include "kernels/particles/particle_rates.h"

enum {
    VT_INVARIANTS = 15, /* sum alpha, sum x_i alpha_j, sum x cross (x cross alpha) */
    VT_MONOMIALS = 35,  /* x^i y^j z^k to degree 4 */
    VT_INVARIANT_BLOCK = 1024
};

/* How sums over the vortons are taken. */
typedef struct vt_frame {
    float center[3], length; /* where x is counted from, and in units of what, m */
    float cap;               /* the most that a vorton weighs, m^6/s^2 */
} vt_frame;

/* Sums over a block of vortons. */
typedef struct vt_invariants {
    double sum[VT_INVARIANTS];   /* m^3/s */
    double moment[VT_MONOMIALS]; /* w x^i y^j z^k, m^6/s^2, in the order of vti_monomial; w is
                                    min(|alpha|^2, cap) */
} vt_invariants;

/* Columns of the vortons, by row, after the substep; density and temperature NULL where they are
 * not used. */
typedef struct vt_weight_rows {
    const float *position, *velocity, *volume, *density, *temperature, *age;
    float wind[3]; /* m/s, in velocity */
} vt_weight_rows;

/* Sums over a block of vortons of V rho' / rho0 and of that times x, m^3, halfway through the
 * substep. What is born in the substep counts for the rest of it. */
typedef struct vt_weights {
    double sum[4];
} vt_weights;

/* How far a vorton belongs to a wake that its body has left behind, 0 to 1. */
typedef struct vt_apart {
    float share;
    int32_t body; /* index */
} vt_apart;

/* Those of a substep, by row, and the middle of each body, in cells from the middle of the grid. */
typedef struct vt_apart_rows {
    const vt_apart *row; /* NULL: none */
    const double (*middle)[3];
} vt_apart_rows;

/* Of what density differences give the vortons of a block in a substep, dalpha, at the records of
 * its last field: sums of x cross dalpha and of x cross (x cross dalpha), m^3/s, x in cells from
 * the middle of the grid; and of what they give the wakes apart, share times x cross dalpha, x from
 * the middle of their body. */
typedef struct vt_generation {
    double sum[6], apart[3];
} vt_generation;

/* Place of x^i y^j z^k: by degree, then by falling power of x, then of y. */
static inline int vti_monomial(int i, int j, int k)
{
    const int d = i + j + k, n = j + k;
    return d * (d + 1) * (d + 2) / 6 + n * (n + 1) / 2 + k;
}

/* What the vortons keep: sums over blocks of VT_INVARIANT_BLOCK of them, the moments up to a
 * degree of 1 or 4; 0: none. */
typedef void vt_sum_invariants_kernel(int64_t count, const float *position, const float *strength,
                                      const vt_frame *frame, int degree, vt_invariants *block,
                                      int threads);
VT_DECLARE_KERNEL(sum_invariants);

/* strength_j += |strength|^2 (a_j + x_i b_ij + (c cross x) cross x), share = {a, b, c}. */
typedef void vt_share_invariants_kernel(int64_t count, const float *position, float *strength,
                                        const vt_frame *frame, const float share[VT_INVARIANTS],
                                        int threads);
VT_DECLARE_KERNEL(share_invariants);

/* What the weight of their fluid gives them, over blocks likewise. */
typedef void vt_sum_weights_kernel(int64_t count, const vt_weight_rows *rows, const vt_fluid *fluid,
                                   const vt_frame *frame, double dt, vt_weights *block,
                                   int threads);
VT_DECLARE_KERNEL(sum_weights);

/* What ln(rho / rho0) differs by from rho' / rho0, by the densities that grid->scalars holds: sums
 * over each plane of nodes, of that and of that times the indices of the nodes along x, y, z. */
typedef void vt_sum_bend_kernel(const vt_grid *grid, double density, vt_weights *plane,
                                int threads);
VT_DECLARE_KERNEL(sum_bend);

/* And what density differences give them, before finish, with the records that it has. */
typedef void vt_sum_generation_kernel(const vt_velocity_source *field, int64_t count,
                                      const vt_record *records, const float *age,
                                      const vt_apart_rows *apart, double dt, vt_generation *block,
                                      int threads);
VT_DECLARE_KERNEL(sum_generation);
