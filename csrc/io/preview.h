/* The parts of the preview: bricks hold the smoke and its light as the march reads them. Lengths
 * are in cells of the bricks; a cell is a voxel of the volume, or a cube of several in a huge box.
 */
#ifndef VORTON_IO_PREVIEW_H
#define VORTON_IO_PREVIEW_H

#include "core/simd.h"
#include "io/preview_bodies.h"
#include "io/preview_fire.h"
#include "vorton.h"

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
                           b BRICK_VALUES + vt_brick_cell(x, y, z) */
    float *glow;        /* as density: what glows, 0 .. 1; NULL without fire */
    float *warmth;      /* as density: its temperature, K, times glow, or of a dye times density;
                           NULL without either */
    f4 *light;          /* light that smoke of albedo 1 scatters to the eye, red green blue: node
                           (x, y, z), each 0 .. 4, at cell (2 x, 2 y, 2 z) of brick b, at
                           ((b LIGHT_SIDE + z) LIGHT_SIDE + y) LIGHT_SIDE + x; NULL before
                           vt_light_bricks */
} vt_bricks;

/* z is the fastest, as in the leaves of a volume. */
static inline int32_t vt_brick_cell(int32_t x, int32_t y, int32_t z)
{
    return ((x + 1) * BRICK_SIDE + y + 1) * BRICK_SIDE + z + 1;
}

/* Reads the volume, for a dye (which needs temperature) or for fire. On failure nothing is left to
 * free. */
vt_status vt_create_bricks(const vt_volume *volume, _Bool dyed, int threads, vt_bricks *bricks);
void vt_destroy_bricks(vt_bricks *bricks);

/* Fire as the bricks have it; not there where emission is 0. */
typedef struct vt_fire {
    double emission; /* radiance of a metre of what glows wholly, at 2000 K */
    vt_black_body body;
} vt_fire;

/* Fills bricks->light for smoke of this extinction (m^2/kg), lit by the lights of def and by fire.
 */
vt_status vt_light_bricks(vt_bricks *bricks, const vt_preview_def *def, double extinction,
                          const vt_fire *fire, int threads);

typedef struct vt_march {
    const vt_bricks *bricks;
    int32_t width, height;
    double eye[3];             /* m */
    double right[3], down[3];  /* from pixel to pixel at distance 1 */
    double corner[3];          /* from the eye to the centre of the first pixel at distance 1 */
    double step;               /* from point to point of a ray, cells */
    float pixels_per_cell;     /* at a distance of one cell */
    float depth;               /* optical depth of a step per kg/m^3; 0: only columns are wanted */
    float radiance;            /* of a step of what glows wholly, at 2000 K */
    const vt_black_body *body; /* colours of the fire; NULL: none is drawn */
    float dye[2];              /* K, of its first and last colour; equal: none */
} vt_march;

typedef struct vt_seen {
    f4 light;                    /* scattered to the eye, for albedo 1 */
    f4 fire;                     /* emitted to the eye */
    float transmittance, column; /* column: sum of the density at the points, kg/m^3 */
    float power;                 /* sum of glow x power of a black body at the points */
} vt_seen;

/* Aims width x height rays along the view of def; depth stays 0. Refuses a view without direction.
 * bricks may be NULL if no ray is marched. */
vt_status vt_start_march(const vt_bricks *bricks, const vt_preview_def *def, int32_t width,
                         int32_t height, vt_march *march);

/* What the ray of pixel (x, y), row 0 at the top, sees of smoke and fire up to a distance, m. */
vt_seen vt_march_ray(const vt_march *march, int64_t x, int64_t y, double distance);

/* The direction of a pixel, whole or not, of length 1. */
void vt_ray_of_pixel(const vt_march *march, double x, double y, double way[3]);

/* v made `length` long; 0 when v is (nearly) zero. */
_Bool vt_scale_to(double v[3], double length);

#endif
