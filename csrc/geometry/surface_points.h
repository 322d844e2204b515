/* Layers on the surface of a shape: area, and points spread evenly over it. A shape's surface is
 * made of parts (faces of a box or a mesh, ends and rim of a disk): the first number of a point
 * chooses the part by its area, and what it leaves is the first coordinate on the part. */
#pragma once

#include "geometry/region.h"

double vti_surface_area(const vt_shape *shape);
vt_status vti_create_surface(vt_region *region);
void vti_surface_point(const vt_region *region, const double uvw[3], float point[3]);
