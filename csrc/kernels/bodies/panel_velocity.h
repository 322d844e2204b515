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

/* What panel_pairs finds out of points and patches that both rest, but for the densities: of every
 * VT_PAIRED points, one block after the other, `words` from first[block] on. */
enum { VT_PAIRED = 128 };

typedef struct vt_pair_plan {
    int64_t *first; /* blocks + 1 */
    float *words;
} vt_pair_plan;

/* The same as panel_pairs, bit by bit. Where plan->words is NULL it counts them: those of block b
 * to first[b + 1]. Else it keeps them. */
typedef void vt_plan_pairs_kernel(const vt_patches *patches, int64_t count, const float *points,
                                  float *velocity, const vt_pair_plan *plan, int threads);
VT_DECLARE_KERNEL(plan_pairs);

/* The same by the words that were kept, with the densities of now. */
typedef void vt_planned_pairs_kernel(const vt_patches *patches, int64_t count, const float *points,
                                     float *velocity, const vt_pair_plan *plan, int threads);
VT_DECLARE_KERNEL(planned_pairs);

/* Adds the whole velocity of patches [0, patch_count), grid or not, at points (as above). */
typedef void vt_panel_field_kernel(int64_t patch_count, const vt_patch *patch, int64_t count,
                                   const float *points, float *velocity, int threads);
VT_DECLARE_KERNEL(panel_field);
