/* Regions: shapes that were checked, with a copy of their mesh and all that is needed to ask what
 * lies inside. */
#pragma once

#include "geometry/region.h"

/* Checks the shape and takes a copy: the error names the field, its value and what is allowed. A
 * mesh must be finite. Without a layer it must be closed (each edge in exactly two faces, in
 * opposite directions), its faces must point outwards, and it must not be so thin that fewer than
 * one try in 500 would be a birth. On failure there is nothing to destroy. */
vt_status vti_create_region(const vt_shape *shape, vt_region *region);
void vti_destroy_region(vt_region *region);

/* The same of a shape whose radius (of a sphere or a disk) or size (of a box; size[2] of a disk) is
 * among the checked animations of a definition, under the names "<name>.radius" and "<name>.size".
 * Where `at` is a time, s, the region is that of the shape then and changes no more; NAN: all
 * times. */
vt_status vti_create_growing_region(const vt_shape *shape, const char *name, int32_t count,
                                    const vt_animation *animations, double at, vt_region *region);

/* An error where a shape that a definition has not is animated under the name "shape". */
vt_status vti_check_shape_is_there(const vt_shape *shape, int32_t count,
                                   const vt_animation *animations);

/* What the region is at a time, to ask what lies inside; not to be destroyed. */
vt_region vti_region_at(const vt_region *region, double time);

/* A copy with memory of its own; 0, or -1 without memory (there is nothing to destroy then). */
int vti_copy_region(const vt_region *from, vt_region *to);

/* The point of the region's box (or cells, or layer) at (u, v, w) in [0, 1)^3, and whether it is
 * inside. A mesh answers for the point as returned, in float; the others for the one before
 * rounding; every point of a layer is a birth. */
int vti_region_point(const vt_region *region, const double uvw[3], float point[3]);

/* Whether the point is inside the closed shape, whatever its layer. For a mesh: whether the surface
 * winds around it (so parts that overlap are inside, a shell that points inwards makes a hole); no
 * gap at edges and vertices. */
int vti_region_contains(const vt_region *region, const float point[3]);
