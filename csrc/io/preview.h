/* The parts of the preview: bricks hold the smoke and its light as the march reads them. Lengths
 * are in cells of the bricks; a cell is a voxel of the volume, or a cube of `merge`^3 of them. */
#ifndef VORTON_IO_PREVIEW_H
#define VORTON_IO_PREVIEW_H

#include "core/simd.h"
#include "vorton.h"

enum {
    BRICK = 8,                       /* cells along an edge of a brick */
    BRICK_SIDE = 11,                 /* one cell before, two after: lookups stay inside */
    BRICK_VALUES = 11 * 11 * 11 + 5, /* and a vector may be loaded at the last cell */
    LIGHT_SIDE = 5,                  /* nodes of the light along an edge, two cells apart */
    LIGHT_NODES = 5 * 5 * 5
};

typedef struct vt_bricks {
    double cell;      /* edge of a cell, m */
    double origin[3]; /* centre of the first cell of brick (0, 0, 0), m */
    int32_t first[3]; /* voxel at the low corner of that cell */
    int32_t merge;    /* voxels along the edge of a cell: 1, or more in a huge box */
    int32_t count[3]; /* bricks along x, y, z; 0 in an empty volume */
    int64_t stored;   /* bricks with smoke */
    int32_t *index;   /* of brick (i, j, k) at (k count[1] + j) count[0] + i: its number, or -1 */
    int32_t *place;   /* of brick number b: i, j, k at place[3 b] */
    float *density;   /* cell (x, y, z) of brick b, each -1 .. 9, kg/m^3: BRICK_VALUES apart,
                         ((z + 1) BRICK_SIDE + y + 1) BRICK_SIDE + x + 1 */
    f4 *light;        /* node (x, y, z) of brick b at cell (2 x, 2 y, 2 z): light scattered to the
                         eye by smoke of albedo 1, red green blue; NULL before vt_light_bricks */
} vt_bricks;

/* Reads the volume. On failure nothing is left to free. */
vt_status vt_create_bricks(const vt_volume *volume, int threads, vt_bricks *bricks);
void vt_destroy_bricks(vt_bricks *bricks);

/* Fills bricks->light for smoke of this extinction (m^2/kg). */
vt_status vt_light_bricks(vt_bricks *bricks, const vt_preview_def *def, double extinction,
                          int threads);

/* Node (i, j, k) of the half-resolution lattice of a brick grid: 4 count + 1 nodes along an axis.
 */
static inline int64_t vt_half_nodes(const vt_bricks *bricks, int axis)
{
    return 4 * (int64_t)bricks->count[axis] + 1;
}

/* e^x for x <= 0, relative error 2e-7; e^-87 below. Single precision, elementary operations only:
 * the pixels do not depend on a libm. */
VT_INLINE float vt_decay(float x)
{
    const float clamped = x > -87.0f ? x : -87.0f;
    const int32_t n = (int32_t)(clamped * 1.44269504f - 0.5f);
    const float r = (clamped - (float)n * 0.693359375f) + (float)n * 2.12194440e-4f;
    float p = 1.0f / 5040.0f;
    p = p * r + 1.0f / 720.0f;
    p = p * r + 1.0f / 120.0f;
    p = p * r + 1.0f / 24.0f;
    p = p * r + 1.0f / 6.0f;
    p = p * r + 0.5f;
    p = p * r + 1.0f;
    p = p * r + 1.0f;
    const int32_t bits = (n + 127) << 23;
    float scale;
    memcpy(&scale, &bits, 4);
    return p * scale;
}

#endif
