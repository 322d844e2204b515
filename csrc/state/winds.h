/* The winds of a simulation: uniform ones that vary in time, and grids of wind.
 *
 * All stages work in the frame that moves with the uniform wind, so over a substep that is one
 * displacement, exact for any wind. Grids of wind stand still in space: in the middle of a substep
 * the working grid has moved by `shift` against them. */
#ifndef VORTON_STATE_WINDS_H
#define VORTON_STATE_WINDS_H

#include "stages/wind.h"
#include "state/track.h"
#include "vorton.h"

typedef struct vt_uniform_wind {
    vt_track velocity; /* m/s */
    int32_t parent;    /* transform with which it turns, 0: none */
    int32_t turns;     /* that ever moves */
} vt_uniform_wind;

typedef struct vt_winds {
    /* definitions */
    vt_uniform_wind *uniform;
    vt_wind_grid *grids;
    vt_track *strength; /* of each grid: its amplitude in time */
    int32_t uniform_count, grid_count;

    /* what blows now: set by the functions below */
    double velocity[3]; /* uniform, m/s */
    double shift[3];    /* m */
} vt_winds;

void vt_destroy_winds(vt_winds *winds);

/* Fills `to` with copies; on failure it is to be destroyed all the same. */
vt_status vt_copy_winds(const vt_winds *from, vt_winds *to);

/* Displacement by the uniform winds from one time (s) to another, m. */
void vt_integrate_winds(const vt_simulation *simulation, double from, double to, double way[3]);

/* What blows from one time to another: the means; at one time where they are equal. */
void vt_set_wind(vt_simulation *simulation, double from, double to);
void vt_set_wind_grids(vt_simulation *simulation, double from, double to, const double shift[3]);

/* Adds the grids of wind as they blow now to the velocities at the nodes of the working grid. */
void vt_add_winds_to_nodes(vt_simulation *simulation);

/* Adds the grids of wind as they blow now, at points (m) of the working grid's frame; gradient may
 * be NULL (see stages/wind.h). */
void vt_add_wind_grids(const vt_simulation *simulation, int64_t count, const float *points,
                       float *velocity, float *gradient);

/* Bound of the gradient of all grids of wind as they blow now, 1/s. */
double vt_wind_gradient(const vt_simulation *simulation);

#endif
