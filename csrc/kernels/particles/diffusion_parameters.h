/* What particle strength exchange is given: the structs. */
#pragma once

#include "geometry/neighbour_cells.h"

enum { VT_DIFFUSED_MOST = 8 };

/* Quantities that particles carry, as amounts (strength, V x density deviation ...). */
typedef struct vt_diffused {
    int32_t components; /* 1 .. VT_DIFFUSED_MOST */
    /* component c of particle i is value[c][i * stride[c]] */
    float *value[VT_DIFFUSED_MOST];
    int64_t stride[VT_DIFFUSED_MOST];
    double reach2[VT_DIFFUSED_MOST]; /* diffusivity x time, m^2, >= 0 */
} vt_diffused;

/* What sources bring along: places in `values`, then one for each component. */
enum { AT, VOLUME = AT + 3, SHARE, DENSITY, VALUES = DENSITY + VT_DIFFUSED_MOST };

/* Arrays in the order of the partition; lengths in sides of a cell, volumes in cells. */
typedef struct vt_diffusion {
    const vt_partition *cells;
    const vt_diffused *diffused;
    int kind;
    const float *source_volume;
    const float *position;
    float *values[VALUES]; /* VOLUME: times the kernel at distance 0; SHARE: volume x factor. Zeros
                            * follow, VT_LANES of them */
    float *factor;         /* c_i / 2 */
    float *sum;            /* over the sources: the second moment, later that of V eta */
    float *received;       /* sum of V eta x density: component c of particle t at t x width + c */
    uint64_t *marks;       /* of what each particle meets: see
                              kernels/particles/particle_strength_exchange_pairs.h */
    float *change[VT_DIFFUSED_MOST];
    float step[VT_DIFFUSED_MOST];
    int64_t width;
    const uint32_t *no_row; /* the buckets of a row without particles */
    char *strips;           /* memory of the threads */
    size_t strip_bytes;
    size_t strip;   /* floats of a pile for each value, a multiple of VT_LANES */
    size_t buckets; /* of those where its buckets begin, likewise */
    size_t pieces;  /* of which it is put together, likewise */
    float *weight;  /* of each thread: the largest sum over the neighbours of V eta */
} vt_diffusion;
