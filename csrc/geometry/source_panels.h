/* Source panels of a shape: flat triangles on its surface, each with an even source density,
 * such that no fluid flows through (Hess and Smith, Progress in Aeronautical Sciences 8, 1967).
 *
 *   M s = (v_b - u) . n at the centroids,  M_ij = n_i . u_j(c_i) or n_i . <u_j>_i,
 *   M_jj = 1 - sum_{i != j} A_i M_ij / A_j
 *
 * u_j: velocity of panel j with density 1. <u_j>_i: its mean over panel i, by the angles under
 * which four points of panel j see that; which of both a pair takes is said in panel_matrix.c. The
 * diagonal lets half of what a panel emits leave on either side, as a whole: then the densities of
 * a closed surface emit nothing altogether.
 * With vertices v_k, r_k = |x - v_k|, L_k = |v_k+1 - v_k|, m_k = (v_k+1 - v_k) x n / L_k and the
 * solid angle W of the triangle, of the sign of d = (x - v_0) . n:
 *
 *   u = 1 / (4 pi) (sum_k m_k l_k + n W),  phi = -1 / (4 pi) (sum_k (v_k - x) . m_k l_k - d W),
 *   l_k = ln((r_k + r_k+1 + L_k) / (r_k + r_k+1 - L_k))
 *
 * A container has its normals inwards, to the fluid. From it panels emit nothing altogether either,
 * and as they would do that at any densities, M_jj = -sum_{i != j} A_i M_ij / A_j makes M singular:
 * M_ij + A_j / sum A has the one solution whose densities sum to nothing, where what is to pass
 * (v_b - u) . n sums to nothing, too.
 *
 * Of bodies that stand on a plane the images of all panels act, too: u_j is that of both, and the
 * surface is closed together with its image.
 *
 * Of a plane they are a flat square, where M_ii = 1/2 and all else is 0: twice what would pass a
 * panel turns it back, as the mirror image would. Nothing else of it depends on where the square
 * lies and how large it is.
 *
 * All in the space of the body; M does not depend on its scale, so that one inverse serves wherever
 * the body goes and however it turns. */
#pragma once

#include "geometry/panel_clip.h"

/* Shapes with many parts may get more than they are aimed at; not more than these. */
enum { VT_MOST_PANELS = 4200 };

/* Radius of the largest ball in the thinnest of solids, m; infinite of planes alone. */
double vti_least_inscribed(int32_t solid_count, const vt_solid *solids);

/* added_mass of a body of that scale, in the lengths of the world. */
void vti_scale_added_mass(const vt_panel_set *set, double scale, double matrix[6][6]);

/* Panels of the union of solids, about `aimed` of them in all: what of them lies inside another
 * solid is cut off; planes have none, but for one alone. Of a hole: of what the solids have in
 * common, where some of them are no planes, and it is no thinner than the panels are wide. *set is
 * NULL where none is left. VT_INVALID_ARGUMENT: there would be far more than are aimed at, a solid
 * is too slender, or those of a hole cut out of several solids leave gaps. */
vt_status vti_create_panels(int32_t solid_count, const vt_solid *solids, int32_t hole,
                            int32_t aimed, const double origin[3], int threads, vt_panel_set **set);

/* The triangles that such panels of a solid body are, in place of those that are there. */
void vti_lay_walls_of_body(int32_t solid_count, const vt_solid *solids, int32_t aimed,
                           vt_triangles *triangles);

/* Of triangles cuts off what lies inside the solids of another body; cut->aimed: for all of them.
 */
void vti_cut_off(int32_t solid_count, const vt_solid *solids, const vt_cut *cut,
                 vt_triangles *triangles);

/* Two bodies, or solids, lie on each other where their surfaces are no farther apart than the
 * larger of these of both, m: rounded numbers. */
double vti_skin(int32_t solid_count, const vt_solid *solids);

/* A set that takes the triangles over, with memory for its matrix but where it is part of a whole;
 * NULL without memory. */
vt_panel_set *vti_make_panels(vt_triangles *triangles, int32_t hole, const double origin[3],
                              vt_panel_set *whole);

/* Fills what is known of panels by their corners alone: centroid, normal, area, box, volume.
 * origin: centre of the body, m. */
void vti_measure_panels(vt_panel_set *set, const double origin[3]);

/* A set of a solid of its own with one user; NULL without memory, or of NULL. */
vt_panel_set *vti_copy_panels(const vt_panel_set *set);

/* One user more; NULL is allowed. Returns the set. */
vt_panel_set *vti_share_panels(vt_panel_set *set);

/* One user less, the last one frees it; NULL is allowed. */
void vti_release_panels(vt_panel_set *set);
