/* Where the vortons of a simulation are, with births and all else that the grid must hold. */
#pragma once

#include "model/grid.h"
#include "state/sources.h"

/* Bounds of the vortons, births of this step included (NULL: none). VT_NOT_FINITE names the first
 * bad value of position or strength. */
vt_status vti_find_extent(vt_simulation *s, const vt_births *births, vt_extent *content);
