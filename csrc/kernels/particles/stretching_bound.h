/* The least vorticity that counts in the bound of stretching (kernels/particles/stretching.c) of
 * vortons that are born,
 *
 *   w_least = 2/3 sum_j |alpha_j| zeta(x - x_j; sigma):
 *
 * two thirds of what there were if all turned the same way, which is what a lone vorton has (the
 * rest of it has divergence). Where a flow has less, vortons cancel each other, and |alpha| / |w|
 * has no limit: those of noise, or of a sheet that is born against another, were stretched as if
 * nothing bounded them.
 *
 * Here |alpha| of the nodes is summed with Gaussian weights, twelve along each axis: the trilinear
 * weights of deposit are a part of the core. Without a grid strength_density
 * (kernels/sums/tree_sum.c) makes it. */
#pragma once

#include "base/kernel.h"
#include "model/grid.h"

/* The vortons whose bound the next rates find: rows of the columns. */
typedef struct vt_newborn {
    const uint32_t *flags; /* without VT_FLAG_BOUND_KNOWN */
    int64_t first;         /* not before this row: a solve of this substep had those before it */
    float
        *least_vorticity; /* what a solve finds, 1/s, in the order of its records; 0: not newborn */
} vt_newborn;

static inline int vti_is_newborn(const vt_newborn *newborn, int64_t row)
{
    return row >= newborn->first && !(newborn->flags[row] & VT_FLAG_BOUND_KNOWN);
}

/* w_least above, > 0, of the sum of |alpha| zeta around a vorton, 1/s. */
static inline float vti_least_vorticity_in(double density)
{
    const double free_of_divergence = 2.0 / 3.0, nothing = 1e-30;
    return (float)(density > 0 ? density * free_of_divergence + nothing : nothing);
}

/* Fills newborn->least_vorticity. The nodes are those of deposit_lengths. */
typedef void vt_least_vorticity_kernel(const vt_grid *grid, int64_t count, const vt_record *records,
                                       const vt_newborn *newborn, int threads);
VT_DECLARE_KERNEL(least_vorticity);
