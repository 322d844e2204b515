/* The fields at the nodes of the working grid, and velocity anywhere. */
#ifndef VORTON_FIELDS_H
#define VORTON_FIELDS_H

#include "vorton/particles.h"

VT_BEGIN_C

/* Brings the fields up to date with the particles, without moving anything. Everything that reads
 * fields does this by itself when it is needed; views of them show what was there last. */
VT_API vt_status vt_update_fields(vt_simulation *simulation);

/* Fields at the nodes of the working grid; grid_fields.def lists and explains them. */
enum {
#define VT_GRID_FIELD(name, type, components, unit, description) VT_GRID_##name,
#include "vorton/grid_fields.def"
    VT_GRID_FIELDS
};

typedef struct vt_grid_field {
    size_t struct_size;
    const char *name, *unit, *description;
    int32_t type, components; /* VT_FLOAT32 or VT_BOOL */
} vt_grid_field;

/* Row `field` of grid_fields.def; returns 0 past the last. */
VT_API int vt_describe_grid(int field, vt_grid_field *row);

/* A field, to be read only. Node (k, j, i) is at origin + spacing (i, j, k). */
typedef struct vt_grid_view {
    size_t struct_size;
    const void *data;
    int32_t type; /* VT_FLOAT32 or VT_BOOL */
    int32_t dimensions;
    int64_t shape[4];   /* nz, ny, nx and, with dimensions 4, components */
    int64_t strides[4]; /* bytes; not contiguous */
    double origin[3];   /* m */
    double spacing;     /* m */
    int64_t step; /* the array is right while vt_step_count is this; what is written to particles
                     or set of bodies in between shows when a field is asked for again. Its
                     memory stays readable for the life of the simulation, and holds other
                     things later. */
} vt_grid_view;

/* A field (VT_GRID_velocity ...), up to date with the particles. VT_INVALID_ARGUMENT where there is
 * no such field: the method has no grid; no vorton carries circulation (velocity, potentials,
 * divergence, vorticity), nothing makes a scalar potential, or no vorton carries what the field is
 * the mean of. */
VT_API vt_status vt_get_grid(vt_simulation *simulation, int field, vt_grid_view *view);

/* Where the nodes of all fields lie now: nodes along x, y, z, the first one's place, m, and the
 * distance between them, m. VT_INVALID_ARGUMENT where there is no grid. */
VT_API vt_status vt_get_grid_place(vt_simulation *simulation, int64_t nodes[3], double origin[3],
                                   double *spacing);

/* Velocity in m/s at count points (count x 3, m), anywhere, from the fields of now, winds
 * included, force fields not: inside the grid by sampling, outside by the far field of the vortons.
 */
VT_API vt_status vt_velocity_at(vt_simulation *simulation, int64_t count, const float *points,
                                float *velocity);

VT_END_C

#endif
