/* The cells of a mesh's bounding box that it reaches: births in a thin mesh are tried there alone.
 *
 * All cells are halved along their longest edge until the mesh fills a good part of them. Those
 * that no face meets lie inside or outside as a whole; the latter are dropped. A triangle and a box
 * are apart where a plane normal to one of 13 directions separates them (Akenine-Moller, Fast 3D
 * triangle-box overlap testing, 2001). */
#pragma once

#include "geometry/region.h"

/* Fills cell ... cell_size and box_volume of a region whose columns are made. */
vt_status vti_create_mesh_cells(vt_region *region);
void vti_mesh_cell_point(const vt_region *region, const double uvw[3], float point[3]);
