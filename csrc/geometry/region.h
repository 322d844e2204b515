/* Regions in which particles are born or removed: the structs. */
#pragma once

#include "animation/parameters.h"

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
