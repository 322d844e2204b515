/* What the diffusion of particles works on. */
#ifndef VORTON_STAGES_DIFFUSE_H
#define VORTON_STAGES_DIFFUSE_H

#include "state/partition.h"
#include "vorton.h"

enum { VT_DIFFUSED_MOST = 8 };

/* Quantities that particles carry, as amounts (strength, V x density deviation ...). */
typedef struct vt_diffused {
    int32_t components; /* 1 .. VT_DIFFUSED_MOST */
    /* component c of particle i is value[c][i * stride[c]] */
    float *value[VT_DIFFUSED_MOST];
    int64_t stride[VT_DIFFUSED_MOST];
    double reach2[VT_DIFFUSED_MOST]; /* diffusivity x time, m^2, >= 0 */
} vt_diffused;

/* Buckets of the partition that a cell takes along x. */
static inline int vt_diffusion_slices(int kind)
{
    return kind == VT_DIFFUSION_PSE ? 2 : 1;
}

/* For particles that are `spacing` apart: the side of the cells of the partition (m), which is as
 * far as they reach; and the largest diffusivity x time (m^2) that evenly spaced particles take in
 * one go. kind: VT_DIFFUSION_PSE or _EXCHANGE. */
static inline double vt_diffusion_side(int kind, double spacing)
{
    return kind == VT_DIFFUSION_PSE ? 2.1213203435596424 * spacing : spacing;
}

static inline double vt_diffusion_limit(int kind, double spacing)
{
    const double side = vt_diffusion_side(kind, spacing);
    return side * side / (kind == VT_DIFFUSION_PSE ? 2 * 26.0 : 2 * 14.0);
}

#endif
