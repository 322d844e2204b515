/* Pictures of volumes. */
#ifndef VORTON_PREVIEW_H
#define VORTON_PREVIEW_H

#include "vorton/volume.h"

VT_BEGIN_C

/* A lit picture of smoke: preview.def. */
typedef struct vt_preview_def {
    size_t struct_size;
#include "vorton/preview.def"
} vt_preview_def;

/* pixels: height x width x 3, sRGB bytes, top row first. */
VT_API vt_status vt_render_preview(const vt_volume *volume, const vt_preview_def *def,
                                   uint8_t *pixels);

/* The extinction that makes this frame read as smoke: 9 / p95 of the column density over the rays
 * that meet it, 0 without smoke. Take it from a developed frame and keep it for the shot. */
VT_API vt_status vt_preview_extinction(const vt_volume *volume, const vt_preview_def *def,
                                       double *extinction);

/* The emission that makes this frame read as fire: 3 / p95 of the glow along the rays that meet it,
 * 0 without fire. No flame counts as duller than one of 1500 K as long: fires that die get dark,
 * where each picture has its own. Take it from a frame with much flame and keep it for the shot. */
VT_API vt_status vt_preview_emission(const vt_volume *volume, const vt_preview_def *def,
                                     double *emission);

VT_END_C

#endif
