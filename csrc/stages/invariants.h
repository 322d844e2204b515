/* What vorticity that moves by itself keeps (Saffman, Vortex Dynamics, 1992, chapter 3): the sum of
 * the strengths, their first moments and angular impulse. The antisymmetric part of the moments is
 * linear impulse; without the symmetric one, which is zero where vortex lines have no ends, angular
 * impulse would depend on the point about which it is taken. */
#ifndef VORTON_STAGES_INVARIANTS_H
#define VORTON_STAGES_INVARIANTS_H

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
    double moment[VT_MONOMIALS]; /* w x^i y^j z^k, m^6/s^2, in the order of vt_monomial; w is
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

/* Of what density differences give the vortons of a block in a substep, dalpha, at the records of
 * its last field: sums of x cross dalpha and of x cross (x cross dalpha), m^3/s, x in cells from
 * the middle of the grid. */
typedef struct vt_generation {
    double sum[6];
} vt_generation;

/* Place of x^i y^j z^k: by degree, then by falling power of x, then of y. */
static inline int vt_monomial(int i, int j, int k)
{
    const int d = i + j + k, n = j + k;
    return d * (d + 1) * (d + 2) / 6 + n * (n + 1) / 2 + k;
}

#endif
