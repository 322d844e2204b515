/* Regions: shapes that were checked, with a copy of their mesh and all that is needed to ask what
 * lies inside. */
#ifndef VORTON_STATE_SHAPES_H
#define VORTON_STATE_SHAPES_H

#include "vorton.h"

/* Triangles of a mesh by columns of a grid over (x, y): a vertical line through a point meets only
 * those of its column. */
typedef struct vt_mesh_columns {
    double origin[2], scale[2]; /* column = (x - origin) scale, truncated and clamped */
    int32_t count[2];
    uint32_t *first; /* count[0] count[1] + 1: first entry of each column in face */
    int32_t *face;
} vt_mesh_columns;

typedef struct vt_region {
    vt_shape shape;            /* vertices and faces belong to the region */
    double volume;             /* m^3; of a mesh, the sum of signed tetrahedra */
    double lower[3], upper[3]; /* bounding box, m */

    /* The box (not always upright: that of a disk stands on it) in which births are tried: its
     * corner, its three edges, its volume. */
    double corner[3], edge[3][3];
    double box_volume;

    vt_mesh_columns columns;
} vt_region;

/* Lengths and coordinates may be this small and this large, m. */
#define VT_LEAST_LENGTH 1e-9
#define VT_MOST_LENGTH 1e9

/* Checks the shape and takes a copy: the error names the field, its value and what is allowed. A
 * mesh must be finite and closed (each edge in exactly two faces, in opposite directions), its
 * faces must point outwards, its volume must be at least 1e-6 of its bounding box. On failure there
 * is nothing to destroy. */
vt_status vt_create_region(const vt_shape *shape, vt_region *region);
void vt_destroy_region(vt_region *region);

/* A copy with memory of its own; 0, or -1 without memory (there is nothing to destroy then). */
int vt_copy_region(const vt_region *from, vt_region *to);

/* The point of the region's box at (u, v, w) in [0, 1)^3, and whether it is inside. A mesh answers
 * for the point as returned, in float; the others for the one before rounding. */
int vt_region_point(const vt_region *region, const double uvw[3], float point[3]);

/* Whether the point is inside. For a mesh: whether the surface winds around it (so parts that
 * overlap are inside, a shell that points inwards makes a hole); no gap at edges and vertices. */
int vt_region_contains(const vt_region *region, const float point[3]);

/* ---- meshes: mesh_inside.c ---- */

vt_status vt_check_mesh(const vt_shape *mesh);
double vt_mesh_volume(const vt_shape *mesh);
vt_status vt_create_mesh_columns(const vt_shape *mesh, vt_mesh_columns *columns);
void vt_destroy_mesh_columns(vt_mesh_columns *columns);
int vt_copy_mesh_columns(const vt_mesh_columns *from, vt_mesh_columns *to); /* as vt_copy_region */
int vt_mesh_contains(const vt_shape *mesh, const vt_mesh_columns *columns, const float point[3]);

#endif
