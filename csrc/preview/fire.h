/* Fire in the preview: what glows, in which colour, and the light that it sheds. */
#pragma once

#include "base/simd.h"
#include "volume/volume.h"

enum { VT_GLOW_COLORS = 65 }; /* every 40 K from 600 K to 3160 K */

/* Colours of a black body in linear sRGB, the largest component 1. */
typedef struct vt_black_body {
    f4 color[VT_GLOW_COLORS];
} vt_black_body;

/* Fire as the bricks have it; not there where emission is 0. */
typedef struct vt_fire {
    double emission; /* radiance of a metre of what glows wholly, at 2000 K */
    vt_black_body body;
} vt_fire;

/* A linear colour of a definition, times scale. */
static inline f4 vti_color(const double color[3], double scale)
{
    return (f4){(float)(color[0] * scale), (float)(color[1] * scale), (float)(color[2] * scale), 0};
}

void vti_fill_black_body(vt_black_body *body);

/* Colour at a temperature, K; the ends of the table beyond it. */
static inline f4 vti_black_body_color(const vt_black_body *body, float kelvin)
{
    const float at = (kelvin - 600.0f) * (1.0f / 40.0f);
    const float place = at > 0.0f ? (at < VT_GLOW_COLORS - 1 ? at : VT_GLOW_COLORS - 1) : 0.0f;
    const int32_t i = place < VT_GLOW_COLORS - 2 ? (int32_t)place : VT_GLOW_COLORS - 2;
    return body->color[i] + f4_set(place - (float)i) * (body->color[i + 1] - body->color[i]);
}

/* Power of a black body, 1 at 2000 K. */
static inline float vti_black_body_power(float kelvin)
{
    const float square = kelvin * kelvin * (1.0f / 4e6f);
    return square * square;
}

/* Temperatures of the colours of what does not glow and of what glows wholly, K. */
#define VT_COOLEST_FIRE 700.0f
#define VT_WARMEST_FIRE 2400.0f

/* Temperature of the colour of what glows so much, K: that of the flames in a voxel, which are
 * thinner and hotter than its mean. */
static inline float vti_kelvin_of(float glow)
{
    return VT_COOLEST_FIRE + (VT_WARMEST_FIRE - VT_COOLEST_FIRE) * glow;
}

/* Glow of the dullest flame that is shown as fire, at 1500 K: where rays meet fire, what they would
 * of a flame as long and so dull counts, if that is more. So a fire is seen to die: measured by its
 * own light alone what is left would be shown as bright as the fire was, as red fog. */
#define VT_DULL_GLOW 0.47f

/* How much glows in the voxels of a volume with flame, 0 .. 1, and that times its temperature in K:
 * both on the rows of its density, to be freed. VT_OUT_OF_MEMORY leaves NULL. */
vt_status vti_find_glow(const vt_volume *volume, int threads, float **glow, float **warmth);

/* Adds to `light` (count nodes, x fastest, `spacing` m apart) what reaches each of them from the
 * radiance a metre, `source`, of all of them, as if nothing lay between.
 * Returns 0 when there is no memory. */
_Bool vti_add_fire_light(const int64_t count[3], double spacing, const f4 *source, f4 *light,
                         int threads);

/* Adds to a picture (width x height, row by row) the bloom of its fire.
 * Returns 0 when there is no memory. */
_Bool vti_add_bloom(int64_t width, int64_t height, double share, const f4 *fire, f4 *picture,
                    int threads);
