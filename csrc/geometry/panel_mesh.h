/* Triangles on the surfaces of solids: spheres and round solids keep their volume, edges have finer
 * panels, thin sides at least two across. */
#pragma once

#include "geometry/convex_solid.h"
#include "geometry/panel_set.h"

void vti_add_triangle(vt_triangles *triangles, const double a[3], const double b[3],
                      const double c[3]);

/* Adds the triangles of the surface of a solid, about `aimed` of them: none of a plane. */
void vti_add_triangles_of_solid(const vt_solid *solid, int32_t aimed, vt_triangles *triangles);

/* Whether they lie on flat faces of the solid: of a plane, and of a polytope that has few beside
 * `aimed`. */
int vti_lie_on_faces(const vt_solid *solid, int32_t aimed);

/* How many times longer a solid is than broad; 1 of a plane. Panels of one of more than VT_SLENDER
 * are longer than wide, as many as are aimed at. */
enum { VT_SLENDER = 30 };
double vti_slenderness(const vt_solid *solid);

/* Adds a square of a plane, half as wide as that (m), about `center`. */
void vti_add_square(const double center[3], const double normal[3], double half, int32_t aimed,
                    vt_triangles *triangles);

/* Area of the surface of a solid, m^2; 0 of a plane. */
double vti_solid_area(const vt_solid *solid);

/* Two unit vectors across a unit vector, along the axes where it is along one. */
void vti_find_across(const double normal[3], double across[2][3]);
