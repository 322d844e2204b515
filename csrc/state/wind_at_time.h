/* What the winds of a simulation blow at a time. */
#pragma once

#include "vorton.h"

/* Displacement by the uniform winds from one time (s) to another, m. */
void vti_integrate_winds(const vt_simulation *simulation, double from, double to, double way[3]);

/* What blows from one time to another: the means; at one time where they are equal. */
void vti_set_wind(vt_simulation *simulation, double from, double to);
void vti_set_wind_grids(vt_simulation *simulation, double from, double to, const double shift[3]);

/* Adds the grids of wind as they blow now to the velocities at the nodes of the working grid. */
void vti_add_winds_to_nodes(vt_simulation *simulation);

/* Adds the grids of wind as they blow now, at points (m) of the working grid's frame; gradient may
 * be NULL (see kernels/grid/wind_grid.h). */
void vti_add_wind_grids(const vt_simulation *simulation, int64_t count, const float *points,
                        float *velocity, float *gradient);

/* Bound of the gradient of all grids of wind as they blow now, 1/s. */
double vti_wind_gradient(const vt_simulation *simulation);
