/* Velocity of patches (kernels/bodies/panel_patches.h): lanes are targets, and every target adds
 * the patches in the same order. Flat triangles cost as much as some points: the targets near one
 * are packed for them. */
#pragma once

#include "base/kernel.h"
#include "kernels/bodies/panel_patches.h"

/* How far (cells) each node of these bins (kernels/bodies/panel_patches.h), x fastest, lies in
 * front of the plane of the nearest patch: side holds VT_BIN_NODES for each bin,
 * VT_FAR_FROM_PATCHES where none is within reach. */
typedef void vt_panel_sides_kernel(const vt_patches *patches, int64_t count, const uint32_t *bins,
                                   float *side, int threads);
VT_DECLARE_KERNEL(panel_sides);

/* Adds what the grid lacks of the panels at points (count x 3, cells of the grid) to velocity
 * (count x 3, m/s): cheap where points that follow each other are near each other. */
typedef void vt_panel_pairs_kernel(const vt_patches *patches, int64_t count, const float *points,
                                   float *velocity, int threads);
VT_DECLARE_KERNEL(panel_pairs);

/* Adds the whole velocity of patches [0, patch_count), grid or not, at points (as above). */
typedef void vt_panel_field_kernel(int64_t patch_count, const vt_patch *patch, int64_t count,
                                   const float *points, float *velocity, int threads);
VT_DECLARE_KERNEL(panel_field);
