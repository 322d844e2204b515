/* Forces given on the nodes of a box, or at points, which become such a box. */
#pragma once

#include "kernels/grid/wind_grid.h"

/* The box of a force field of either kind. The error names the member, its value and what is
 * allowed. */
vt_status vti_create_force_grid(const vt_force_def *def, vt_wind_grid *grid);

/* The box as a shape. */
vt_shape vti_box_of_grid(const vt_wind_grid *grid);
