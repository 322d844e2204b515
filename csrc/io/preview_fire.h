/* Fire in the preview: what glows, in which colour, and the light that it sheds. */
#ifndef VORTON_IO_PREVIEW_FIRE_H
#define VORTON_IO_PREVIEW_FIRE_H

#include <string.h>

#include "core/simd.h"
#include "vorton.h"

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

enum { VT_GLOW_COLORS = 65 }; /* every 40 K from 600 K to 3160 K */

/* Colours of a black body in linear sRGB, the largest component 1. */
typedef struct vt_black_body {
    f4 color[VT_GLOW_COLORS];
} vt_black_body;

void vt_fill_black_body(vt_black_body *body);

/* Colour at a temperature, K; the ends of the table beyond it. */
static inline f4 vt_black_body_color(const vt_black_body *body, float kelvin)
{
    const float at = (kelvin - 600.0f) * (1.0f / 40.0f);
    const float place = at > 0.0f ? (at < VT_GLOW_COLORS - 1 ? at : VT_GLOW_COLORS - 1) : 0.0f;
    const int32_t i = place < VT_GLOW_COLORS - 2 ? (int32_t)place : VT_GLOW_COLORS - 2;
    return body->color[i] + f4_set(place - (float)i) * (body->color[i + 1] - body->color[i]);
}

/* Power of a black body, 1 at 2000 K. */
static inline float vt_black_body_power(float kelvin)
{
    const float square = kelvin * kelvin * (1.0f / 4e6f);
    return square * square;
}

/* How much a voxel glows, 0 .. 1, where this share of the fuel is unburnt: the reaction zone most.
 * Fuel with little soot in it yet glows half as much, so that a flame does not show the form of
 * what it is born in; the last eighth would be a red haze in the smoke. Where tracers are scarce it
 * fades. */
static inline float vt_glow_of(float unburnt, float coverage)
{
    const float above = (unburnt - 0.12f) * (1.0f / 0.88f), share = above > 0.0f ? above : 0.0f;
    const float zone = 4.0f * share * (1.0f - share);
    const float burnt = 4.0f * (1.0f - share), sooty = 0.5f + 0.5f * (burnt < 1.0f ? burnt : 1.0f);
    const float glow = 0.7f * zone * f1_sqrt(zone) + 0.3f * share * sooty;
    return (glow < 1.0f ? glow : 1.0f) * (1.0f - vt_decay(-60.0f * coverage));
}

/* Temperature of the colour of what glows so much, K: that of the flames in a voxel, which are
 * thinner and hotter than its mean. */
static inline float vt_kelvin_of(float glow)
{
    return 700.0f + 1700.0f * glow;
}

/* How much glows in the voxels of a volume with flame, 0 .. 1, and that times its temperature in K:
 * both on the rows of its density, to be freed. VT_OUT_OF_MEMORY leaves NULL. */
vt_status vt_find_glow(const vt_volume *volume, int threads, float **glow, float **warmth);

/* Adds to `light` (count nodes, x fastest, `spacing` m apart) what reaches each of them from the
 * radiance a metre, `source`, of all of them, as if nothing lay between.
 * Returns 0 when there is no memory. */
_Bool vt_add_fire_light(const int64_t count[3], double spacing, const f4 *source, f4 *light,
                        int threads);

/* Adds to a picture (width x height, row by row) the bloom of its fire.
 * Returns 0 when there is no memory. */
_Bool vt_add_bloom(int64_t width, int64_t height, double share, const f4 *fire, f4 *picture,
                   int threads);

#endif
