/* Wind as a function of position: velocities on the nodes of a box, interpolated linearly along
 * each axis. It is added to the induced velocity, for all that moves. */
#pragma once

#include "model/grid.h"
#include "model/pose.h"

typedef struct vt_wind_grid {
    int32_t nodes[3];                 /* nx, ny, nz, >= 2 */
    int32_t border;                   /* outside: the value at the border; 0: no wind */
    double origin[3], per_spacing[3]; /* of node 0, m; 1/m */
    double largest_gradient;          /* bound of the Frobenius norm, 1/s, for amplitude 1 */
    double amplitude;                 /* factor of the values now */
    int32_t parent;                   /* transform in which it lies, 0: the world */
    vt_pose pose;                     /* that of now */
    const f4 *values;                 /* node (i, j, k) at (k ny + j) nx + i: m/s, lane 3 is 0 */
} vt_wind_grid;

/* The largest gradient of the values between neighbouring nodes. */
double vti_largest_wind_gradient(const vt_wind_grid *wind);

/* Adds the wind to lanes 0-2 of all nodes of the working grid, which lies `shift` (m) away from
 * where it says. */
void vti_add_wind_to_nodes(const vt_wind_grid *wind, const double shift[3], vt_grid *grid,
                           int threads);

/* The value (lanes 0-2) at a point of its own space, for amplitude 1. */
f4 vti_wind_value(const vt_wind_grid *wind, const double place[3]);

/* Adds the wind at points (count x 3, m) + shift to velocity (count x 3) and, where it is not NULL,
 * its gradient (count x 9, d u_i / d x_j at 3 i + j). */
void vti_add_wind_at(const vt_wind_grid *wind, const double shift[3], int64_t count,
                     const float *points, float *velocity, float *gradient, int threads);
