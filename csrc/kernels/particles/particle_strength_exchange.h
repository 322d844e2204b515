/* What the diffusion of particles works on. */
#pragma once

#include "base/kernel.h"
#include "kernels/particles/diffusion_parameters.h"
#include "vorton.h"

/* Buckets of the partition that a cell takes along x. */
static inline int vti_diffusion_slices(int kind)
{
    return kind == VT_DIFFUSION_PSE ? 2 : 1;
}

/* For particles that are `spacing` apart: the side of the cells of the partition (m), which is as
 * far as they reach; and the largest diffusivity x time (m^2) that evenly spaced particles take in
 * one go. kind: VT_DIFFUSION_PSE or _EXCHANGE. */
static inline double vti_diffusion_side(int kind, double spacing)
{
    return kind == VT_DIFFUSION_PSE ? 2.1213203435596424 * spacing : spacing;
}

static inline double vti_diffusion_limit(int kind, double spacing)
{
    const double side = vti_diffusion_side(kind, spacing);
    return side * side / (kind == VT_DIFFUSION_PSE ? 2 * 26.0 : 2 * 14.0);
}

/* Diffusion of what particles carry, in cells of side vti_diffusion_side: kind is VT_DIFFUSION_PSE
 * or _EXCHANGE, position (count x 3, m), volume (m^3). Takes at most 1 KiB x count + 1 MiB from the
 * arena, 180 count where rows of cells are short. */
typedef void vt_diffuse_kernel(const vt_partition *cells, int kind, const float *position,
                               const float *volume, const vt_diffused *diffused, vt_arena *arena,
                               int threads);
VT_DECLARE_KERNEL(diffuse);
