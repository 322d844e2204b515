/* The march of a ray through the bricks, front to back. Lengths are in cells (preview/render.c). */
#pragma once

#include "preview/bricks.h"
#include "preview/fire.h"

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
    float power, square; /* sums over the points of glow x power of a black body, and its square */
} vt_seen;

/* Aims width x height rays along the view of def; depth stays 0. Refuses a view without direction.
 * bricks may be NULL if no ray is marched. */
vt_status vti_start_march(const vt_bricks *bricks, const vt_preview_def *def, int32_t width,
                          int32_t height, vt_march *march);

/* A part of a ray, by distances from the eye, m; to: INFINITY without end. */
typedef struct vt_stretch {
    double from, to;
} vt_stretch;

/* What the ray of pixel (x, y), row 0 at the top, sees of smoke and fire on a stretch. */
vt_seen vti_march_ray(const vt_march *march, int64_t x, int64_t y, vt_stretch stretch);

/* The direction of a pixel, whole or not, of length 1. */
void vti_ray_of_pixel(const vt_march *march, double x, double y, double way[3]);

/* v made `length` long; 0 when v is (nearly) zero. */
_Bool vti_scale_to(double v[3], double length);

/* The first body along a way from the eye. */
typedef struct vt_sight {
    double distance;            /* m; INFINITY: there is none */
    double point[3], normal[3]; /* of its surface, a little off it; of length 1 */
    f4 light;                   /* that it sends back, linear, without that of fire */
    _Bool shaded;               /* by a body from the key light, or turned away from it */
    float clear;                /* share of its light that haze lets through */
} vt_sight;
