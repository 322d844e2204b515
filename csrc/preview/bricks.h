/* The smoke as the march reads it: bricks of 8^3 cells with a rim, so that a lookup never leaves
 * its brick. A brick is stored when smoke lies in it or in its rim. */
#pragma once

#include "base/simd.h"
#include "volume/volume.h"

enum {
    BRICK = 8,                       /* cells along an edge of a brick */
    BRICK_SIDE = 11,                 /* one cell before, two after: lookups stay inside */
    BRICK_VALUES = 11 * 11 * 11 + 5, /* and a vector may be loaded at the last cell */
    LIGHT_SIDE = 5,                  /* nodes of the light along an edge, two cells apart */
    LIGHT_NODES = 5 * 5 * 5
};

typedef struct vt_bricks {
    double cell;        /* edge of a cell, m */
    double origin[3];   /* centre of the first cell of brick (0, 0, 0), m */
    int32_t first[3];   /* that cell on the lattice of the world: cells from the origin */
    int32_t merge_bits; /* a cell is 2^merge_bits voxels wide: 0, or more in a huge box */
    int32_t count[3];   /* bricks along x, y, z; 0 in an empty volume */
    int64_t stored;     /* bricks with smoke */
    int32_t *index;     /* of brick (i, j, k) at (k count[1] + j) count[0] + i: its number, or -1 */
    int32_t *place;     /* of brick number b: i, j, k at place[3 b] */
    float *density;     /* kg/m^3: cell (x, y, z), each -1 .. 9, of brick b at
                           b BRICK_VALUES + vti_brick_cell(x, y, z) */
    float *glow;        /* as density: what glows, 0 .. 1; NULL without fire */
    uint8_t *glows;     /* of each brick, whether anything in it or in its rim does; NULL as glow */
    float *warmth;      /* as density: its temperature, K, times glow, or of a dye times density;
                           NULL without either */
    f4 *light;          /* light that smoke of albedo 1 scatters to the eye, red green blue: node
                           (x, y, z), each 0 .. 4, at cell (2 x, 2 y, 2 z) of brick b, at
                           ((b LIGHT_SIDE + z) LIGHT_SIDE + y) LIGHT_SIDE + x; NULL before
                           vti_light_bricks */
    float *shade; /* optical depth towards the key light: node (x, y, z), from 0 to 4 count, at
                     cell (2 x, 2 y, 2 z), x fastest; NULL as light */
} vt_bricks;

/* z is the fastest, as in the leaves of a volume. */
static inline int32_t vti_brick_cell(int32_t x, int32_t y, int32_t z)
{
    return ((x + 1) * BRICK_SIDE + y + 1) * BRICK_SIDE + z + 1;
}

/* Reads the volume, for a dye (which needs temperature) or for fire. On failure nothing is left to
 * free. */
vt_status vti_create_bricks(const vt_volume *volume, _Bool dyed, int threads, vt_bricks *bricks);
void vti_destroy_bricks(vt_bricks *bricks);

/* Share of the key light that the smoke lets through to a point (m); way: towards the light, of
 * length 1. */
float vti_key_through_smoke(const vt_bricks *bricks, const double point[3], const double way[3]);
