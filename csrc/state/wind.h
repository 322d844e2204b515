/* The winds of a simulation: uniform ones that vary in time, and grids of wind.
 *
 * All stages work in the frame that moves with the uniform wind, so over a substep that is one
 * displacement, exact for any wind. Grids of wind stand still in space: in the middle of a substep
 * the working grid has moved by `shift` against them. */
#pragma once

#include "kernels/grid/wind_grid.h"

typedef struct vt_uniform_wind {
    vt_track velocity; /* m/s */
    int32_t parent;    /* transform with which it turns, 0: none */
    int32_t turns;     /* that ever moves */
    int32_t id;
} vt_uniform_wind;

typedef struct vt_winds {
    /* definitions */
    vt_uniform_wind *uniform;
    vt_wind_grid *grids;
    vt_track *strength; /* of each grid: its amplitude in time */
    int32_t *grid_id;   /* of each grid: its id as a wind */
    int32_t uniform_count, grid_count;
    int32_t made; /* ids in use so far, of both kinds together */

    /* what blows now: set by the functions below */
    double velocity[3]; /* uniform, m/s */
    double shift[3];    /* m */
} vt_winds;

/* Values on the nodes of a box, of a wind or of a force (`what`), from `vectors`, nx x ny x nz x 3;
 * NULL: they are 0. On failure there is nothing to free. */
vt_status vti_make_wind_grid(const char *what, const int32_t nodes[3], const float *vectors,
                             vt_wind_grid *grid);

void vti_place_wind_grid(const double origin[3], const double spacing[3], vt_wind_grid *grid);

/* A copy with values of its own, likewise. */
vt_status vti_copy_wind_grid(const char *what, const vt_wind_grid *from, vt_wind_grid *to);

void vti_destroy_wind_grid(vt_wind_grid *grid);

/* Takes one out of its list, and destroys it. */
void vti_drop_uniform_wind(vt_winds *winds, int32_t n);
void vti_drop_wind_grid(vt_winds *winds, int32_t n);

void vti_destroy_winds(vt_winds *winds);

/* Fills `to` with copies; on failure it is to be destroyed all the same. */
vt_status vti_copy_winds(const vt_winds *from, vt_winds *to);
