/* Source panels of a rigid shape: flat triangles on its surface, each with an even source density,
 * such that no fluid flows through (Hess and Smith, Progress in Aeronautical Sciences 8, 1967).
 *
 *   M s = (v_b - u) . n at the centroids,  M_ij = n_i . u_j(c_i),
 *   M_jj = 1 - sum_{i != j} A_i M_ij / A_j  (thin bodies: 1/2)
 *
 * u_j: velocity of panel j with density 1. The diagonal lets half of what a panel emits leave on
 * either side, as a whole: then the densities of a closed surface emit nothing altogether. With
 * vertices v_k, r_k = |x - v_k|, L_k = |v_k+1 - v_k|, m_k = (v_k+1 - v_k) x n / L_k and the solid
 * angle W of the triangle, of the sign of d = (x - v_0) . n:
 *
 *   u = 1 / (4 pi) (sum_k m_k l_k + n W),  phi = -1 / (4 pi) (sum_k (v_k - x) . m_k l_k - d W),
 *   l_k = ln((r_k + r_k+1 + L_k) / (r_k + r_k+1 - L_k))
 *
 * A container has its normals inwards, to the fluid. From it panels emit nothing altogether either,
 * and as they would do that at any densities, M_jj = -sum_{i != j} A_i M_ij / A_j makes M singular:
 * M_ij + A_j / sum A has the one solution whose densities sum to nothing, where what is to pass
 * (v_b - u) . n sums to nothing, too.
 *
 * Of a plane they are a flat square, where M_ii = 1/2 and all else is 0: twice what would pass a
 * panel turns it back, as the mirror image would. Nothing else of it depends on where the square
 * lies and how large it is.
 *
 * All in the space of the body; M does not depend on its scale, so that one inverse serves wherever
 * the body goes and however it turns. */
#ifndef VORTON_STATE_PANEL_SET_H
#define VORTON_STATE_PANEL_SET_H

#include <stdatomic.h>

#include "state/solids.h"

/* Bodies of the same panels share one set, which never changes. */
typedef struct vt_panel_set {
    _Atomic int32_t users;
    int32_t count;
    int32_t is_thin;        /* a side is thinner than panels are wide */
    int32_t hole;           /* they are those of a container */
    int32_t open;           /* of a plane: a square 2 m wide, to be laid where the fluid is */
    double (*corner)[3][3]; /* counter-clockwise seen from the fluid, m */
    double (*center)[3];    /* centroid, m */
    double (*normal)[3];    /* towards the fluid */
    double *area;           /* m^2 */
    float *inverse;         /* of M: entry (i, j) at [j * count + i] */
    float *beyond;          /* of a container, laid out likewise: see line_ends.h; else NULL */
    double side;            /* sqrt(2 x mean area), m */
    double low[3], high[3]; /* box around them, m */
    double length;          /* radius of the sphere of the same area, m */
    double volume;          /* inside, m^3; of a container < 0 */
    double origin[3];       /* centre of the body, about which added_mass turns, m */
    /* Impulse and angular impulse (-integral of phi n, of phi r x n; over the density) of the flow
     * around it where it moves (1 m/s; 0-2) and turns (1 rad/s; 3-5): m^3, m^4, m^5. 0 of a
     * container. */
    double added_mass[6][6];
} vt_panel_set;

/* Shapes with many parts may get more than they are aimed at; not more than these. */
enum { VT_MOST_PANELS = 4200 };

/* added_mass of a body of that scale, in the lengths of the world. */
void vt_scale_added_mass(const vt_panel_set *set, double scale, double matrix[6][6]);

/* Panels of the union of solids, about `aimed` of them in all: those that lie inside another solid
 * are left out, planes have none, but for one alone. Of a hole: of what the solids have in common,
 * where some of them are no planes, and it is no thinner than the panels are wide. *set is NULL
 * where none is left. VT_INVALID_ARGUMENT: there would be far more than are aimed at, or those of
 * a hole cut out of several solids leave gaps. */
vt_status vt_create_panels(int32_t solid_count, const vt_solid *solids, int32_t hole, int32_t aimed,
                           const double origin[3], int threads, vt_panel_set **set);

/* One user more; NULL is allowed. Returns the set. */
vt_panel_set *vt_share_panels(vt_panel_set *set);

/* One user less, the last one frees it; NULL is allowed. */
void vt_release_panels(vt_panel_set *set);

/* ---- parts of it ---- */

typedef double vt_triangle[3][3];

/* Triangles one after the other; failed: no memory was left for one of them. */
typedef struct vt_triangles {
    vt_triangle *item;
    int32_t count, room, failed;
} vt_triangles;

void vt_add_triangle(vt_triangles *triangles, const double a[3], const double b[3],
                     const double c[3]);

/* Of the triangles from the first on leaves what lies inside the solid; of what lies on its surface
 * all, or nothing. */
void vt_keep_inside(const vt_solid *solid, int32_t first, int keeps_common,
                    vt_triangles *triangles);

/* Adds the triangles of the surface of a solid, about `aimed` of them: none of a plane. */
void vt_add_triangles_of_solid(const vt_solid *solid, int32_t aimed, vt_triangles *triangles);

/* Adds a square of a plane, half as wide as that (m), about `center`. */
void vt_add_square(const double center[3], const double normal[3], double half, int32_t aimed,
                   vt_triangles *triangles);

/* Area of the surface of a solid, m^2; 0 of a plane. */
double vt_solid_area(const vt_solid *solid);

/* Velocity and potential at x of a triangle with source density 1 and the outward normal. */
void vt_triangle_velocity(vt_triangle corner, const double normal[3], const double x[3],
                          double u[3]);
double vt_triangle_potential(vt_triangle corner, const double normal[3], const double x[3]);

/* Two unit vectors across a unit vector, along the axes where it is along one. */
void vt_find_across(const double normal[3], double across[2][3]);

/* Fills inverse, beyond and added_mass from the triangles; VT_OUT_OF_MEMORY. */
vt_status vt_solve_panels(vt_panel_set *set, int threads);

#endif
