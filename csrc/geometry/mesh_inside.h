/* Closed triangle meshes: checks, volume, and which points lie inside.
 *
 * A point is inside where the faces above it do not cancel: each face that covers it, seen from
 * above, counts +1 or -1 by the way it faces. Coordinates are floats, so the side of an edge on
 * which a point lies has an exact sign in double (products of differences of floats), and an edge
 * is always taken from its lower end: the two faces that share it agree, and no point falls through
 * between them. */
#pragma once

#include "geometry/region.h"

vt_status vti_check_mesh(const vt_shape *mesh); /* closed, unless it has a layer */
double vti_mesh_volume(const vt_shape *mesh);
vt_status vti_create_mesh_columns(const vt_shape *mesh, vt_mesh_columns *columns);
void vti_destroy_mesh_columns(vt_mesh_columns *columns);
int vti_copy_mesh_columns(const vt_mesh_columns *from,
                          vt_mesh_columns *to); /* as vti_copy_region */
int vti_mesh_contains(const vt_shape *mesh, const vt_mesh_columns *columns, const float point[3]);
