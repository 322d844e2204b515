/* The working grid: where it lies, how its arrays are laid out. One grid per simulation, in memory
 * that is reserved once for max_nodes and laid out anew when the domain changes.
 *
 * Positions of records are in cells, (x - origin) / spacing; the arrays hold SI units. */
#pragma once

#include "base/simd.h"
#include "model/columns.h"

/* Where the vortons are, with circulation or without. */
typedef struct vt_extent {
    double least[3], most[3]; /* m */
    int32_t exists;           /* some alive vorton carries circulation or is a charge */
    int32_t in_room;          /* the grid is to be that of the room: see field/room.h */
} vt_extent;

/* A vorton as the grid kernels see it: sorted by grid row, 32 bytes, moved by one store. */
typedef struct vt_record {
    float position[3]; /* in cells from the grid's first node */
    float volume;      /* in the bound of stretching, m^3 */
    float strength[3]; /* alpha, m^3/s */
    uint32_t home;     /* its row in the columns */
} vt_record;

/* A charge, in the form that sort and deposit take: at a position in cells of the grid. */
static inline vt_record vti_charge(const float position[3], float charge)
{
    return (vt_record){.position = {position[0], position[1], position[2]},
                       .volume = charge < 0 ? -charge : charge, /* weighs the centres of clusters */
                       .strength = {-charge, 0, 0}};            /* -lap phi = -q */
}

/* Cells kept free between the vortons and the faces: a core of 1.5 cells has decayed to
 * the far field there, and no later stage of a substep may leave the box. */
enum { VT_DOMAIN_MARGIN = 5 };

/* Part of the state: what the next placement starts from (hysteresis). */
typedef struct vt_placement {
    int32_t cells[3]; /* 0 before the first */
    double base[3];   /* first node, in spacings from the world's origin */
    int32_t level;    /* the spacing is spacing x 2^(level / 8) */
    double walled;    /* > 0: the spacing, m, of a grid whose faces are the walls of a room */
} vt_placement;

/* Nearer to a wall, in cells, the grid sees no vorton: it lies in the cells in any rounding. */
#define VT_FROM_WALLS 0x1p-10f

_Static_assert(sizeof(vt_record) == 32, "a record is one 32-byte store");

enum { VT_MOST_CELLS = 1024 }; /* along an axis */

typedef struct vt_grid {
    int32_t cells[3]; /* along x, y, z: even, 2^a 3^b 5^c, at least 6; nodes are one more */
    double base[3];   /* the first node lies at base x spacing; whole on the world lattice */
    double spacing;   /* h, m */
    double core;      /* effective core radius (sigma) of all vortons on this grid, m */

    /* Nodes of four floats: node (i, j, k) is nodes[k * node_plane + j * node_row + i].
     * deposit: strength (m^3/s) in lanes 0-2, its length or a volume (m^3) in lane 3.
     * velocity: m/s in lanes 0-2, div A (m/s) in lane 3. The same memory, one after the other.
     * A row has one node more than there are, and is a multiple of four long. One more plane than
     * nodes may be read, never written. */
    int64_t node_row, node_plane;
    f4 *nodes;
    f4 *scalars; /* slopes of the density deviation, laid out as nodes: see
                    kernels/particles/baroclinic.h */
    /* deposit: whether anything has reached a row of nodes, at vti_row_number: the others are not
     * written, and stand for zeros. NULL: all are written. */
    uint8_t *filled;

    /* Components apart: node (i, j, k) of component c is field[c][k * plane + j * row + i]; row is
     * a multiple of 16 and at least 16 more than the cells, planes hold a multiple of 16 rows and
     * one more. filter, filter_modes: spacing^2 x vorticity (m^2/s) at inner nodes. poisson: vector
     * potential (m^2/s), faces too. The fourth is the scalar potential (m^2/s), where there is one.
     * 16 floats before and after each field may be read. */
    int64_t row, plane;
    float *field[4];
    int32_t has_potential; /* 1: the velocity is curl A + grad phi; 0: curl A */
    int32_t still;         /* 1: nothing moves the fluid, the velocity is 0 everywhere */
    int32_t walled; /* 1: walls through which nothing flows are the faces, all six: nothing is given
                       there, and beyond them all is its mirror image; 0: nothing is there */
    int32_t fourth; /* 1: of fourth order: the vector potential, B-splines from vortons to nodes and
                       back, a curl of sixth order; 0: of second, trilinear */
    int32_t scalar; /* 1: boundary, filter_modes and poisson work on one component, field[0] and the
                       first of the faces; 0: on three */

    /* Boundary values of the vector potential (m^2/s). Face 2 * axis + side (0 low, 1 high);
     * u and v are the two other axes in increasing order (x < y < z); component c of node (u, v) is
     * face[f][c * face_plane + v * face_row + u]. */
    int64_t face_row, face_plane;
    float *face[6];
} vt_grid;

/* The fixed description of a cell count: pitches from cells alone. */
static inline void vti_grid_pitches(vt_grid *grid)
{
    const int64_t nx = grid->cells[0], ny = grid->cells[1], nz = grid->cells[2];
    const int64_t x16 = (nx + 15) / 16 * 16, y16 = (ny + 15) / 16 * 16;
    const int64_t most = nx > ny ? (nx > nz ? nx : nz) : (ny > nz ? ny : nz);
    grid->node_row = (nx + 2 + 3) / 4 * 4;
    grid->node_row += grid->node_row % 16 == 0 ? 4 : 0; /* rows that do not meet in the cache */
    grid->node_plane = grid->node_row * (ny + 1);
    grid->row = x16 + 16;
    grid->plane = grid->row * (y16 + 1);
    grid->face_row = (most + 1 + 15) / 16 * 16;
    grid->face_plane = grid->face_row * (most + 1);
}

/* V so that strength / V is the vorticity in the middle of a Gaussian core, m^3: it is
 * (2 pi)^1.5 core^3. */
static inline double vti_core_volume(double core)
{
    return 15.7496099457 * core * core * core;
}

/* Components that boundary, filter_modes and poisson work on. */
static inline int vti_grid_components(const vt_grid *grid)
{
    return grid->scalar ? 1 : 3;
}

static inline int64_t vti_grid_rows(const vt_grid *grid)
{
    return ((int64_t)grid->cells[1] + 1) * (grid->cells[2] + 1);
}

static inline int64_t vti_row_number(const vt_grid *grid, int64_t j, int64_t k)
{
    return k * (grid->cells[1] + 1) + j;
}

/* Whether a row of nodes holds anything; outside of the grid there are none that do. */
static inline int vti_is_filled(const vt_grid *grid, int64_t j, int64_t k)
{
    if (j < 0 || j > grid->cells[1] || k < 0 || k > grid->cells[2])
        return 0;
    return !grid->filled || grid->filled[vti_row_number(grid, j, k)];
}

/* A row of nodes, or a row of zeros where the row holds nothing. */
static inline const float *vti_filled_row(const vt_grid *grid, int64_t j, int64_t k,
                                          const float *zeros)
{
    return vti_is_filled(grid, j, k)
               ? (const float *)(grid->nodes + k * grid->node_plane + j * grid->node_row)
               : zeros;
}

static inline float vti_grid_origin(const vt_grid *grid, int axis)
{
    return (float)(grid->base[axis] * grid->spacing);
}
