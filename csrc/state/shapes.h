/* Regions: shapes that were checked, with a copy of their mesh and all that is needed to ask what
 * lies inside. */
#ifndef VORTON_STATE_SHAPES_H
#define VORTON_STATE_SHAPES_H

#include "state/animation.h"

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

    /* Of a layer on the surface (births are tried there alone: box_volume is the volume): parts of
     * the surface, and the area before each of them, m^2 (parts + 1). */
    double *area_before;
    int64_t parts;

    /* Of a thin mesh: the cells of its bounding box in which births are tried, instead of the box;
     * cell (i, j, k) begins at lower + cell_size (i, j, k), box_volume is that of all of them. */
    uint32_t (*cell)[3];
    int64_t cell_count;
    double cell_size[3];

    /* Radius and size where they change: `shape` and all that is made of it are those of the
     * largest extent. */
    vt_animations growth;
} vt_region;

/* Lengths and coordinates may be this small and this large, m. */
#define VT_LEAST_LENGTH 1e-9
#define VT_MOST_LENGTH 1e9

/* Checks a shape of any kind; of a polytope its layer alone. */
vt_status vt_check_shape(const vt_shape *shape);

/* Checks the shape and takes a copy: the error names the field, its value and what is allowed. A
 * mesh must be finite. Without a layer it must be closed (each edge in exactly two faces, in
 * opposite directions), its faces must point outwards, and it must not be so thin that fewer than
 * one try in 500 would be a birth. On failure there is nothing to destroy. */
vt_status vt_create_region(const vt_shape *shape, vt_region *region);
void vt_destroy_region(vt_region *region);

/* The same of a shape whose radius (of a sphere or a disk) or size (of a box; size[2] of a disk) is
 * among the checked animations of a definition, under the names "<name>.radius" and "<name>.size".
 * Where `at` is a time, s, the region is that of the shape then and changes no more; NAN: all
 * times. */
vt_status vt_create_growing_region(const vt_shape *shape, const char *name, int32_t count,
                                   const vt_animation *animations, double at, vt_region *region);

/* An error where a shape that a definition has not is animated under the name "shape". */
vt_status vt_check_shape_is_there(const vt_shape *shape, int32_t count,
                                  const vt_animation *animations);

/* What the region is at a time, to ask what lies inside; not to be destroyed. */
vt_region vt_region_at(const vt_region *region, double time);

/* A copy with memory of its own; 0, or -1 without memory (there is nothing to destroy then). */
int vt_copy_region(const vt_region *from, vt_region *to);

/* The point of the region's box (or cells, or layer) at (u, v, w) in [0, 1)^3, and whether it is
 * inside. A mesh answers for the point as returned, in float; the others for the one before
 * rounding; every point of a layer is a birth. */
int vt_region_point(const vt_region *region, const double uvw[3], float point[3]);

/* Whether the point is inside the closed shape, whatever its layer. For a mesh: whether the surface
 * winds around it (so parts that overlap are inside, a shell that points inwards makes a hole); no
 * gap at edges and vertices. */
int vt_region_contains(const vt_region *region, const float point[3]);

/* ---- layers: surface.c ---- */

double vt_surface_area(const vt_shape *shape);
vt_status vt_create_surface(vt_region *region);
void vt_surface_point(const vt_region *region, const double uvw[3], float point[3]);

/* ---- thin meshes: mesh_cells.c ---- */

/* Fills cell ... cell_size and box_volume of a region whose columns are made. */
vt_status vt_create_mesh_cells(vt_region *region);
void vt_mesh_cell_point(const vt_region *region, const double uvw[3], float point[3]);

/* ---- meshes: mesh_inside.c ---- */

vt_status vt_check_mesh(const vt_shape *mesh); /* closed, unless it has a layer */
double vt_mesh_volume(const vt_shape *mesh);
vt_status vt_create_mesh_columns(const vt_shape *mesh, vt_mesh_columns *columns);
void vt_destroy_mesh_columns(vt_mesh_columns *columns);
int vt_copy_mesh_columns(const vt_mesh_columns *from, vt_mesh_columns *to); /* as vt_copy_region */
int vt_mesh_contains(const vt_shape *mesh, const vt_mesh_columns *columns, const float point[3]);

#endif
