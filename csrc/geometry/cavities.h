/* Cavities: of the surface of solids the parts that enclose fluid. */
#pragma once

#include "geometry/panel_set.h"

/* Gives each panel the number of its cavity, from 0 on, -1: of none; of a container all are one.
 * Returns -1 without memory, else 0. */
int vti_find_cavities(const vt_panel_set *set, int32_t *cavity);
